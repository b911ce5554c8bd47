// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Maxwell's equations in the plane. A sweep takes the three fields through a step row by row: hz
// follows a row behind, as it needs the row of ey below; sweeps follow one another.
//
// Floor: bytes = 48 * m * n; flops = 11 * steps * m * n; span = 24 * m * n.
#include "kernel.h"

static void row_ex(int64_t n, double *restrict ex, const double *restrict hz) {
#pragma omp simd
    for (int64_t j = 1; j < n; j++) ex[j] -= 0.5 * (hz[j] - hz[j - 1]);
}

static void row_ey(int64_t n, double *restrict ey, const double *restrict hz,
                   const double *restrict above) {
#pragma omp simd
    for (int64_t j = 0; j < n; j++) ey[j] -= 0.5 * (hz[j] - above[j]);
}

static void row_hz(int64_t n, double *restrict hz, const double *restrict ex,
                   const double *restrict ey, const double *restrict below) {
#pragma omp simd
    for (int64_t j = 0; j < n - 1; j++) hz[j] -= 0.7 * (ex[j + 1] - ex[j] + below[j] - ey[j]);
}

static void row(int64_t n, int64_t i, double edge, double ex[][n], double ey[][n], double hz[][n]) {
    if (i == 0)
        for (int64_t j = 0; j < n; j++) ey[0][j] = edge;
    else
        row_ey(n, ey[i], hz[i], hz[i - 1]);
    row_ex(n, ex[i], hz[i]);
    if (i > 0) row_hz(n, hz[i - 1], ex[i - 1], ey[i - 1], ey[i]);
}

void fdtd_2d(int64_t steps, int64_t m, int64_t n, double ex[restrict m][n],
             double ey[restrict m][n], double hz[restrict m][n],
             const double edge[restrict steps]) {
    Wave waves[64] = {0};
#pragma omp parallel num_threads((int)least(omp_get_max_threads(), 64)) if (m * n > LARGE)
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
        Wave *before = &waves[(me + threads - 1) % threads];
        for (int64_t t = me; t < steps; t += threads) {
            int64_t past = t ? (t - 1) / threads * m : 0, known = t ? 0 : INT64_MAX;
            for (int64_t i = 0; i < m; i++) {
                int64_t wanted = past + least(i + 3, m);
                if (known < wanted && threads > 1) known = wave_wait(before, wanted);
                row(n, i, edge[t], ex, ey, hz);
                if (i % 4 == 0 || i + 1 == m) wave_tell(&waves[me], t / threads * m + i + 1);
            }
        }
    }
}
