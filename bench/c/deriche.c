// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Deriche's filter. Rows go forth and back eight side by side; columns go down and up in rows of
// all columns, a strip of them at a time so that both ways are in the cache.
//
// Floor: bytes = 24 * m * n; flops = 32 * m * n; span = 16 * m * n.
#include "kernel.h"

enum { SIDE = 8, STRIP = 64 };

typedef struct {
    double a1, a2, a3, a4, b1, b2;
} Filter;

static Filter filter_of(double alpha) {
    double e = exp(-alpha), e2 = exp(-2 * alpha);
    double k = (1 - e) * (1 - e) / (1 + alpha * e - exp(2 * alpha));
    return (Filter){.a1 = k,
                    .a2 = k * e * (alpha - 1),
                    .a3 = k * e * (alpha + 1),
                    .a4 = -k * e2,
                    .b1 = pow(2, -alpha),
                    .b2 = -e2};
}

// `side` rows from x to y. Before the first element and behind the last one come zeros.
static void rows(int64_t n, int64_t side, Filter f, const double *restrict x, double *restrict y) {
    double y1[SIDE] = {0}, y2[SIDE] = {0}, x1[SIDE] = {0}, x2[SIDE] = {0};
    for (int64_t j = 0; j < n; j++)
#pragma omp simd
        for (int64_t s = 0; s < side; s++) {
            double in = x[s * n + j], t = f.a1 * in + f.a2 * x1[s] + f.b1 * y1[s] + f.b2 * y2[s];
            x1[s] = in, y2[s] = y1[s], y1[s] = t;
            y[s * n + j] = t;
        }
    memset(y1, 0, sizeof y1), memset(y2, 0, sizeof y2), memset(x1, 0, sizeof x1);
    for (int64_t j = n - 1; j >= 0; j--)
#pragma omp simd
        for (int64_t s = 0; s < side; s++) {
            double t = f.a3 * x1[s] + f.a4 * x2[s] + f.b1 * y1[s] + f.b2 * y2[s];
            x2[s] = x1[s], x1[s] = x[s * n + j], y2[s] = y1[s], y1[s] = t;
            y[s * n + j] += t;
        }
}

// Columns [lo, hi) of y, in place; `down` has room for a strip of all rows.
static void columns(int64_t m, int64_t n, int64_t lo, int64_t hi, Filter f, double y[restrict m][n],
                    double (*restrict down)[STRIP]) {
    static const double none[STRIP];
    int64_t wide = hi - lo;
    for (int64_t i = 0; i < m; i++) {
        const double *x1 = i > 0 ? y[i - 1] + lo : none;
        const double *t1 = i > 0 ? down[i - 1] : none, *t2 = i > 1 ? down[i - 2] : none;
#pragma omp simd
        for (int64_t s = 0; s < wide; s++)
            down[i][s] = f.a1 * y[i][lo + s] + f.a2 * x1[s] + f.b1 * t1[s] + f.b2 * t2[s];
    }
    double x1[STRIP] = {0}, x2[STRIP] = {0}, t1[STRIP] = {0}, t2[STRIP] = {0};
    for (int64_t i = m - 1; i >= 0; i--)
#pragma omp simd
        for (int64_t s = 0; s < wide; s++) {
            double t = f.a3 * x1[s] + f.a4 * x2[s] + f.b1 * t1[s] + f.b2 * t2[s];
            x2[s] = x1[s], x1[s] = y[i][lo + s], t2[s] = t1[s], t1[s] = t;
            y[i][lo + s] = down[i][s] + t;
        }
}

void deriche(int64_t m, int64_t n, double alpha, const double x[restrict m][n],
             double y[restrict m][n], double *restrict room) {
    Filter f = filter_of(alpha);
#pragma omp parallel if (m * n > LARGE)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < m; i += SIDE) {
            int64_t side = least(SIDE, m - i);
            if (side == SIDE)
                rows(n, SIDE, f, x[i], y[i]);
            else
                rows(n, side, f, x[i], y[i]);
        }
        double(*down)[STRIP] = (double(*)[STRIP])room + omp_get_thread_num() * m;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < n; j += STRIP) columns(m, n, j, least(n, j + STRIP), f, y, down);
    }
}
