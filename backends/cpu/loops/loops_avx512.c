// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The loops for AVX-512 (F, BW, DQ, VL); cmake/Library.cmake gives the compiler the flags. Empty
// elsewhere.

#ifdef __AVX512F__
#define LOOPS loops_avx512
#define VECTOR_BYTES 64
#define VECTOR_SET "avx512f"
#include "backends/cpu/loops/loops_template.h"
#endif
