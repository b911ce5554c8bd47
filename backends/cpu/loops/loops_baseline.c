// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops for the architecture's baseline instruction set.

#define LOOPS loops_baseline
#ifdef __SSE2__
#define VECTOR_BYTES 16
#define VECTOR_SET "sse2"
#endif
#include "backends/cpu/loops/loops_template.h"
