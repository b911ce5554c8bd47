// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrix-vector products of one type: a template, included by matvec_template.h.
// T: float or double
// NAME(f): name of a function for T
// OF(x): name of a type or constant for T

// Dot products of rows of unit stride, each in two vectors of sums.
static inline __attribute__((always_inline)) void NAME(dot_band)(
    const T *a, int64_t a_row, const T *x, int64_t depth, int rows, T *sums) {
    OF(lanes_t) parts[MATVEC_ROWS][2] = {{{0}}}, b[2], from;
    int64_t k = 0;
    for (; k + 2 * OF(width) <= depth; k += 2 * OF(width)) {
        memcpy(&b[0], x + k, sizeof b[0]);
        memcpy(&b[1], x + k + OF(width), sizeof b[1]);
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++)
            _Pragma("GCC unroll 2") for (int p = 0; p < 2; p++) {
                memcpy(&from, a + r * a_row + k + p * OF(width), sizeof from);
                parts[r][p] = NAME(FUSED)(from, b[p], parts[r][p]);
            }
    }
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; r++) {
        T rest = 0, sum = 0;
        for (int64_t j = k; j < depth; j++)
            rest = NAME(FUSED_ONE)(a[r * a_row + j], x[j], rest);
        parts[r][0] += parts[r][1];
        for (size_t j = 0; j < OF(width); j++) sum += parts[r][0][j];
        sums[r] = sum + rest;
    }
}

static void NAME(matvec_rows)(const void *matrix, int64_t a_row, const void *vector, int64_t rows, int64_t depth,
                              void *result) {
    const T *a = matrix, *x = vector;
    T *to = result;
    int64_t i = 0;
    for (; i + MATVEC_ROWS <= rows; i += MATVEC_ROWS)
        NAME(dot_band)(a + i * a_row, a_row, x, depth, MATVEC_ROWS, to + i);
    for (; i < rows; i++) NAME(dot_band)(a + i * a_row, a_row, x, depth, 1, to + i);
}

// Sums a few columns of unit stride, weighted by x.
static inline __attribute__((always_inline)) void NAME(add_cols)(
    const T *a, int64_t a_col, const T *x, int64_t rows, int cols, bool more, T *to) {
    OF(lanes_t) sum, from;
    int64_t i = 0;
    for (; i + OF(width) <= rows; i += OF(width)) {
        sum = (OF(lanes_t)){0};
        if (more) memcpy(&sum, to + i, sizeof sum);
        _Pragma("GCC unroll 8") for (int k = 0; k < cols; k++) {
            memcpy(&from, a + i + k * a_col, sizeof from);
            sum = NAME(FUSED)(from, x[k] - (OF(lanes_t)){0}, sum);
        }
        memcpy(to + i, &sum, sizeof sum);
    }
    for (; i < rows; i++) {
        T one = more ? to[i] : 0;
        for (int k = 0; k < cols; k++) one = NAME(FUSED_ONE)(a[i + k * a_col], x[k], one);
        to[i] = one;
    }
}

static void NAME(matvec_cols)(const void *matrix, int64_t a_col, const void *vector, int64_t x_step, int64_t rows,
                              int64_t depth, void *result) {
    const T *a = matrix, *x = vector;
    T *to = result, weights[MATVEC_COLS];
    int64_t k = 0;
    if (depth == 0) memset(to, 0, (size_t)rows * sizeof(T));
    for (; k + MATVEC_COLS <= depth; k += MATVEC_COLS) {
        for (int64_t j = 0; j < MATVEC_COLS; j++) weights[j] = x[(k + j) * x_step];
        NAME(add_cols)(a + k * a_col, a_col, weights, rows, MATVEC_COLS, k > 0, to);
    }
    for (; k < depth; k++)
        NAME(add_cols)(a + k * a_col, a_col, x + k * x_step, rows, 1, k > 0, to);
}

#undef T
#undef NAME
#undef OF
