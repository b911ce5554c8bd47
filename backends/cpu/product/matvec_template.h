// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix-vector products. Compiled with the loops, once per instruction set. The order of summation
// of a result does not depend on which others are computed with it, so work may be split anywhere.

// Rows, and columns, computed together; constants, since they bound unrolled loops.
enum { MATVEC_ROWS = 4, MATVEC_COLS = 8 };

#ifdef __FMA__
#define FUSED_ONE_double(x, y, z) __builtin_fma(x, y, z)
#define FUSED_ONE_float(x, y, z) __builtin_fmaf(x, y, z)
#else
#define FUSED_ONE_double(x, y, z) ((x) * (y) + (z))
#define FUSED_ONE_float(x, y, z) ((x) * (y) + (z))
#endif

#define T float
#define NAME(f) f##_float
#define OF(x) float_##x
#include "backends/cpu/product/matvec_type_template.h"
#define T double
#define NAME(f) f##_double
#define OF(x) double_##x
#include "backends/cpu/product/matvec_type_template.h"
