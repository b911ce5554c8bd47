// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of small matrices and of vectors, for which a call of BLIS costs more than the work.
// Compiled with the loops, once for each instruction set; sums are fused multiply-adds where it has
// them, as in every BLAS, so the last bits may depend on the processor.
//
// A panel of columns of B is packed, and C made in blocks of 4 rows and two vectors of columns whose
// sums stay in registers (Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008, without the levels that large matrices need).

#ifdef VECTOR_BYTES
#define PRODUCT_BYTES VECTOR_BYTES
#else
#define PRODUCT_BYTES 16
#endif
#if PRODUCT_BYTES == 64
#include <immintrin.h>
#define FUSED_double(x, y, z) (double_lanes_t)_mm512_fmadd_pd((__m512d)(x), (__m512d)(y), (__m512d)(z))
#define FUSED_float(x, y, z) (float_lanes_t)_mm512_fmadd_ps((__m512)(x), (__m512)(y), (__m512)(z))
#elif PRODUCT_BYTES == 32
#include <immintrin.h>
#define FUSED_double(x, y, z) (double_lanes_t)_mm256_fmadd_pd((__m256d)(x), (__m256d)(y), (__m256d)(z))
#define FUSED_float(x, y, z) (float_lanes_t)_mm256_fmadd_ps((__m256)(x), (__m256)(y), (__m256)(z))
#else
#define FUSED_double(x, y, z) ((x) * (y) + (z))
#define FUSED_float(x, y, z) ((x) * (y) + (z))
#endif

enum { BAND = 4, DEPTH_MAX = 256 };

#define SMALL_PRODUCT(T)                                                                         \
    typedef T T##_lanes_t __attribute__((vector_size(PRODUCT_BYTES)));                           \
    enum { T##_width = PRODUCT_BYTES / sizeof(T), T##_panel = 2 * T##_width };                   \
    /* `rows` is a constant wherever this is inlined. */                                         \
    static inline __attribute__((always_inline)) void band_##T(                                  \
        const T *a, int64_t a_row, int64_t a_col, const T *from, int64_t from_row, T *c,         \
        int64_t c_row, int64_t depth, int rows, size_t cols, bool more) {                        \
        T##_lanes_t sums[BAND][2] = {{{0}}}, b[2];                                               \
        T row[T##_panel] = {0};                                                                  \
        if (more)                                                                                \
            _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++) {                             \
                memcpy(row, c + r * c_row, cols * sizeof(T));                                    \
                memcpy(sums[r], row, sizeof row);                                                \
            }                                                                                    \
        for (int64_t k = 0; k < depth; k++) {                                                    \
            memcpy(b, from + k * from_row, sizeof b);                                            \
            _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++) {                             \
                T##_lanes_t x = a[r * a_row + k * a_col] - (T##_lanes_t){0};                     \
                sums[r][0] = FUSED_##T(x, b[0], sums[r][0]);                                     \
                sums[r][1] = FUSED_##T(x, b[1], sums[r][1]);                                     \
            }                                                                                    \
        }                                                                                        \
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++) {                                 \
            memcpy(row, sums[r], sizeof row);                                                    \
            memcpy(c + r * c_row, row, cols * sizeof(T));                                        \
        }                                                                                        \
    }                                                                                            \
    static void pack_##T(const T *b, int64_t b_row, int64_t b_col, int64_t depth, int64_t cols,  \
                         T *packed) {                                                            \
        for (int64_t k = 0; k < depth; k++)                                                      \
            for (int64_t j = 0; j < T##_panel; j++)                                              \
                packed[k * T##_panel + j] = j < cols ? b[k * b_row + j * b_col] : 0;             \
    }                                                                                            \
    /* C = A @ B, or C += A @ B, for a depth that fits the panel. */                             \
    static void slice_##T(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row,   \
                          int64_t b_col, T *c, int64_t c_row, int64_t rows, int64_t depth,       \
                          int64_t cols, bool more) {                                             \
        T packed[DEPTH_MAX * T##_panel];                                                         \
        for (int64_t j = 0; j < cols; j += T##_panel) {                                          \
            int64_t wide = cols - j < T##_panel ? cols - j : T##_panel, i = 0;                   \
            bool direct = rows <= BAND && wide == T##_panel && b_col == 1;                       \
            const T *from = direct ? b + j : packed;                                             \
            int64_t from_row = direct ? b_row : T##_panel;                                       \
            if (!direct) pack_##T(b + j * b_col, b_row, b_col, depth, wide, packed);             \
            for (; i + BAND <= rows; i += BAND)                                                  \
                band_##T(a + i * a_row, a_row, a_col, from, from_row, c + i * c_row + j, c_row,  \
                         depth, BAND, (size_t)wide, more);                                       \
            for (; i < rows; i++)                                                                \
                band_##T(a + i * a_row, a_row, a_col, from, from_row, c + i * c_row + j, c_row,  \
                         depth, 1, (size_t)wide, more);                                          \
        }                                                                                        \
    }                                                                                            \
    static void product_##T(const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, \
                            int64_t b_col, T *c, int64_t c_row, int64_t rows, int64_t depth,     \
                            int64_t cols) {                                                      \
        for (int64_t k = 0; k == 0 || k < depth; k += DEPTH_MAX)                                 \
            slice_##T(a + k * a_col, a_row, a_col, b + k * b_row, b_row, b_col, c, c_row, rows,  \
                      depth - k < DEPTH_MAX ? depth - k : DEPTH_MAX, cols, k > 0);               \
    }                                                                                            \
    /* Products along contiguous vectors, in 8 vectors of sums that are added pairwise. */       \
    static T dot_##T(const T *a, const T *b, size_t n) {                                         \
        enum { SUMS = 8 };                                                                       \
        T##_lanes_t sums[SUMS] = {{0}}, x, y;                                                    \
        size_t i = 0;                                                                            \
        for (; i + SUMS * T##_width <= n; i += SUMS * T##_width)                                 \
            _Pragma("GCC unroll 8") for (size_t s = 0; s < SUMS; s++) {                          \
                memcpy(&x, a + i + s * T##_width, sizeof x);                                     \
                memcpy(&y, b + i + s * T##_width, sizeof y);                                     \
                sums[s] = FUSED_##T(x, y, sums[s]);                                              \
            }                                                                                    \
        for (size_t half = SUMS / 2; half > 0; half /= 2)                                        \
            for (size_t s = 0; s < half; s++) sums[s] += sums[s + half];                         \
        T rest = 0, sum = 0;                                                                     \
        for (; i < n; i++) rest += a[i] * b[i];                                                  \
        for (size_t j = 0; j < T##_width; j++) sum += sums[0][j];                                \
        return sum + rest;                                                                       \
    }
SMALL_PRODUCT(float)
SMALL_PRODUCT(double)
