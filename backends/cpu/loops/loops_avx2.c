// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops for AVX2 and FMA; cmake/Library.cmake gives the compiler the flags. Empty elsewhere.

#if defined(__AVX2__) && defined(__FMA__)
#define LOOPS loops_avx2
#define VECTOR_BYTES 32
#define VECTOR_SET "avx2"
#include "backends/cpu/loops/loops_template.h"
#endif
