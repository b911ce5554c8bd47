// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gauss and Seidel's iteration, nine points. In a row each element takes a ninth of the one before
// it: four at a time, by sums of two and of four with the powers of a ninth, and what comes in from
// the left. Sweeps follow one another.
//
// Floor: bytes = 16 * n * n; flops = 9 * (steps - 1) * n * n; span = 8 * n * n.
#include "kernel.h"

typedef double V4 __attribute__((vector_size(32)));
typedef int64_t I4 __attribute__((vector_size(32)));

#define NINTH (1.0 / 9.0)

static void row(int64_t n, const double *restrict up, double *restrict here,
                const double *restrict down) {
    const V4 none = {0},
             powers = {NINTH, NINTH * NINTH, NINTH * NINTH * NINTH, NINTH * NINTH * NINTH * NINTH};
    double left = here[0];
    int64_t j = 1;
    for (; j + 4 < n; j += 4) {
        V4 s;
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++)
            s[k] = here[j + k] + up[j + k - 1] + up[j + k] + up[j + k + 1] + here[j + k + 1] +
                   down[j + k - 1] + down[j + k] + down[j + k + 1];
        s *= NINTH;
        s += __builtin_shuffle(none, s, (I4){0, 4, 5, 6}) * NINTH;
        s += __builtin_shuffle(none, s, (I4){0, 0, 4, 5}) * (NINTH * NINTH);
        s += powers * left;
        left = s[3];
        memcpy(here + j, &s, sizeof s);
    }
    for (; j < n - 1; j++) {
        left = (here[j] + up[j - 1] + up[j] + up[j + 1] + here[j + 1] + down[j - 1] + down[j] +
                down[j + 1] + left) *
               NINTH;
        here[j] = left;
    }
}

void seidel_2d(int64_t steps, int64_t n, double a[restrict n][n]) {
    Wave waves[64] = {0};
#pragma omp parallel num_threads((int)least(omp_get_max_threads(), 64)) if (n * n > LARGE)
    {
        int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
        Wave *before = &waves[(me + threads - 1) % threads];
        for (int64_t t = me; t < steps - 1; t += threads) {
            int64_t past = t ? (t - 1) / threads * n : 0, known = t ? 0 : INT64_MAX;
            for (int64_t i = 1; i < n - 1; i++) {
                int64_t wanted = past + least(i + 2, n - 1);
                if (known < wanted && threads > 1) known = wave_wait(before, wanted);
                row(n, a[i - 1], a[i], a[i + 1]);
                wave_tell(&waves[me], t / threads * n + i + 1);
            }
        }
    }
}
