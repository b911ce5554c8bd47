// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Innermost steps of Householder reductions (tridiagonal.c). Compiled with the loops, once per
// instruction set.
// Rows and vectors are zero-padded to a multiple of STEP elements, so no step has a remainder.

enum { REFLECT_BAND = 4 };

static inline double sum_lanes(double_lanes_t v) {
    double sum = 0;
    for (size_t i = 0; i < double_width; i++) sum += v[i];
    return sum;
}

// `count` is a constant at each inlining.
static inline __attribute__((always_inline)) void rank_two_band(
    double *a, int64_t row, int64_t cols, const double *v, const double *w, const double *v_rows,
    const double *w_rows, const double *next, double *product, int count) {
    double_lanes_t sums[REFLECT_BAND] = {{0}}, across[3], x;
    for (int64_t c = 0; c < cols; c += double_width) {
        memcpy(&across[0], v + c, sizeof x);
        memcpy(&across[1], w + c, sizeof x);
        memcpy(&across[2], next + c, sizeof x);
        _Pragma("GCC unroll 4") for (int r = 0; r < count; r++) {
            memcpy(&x, a + r * row + c, sizeof x);
            x = LESS_double(v_rows[r] - (double_lanes_t){0}, across[1], x);
            x = LESS_double(w_rows[r] - (double_lanes_t){0}, across[0], x);
            memcpy(a + r * row + c, &x, sizeof x);
            sums[r] = FUSED_double(x, across[2], sums[r]);
        }
    }
    _Pragma("GCC unroll 4") for (int r = 0; r < count; r++) product[r] = sum_lanes(sums[r]);
}

// A -= v w^T + w v^T, then product = A next, in one pass. v_rows and w_rows are the parts of v and
// w for these rows.
static void rank_two(double *a, int64_t row, int64_t rows, int64_t cols, const double *v, const double *w,
                     const double *v_rows, const double *w_rows, const double *next, double *product) {
    int64_t i = 0;
    for (; i + REFLECT_BAND <= rows; i += REFLECT_BAND)
        rank_two_band(a + i * row, row, cols, v, w, v_rows + i, w_rows + i, next, product + i,
                      REFLECT_BAND);
    for (; i < rows; i++)
        rank_two_band(a + i * row, row, cols, v, w, v_rows + i, w_rows + i, next, product + i, 1);
}

static inline __attribute__((always_inline)) void reflect_band(
    double *z, int64_t row, int64_t cols, const double *v, double tau, int count) {
    double_lanes_t sums[REFLECT_BAND] = {{0}}, across, x;
    for (int64_t c = 0; c < cols; c += double_width) {
        memcpy(&across, v + c, sizeof x);
        _Pragma("GCC unroll 4") for (int r = 0; r < count; r++) {
            memcpy(&x, z + r * row + c, sizeof x);
            sums[r] = FUSED_double(x, across, sums[r]);
        }
    }
    double factors[REFLECT_BAND];
    _Pragma("GCC unroll 4") for (int r = 0; r < count; r++) factors[r] = tau * sum_lanes(sums[r]);
    for (int64_t c = 0; c < cols; c += double_width) {
        memcpy(&across, v + c, sizeof x);
        _Pragma("GCC unroll 4") for (int r = 0; r < count; r++) {
            memcpy(&x, z + r * row + c, sizeof x);
            x = LESS_double(factors[r] - (double_lanes_t){0}, across, x);
            memcpy(z + r * row + c, &x, sizeof x);
        }
    }
}

// Rows z -= tau (z . v) v.
static void reflect(double *z, int64_t row, int64_t rows, int64_t cols, const double *v, double tau) {
    int64_t i = 0;
    for (; i + REFLECT_BAND <= rows; i += REFLECT_BAND)
        reflect_band(z + i * row, row, cols, v, tau, REFLECT_BAND);
    for (; i < rows; i++) reflect_band(z + i * row, row, cols, v, tau, 1);
}
