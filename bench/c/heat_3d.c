// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Heat in a cube. A sweep makes a plane of B, then the plane of A before it; sweeps follow one
// another through the planes.
//
// Floor: bytes = 32 * n * n * n; flops = 30 * (steps - 1) * n * n * n; span = 16 * n * n * n.
#include "kernel.h"

static void plane(int64_t n, const double (*restrict up)[n], const double (*restrict here)[n],
                  const double (*restrict down)[n], double (*restrict to)[n]) {
    for (int64_t j = 1; j < n - 1; j++)
#pragma omp simd
        for (int64_t k = 1; k < n - 1; k++) {
            double c = here[j][k];
            to[j][k] = 0.125 * (down[j][k] - 2.0 * c + up[j][k]) +
                       0.125 * (here[j + 1][k] - 2.0 * c + here[j - 1][k]) +
                       0.125 * (here[j][k + 1] - 2.0 * c + here[j][k - 1]) + c;
        }
}

static void planes(int64_t n, int64_t i, double a[n][n][n], double b[n][n][n]) {
    if (i < n - 1) plane(n, a[i - 1], a[i], a[i + 1], b[i]);
    if (i > 1) plane(n, b[i - 2], b[i - 1], b[i], a[i - 1]);
}

void heat_3d(int64_t steps, int64_t n, double a[restrict n][n][n], double b[restrict n][n][n]) {
    Wave waves[64] = {0};
#pragma omp parallel num_threads((int)least(omp_get_max_threads(), 64)) if (n * n * n > LARGE)
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
        Wave *before = &waves[(me + threads - 1) % threads];
        for (int64_t t = me; t < steps - 1; t += threads) {
            int64_t past = t ? (t - 1) / threads * n : 0, known = t ? 0 : INT64_MAX;
            for (int64_t i = 1; i < n; i++) {
                int64_t wanted = past + least(i + 3, n);
                if (known < wanted && threads > 1) known = wave_wait(before, wanted);
                planes(n, i, a, b);
                wave_tell(&waves[me], t / threads * n + i + 1);
            }
        }
    }
}
