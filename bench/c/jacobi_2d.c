// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Jacobi's iteration in the plane. A sweep makes a row of B, then the row of A above it, so that
// both halves of a step are one pass; sweeps follow one another through the rows.
//
// Floor: bytes = 32 * n * n; flops = 10 * (steps - 1) * n * n; span = 16 * n * n.
#include "kernel.h"

static void row(int64_t n, const double *restrict up, const double *restrict here,
                const double *restrict down, double *restrict to) {
#pragma omp simd
    for (int64_t j = 1; j < n - 1; j++)
        to[j] = 0.2 * (here[j] + here[j - 1] + here[j + 1] + down[j] + up[j]);
}

// Row i of B, and the row of A that has all it needs by then.
static void rows(int64_t n, int64_t i, double a[n][n], double b[n][n]) {
    if (i < n - 1) row(n, a[i - 1], a[i], a[i + 1], b[i]);
    if (i > 1) row(n, b[i - 2], b[i - 1], b[i], a[i - 1]);
}

void jacobi_2d(int64_t steps, int64_t n, double a[restrict n][n], double b[restrict n][n]) {
    Wave waves[64] = {0};
#pragma omp parallel num_threads((int)least(omp_get_max_threads(), 64)) if (n * n > LARGE)
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num(), told = 0;
        Wave *before = &waves[(me + threads - 1) % threads];
        for (int64_t t = me; t < steps - 1; t += threads) {
            // The sweep before this one is the (t - 1) / threads-th of its thread.
            int64_t past = t ? (t - 1) / threads * n : 0, known = t ? 0 : INT64_MAX;
            for (int64_t i = 1; i < n; i++) {
                int64_t wanted = past + least(i + 3, n);
                if (known < wanted && threads > 1) known = wave_wait(before, wanted);
                rows(n, i, a, b);
                told = t / threads * n + i + 1;
                if (i % 4 == 0 || i + 1 == n) wave_tell(&waves[me], told);
            }
        }
    }
}
