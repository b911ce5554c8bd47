// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Small matrix products and dot products, for which a BLIS call costs more than the work. Compiled
// with the loops, once per instruction set; sums use fused multiply-adds where available, as in
// every BLAS, so last bits may depend on the processor.
// A panel of columns of B is packed; C is computed in bands of rows by two vectors of columns,
// whose sums stay in registers (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, without the levels for large matrices).

#ifdef VECTOR_BYTES
#define PRODUCT_BYTES VECTOR_BYTES
#else
#define PRODUCT_BYTES 16
#endif
#if PRODUCT_BYTES == 64
#include <immintrin.h>
#define FUSED_double(x, y, z) (double_lanes_t)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#define FUSED_float(x, y, z) (float_lanes_t)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z))
#define LESS_double(x, y, z) (double_lanes_t)_mm512_fnmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#define LESS_float(x, y, z) (float_lanes_t)_mm512_fnmadd_ps((__m512)(x), (__m512)(y), (__m512)(z))
#elif PRODUCT_BYTES == 32
#include <immintrin.h>
#define FUSED_double(x, y, z) (double_lanes_t)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#define FUSED_float(x, y, z) (float_lanes_t)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z))
#define LESS_double(x, y, z) (double_lanes_t)_mm256_fnmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#define LESS_float(x, y, z) (float_lanes_t)_mm256_fnmadd_ps((__m256)(x), (__m256)(y), (__m256)(z))
#else
#define FUSED_double(x, y, z) ((x) * (y) + (z))
#define FUSED_float(x, y, z) ((x) * (y) + (z))
#define LESS_double(x, y, z) ((z) - (x) * (y))
#define LESS_float(x, y, z) ((z) - (x) * (y))
#endif

// Rows of C that are computed together: as many as registers allow.
#if PRODUCT_BYTES == 64
enum { BAND = 8 };
#else
enum { BAND = 4 };
#endif
enum { DOT_SUMS = 8, DEPTH_MAX = 256, COMPLEX_DEPTH = 128, COMPLEX_ROWS = 256, RESIDENT_BYTES = 1 << 15 };

// Covers rows with bands, then smaller bands: BY_BANDS(rows, call), where `call` uses `i`, the
// first row, and the constant `band`.
#define ONE_BAND(rows, count, call)       \
    if (rows - i >= (count)) {            \
        enum { band = (count) };          \
        call;                             \
        i += band;                        \
    }
#define BY_BANDS(rows, call)              \
    int64_t i = 0;                        \
    while (rows - i >= BAND) ONE_BAND(rows, BAND, call) \
    if (BAND > 4) ONE_BAND(rows, 4, call) \
    ONE_BAND(rows, 2, call)               \
    ONE_BAND(rows, 1, call)

#define T float
#define NAME(f) f##_float
#define OF(x) float_##x
#include "backends/cpu/product/products_type_template.h"
#define T double
#define NAME(f) f##_double
#define OF(x) double_##x
#include "backends/cpu/product/products_type_template.h"
