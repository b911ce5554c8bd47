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

#define MATVEC(T)                                                                                \
    /* Dot products of rows of unit stride, each in two vectors of sums. */                      \
    static inline __attribute__((always_inline)) void dot_band_##T(                              \
        const T *a, int64_t a_row, const T *x, int64_t depth, int rows, T *sums) {               \
        T##_lanes_t parts[MATVEC_ROWS][2] = {{{0}}}, b[2], from;                                 \
        int64_t k = 0;                                                                           \
        for (; k + 2 * T##_width <= depth; k += 2 * T##_width) {                                 \
            memcpy(&b[0], x + k, sizeof b[0]);                                                   \
            memcpy(&b[1], x + k + T##_width, sizeof b[1]);                                       \
            _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++)                               \
                _Pragma("GCC unroll 2") for (int p = 0; p < 2; p++) {                            \
                    memcpy(&from, a + r * a_row + k + p * T##_width, sizeof from);               \
                    parts[r][p] = FUSED_##T(from, b[p], parts[r][p]);                            \
                }                                                                                \
        }                                                                                        \
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++) {                                 \
            T rest = 0, sum = 0;                                                                 \
            for (int64_t j = k; j < depth; j++)                                                  \
                rest = FUSED_ONE_##T(a[r * a_row + j], x[j], rest);                              \
            parts[r][0] += parts[r][1];                                                          \
            for (size_t j = 0; j < T##_width; j++) sum += parts[r][0][j];                        \
            sums[r] = sum + rest;                                                                \
        }                                                                                        \
    }                                                                                            \
    static void matvec_rows_##T(const void *matrix, int64_t a_row, const void *vector,           \
                                int64_t rows, int64_t depth, void *result) {                     \
        const T *a = matrix, *x = vector;                                                        \
        T *to = result;                                                                          \
        int64_t i = 0;                                                                           \
        for (; i + MATVEC_ROWS <= rows; i += MATVEC_ROWS)                                        \
            dot_band_##T(a + i * a_row, a_row, x, depth, MATVEC_ROWS, to + i);                   \
        for (; i < rows; i++) dot_band_##T(a + i * a_row, a_row, x, depth, 1, to + i);           \
    }                                                                                            \
    /* Sums a few columns of unit stride, weighted by x. */                                      \
    static inline __attribute__((always_inline)) void add_cols_##T(                              \
        const T *a, int64_t a_col, const T *x, int64_t rows, int cols, bool more, T *to) {       \
        T##_lanes_t sum, from;                                                                   \
        int64_t i = 0;                                                                           \
        for (; i + T##_width <= rows; i += T##_width) {                                          \
            sum = (T##_lanes_t){0};                                                              \
            if (more) memcpy(&sum, to + i, sizeof sum);                                          \
            _Pragma("GCC unroll 8") for (int k = 0; k < cols; k++) {                             \
                memcpy(&from, a + i + k * a_col, sizeof from);                                   \
                sum = FUSED_##T(from, x[k] - (T##_lanes_t){0}, sum);                             \
            }                                                                                    \
            memcpy(to + i, &sum, sizeof sum);                                                    \
        }                                                                                        \
        for (; i < rows; i++) {                                                                  \
            T one = more ? to[i] : 0;                                                            \
            for (int k = 0; k < cols; k++) one = FUSED_ONE_##T(a[i + k * a_col], x[k], one);     \
            to[i] = one;                                                                         \
        }                                                                                        \
    }                                                                                            \
    static void matvec_cols_##T(const void *matrix, int64_t a_col, const void *vector,           \
                                int64_t x_step, int64_t rows, int64_t depth, void *result) {     \
        const T *a = matrix, *x = vector;                                                        \
        T *to = result, weights[MATVEC_COLS];                                                    \
        int64_t k = 0;                                                                           \
        if (depth == 0) memset(to, 0, (size_t)rows * sizeof(T));                                 \
        for (; k + MATVEC_COLS <= depth; k += MATVEC_COLS) {                                     \
            for (int64_t j = 0; j < MATVEC_COLS; j++) weights[j] = x[(k + j) * x_step];          \
            add_cols_##T(a + k * a_col, a_col, weights, rows, MATVEC_COLS, k > 0, to);           \
        }                                                                                        \
        for (; k < depth; k++)                                                                   \
            add_cols_##T(a + k * a_col, a_col, x + k * x_step, rows, 1, k > 0, to);              \
    }
MATVEC(float)
MATVEC(double)
