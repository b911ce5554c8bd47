// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Prints what the machine can do with all threads: a line `triad BYTES BYTES_PER_SECOND` for arrays
// that together take so many bytes, and one `peak 0 FLOPS`, multiplications and additions of
// doubles.
#include "kernel.h"

#include <stdio.h>

static double now(void) {
    return omp_get_wtime();
}

// Seconds of the fastest of some goes.
static double triad(int64_t n, double *restrict a, const double *restrict b,
                    const double *restrict c) {
    double best = 1e9;
    int64_t inner = most(1, (1 << 16) / n);
    for (int go = 0; go < 40; go++) {
        double start = now();
#pragma omp parallel
        for (int64_t k = 0; k < inner; k++) {
#pragma omp for simd schedule(static) nowait
            for (int64_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
            __asm__ volatile("" ::: "memory");
        }
        best = fmin(best, (now() - start) / inner);
    }
    return best;
}

// Two chains less than what hides the latency of an addition would already show.
static double peak(void) {
    enum { CHAINS = 12, ROUNDS = 1 << 16 };
    double best = 1e9, flops = 2.0 * 4 * CHAINS * ROUNDS * omp_get_max_threads();
    for (int go = 0; go < 200; go++) {
        double start = now();
#pragma omp parallel
        {
            __m256d sum[CHAINS];
            for (int k = 0; k < CHAINS; k++) sum[k] = _mm256_set1_pd(k + 1);
            for (int i = 0; i < ROUNDS; i++) {
#pragma GCC unroll 12
                for (int k = 0; k < CHAINS; k++)
                    sum[k] = _mm256_fmadd_pd(sum[k], _mm256_set1_pd(0.5), _mm256_set1_pd(1.0));
            }
            for (int k = 0; k < CHAINS; k++) __asm__ volatile("" ::"x"(sum[k]));
        }
        best = fmin(best, now() - start);
    }
    return flops / best;
}

int main(void) {
    for (int64_t bytes = 1 << 15; bytes <= (int64_t)1 << 29; bytes *= 2) {
        int64_t n = bytes / 24, size = (n * 8 + 63) / 64 * 64;
        double *a = aligned_alloc(64, size), *b = aligned_alloc(64, size),
               *c = aligned_alloc(64, size);
        if (!a || !b || !c) return 1;
        for (int64_t i = 0; i < n; i++) a[i] = 0, b[i] = 1, c[i] = 2;
        printf("triad %lld %.4g\n", (long long)bytes, 24.0 * n / triad(n, a, b, c));
        free(a), free(b), free(c);
    }
    printf("peak 0 %.4g\n", peak());
    return 0;
}
