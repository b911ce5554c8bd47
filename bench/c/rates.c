// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Prints what the machine can do with all threads: a line `triad BYTES BYTES_PER_SECOND` for arrays
// that together take so many bytes, and one `peak 0 FLOPS`, multiplications and additions of
// doubles.
#include "kernel.h"

#include <stdio.h>

// Bytes a second of the best of some goes, in each of which all threads do their share over and
// over again, for long enough that the start of a thread does not count.
static double triad(int64_t n, double *restrict a, const double *restrict b,
                    const double *restrict c) {
    double best = 0;
    int64_t inner = most(1, (1 << 22) / n);
    for (int go = 0; go < 20; go++) {
        double longest = 0;
#pragma omp parallel reduction(max : longest)
        {
            int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
            int64_t from = n * me / threads, to = n * (me + 1) / threads;
#pragma omp barrier
            double start = omp_get_wtime();
            for (int64_t k = 0; k < inner; k++) {
#pragma omp simd
                for (int64_t i = from; i < to; i++) a[i] = b[i] + 3.0 * c[i];
                __asm__ volatile("" ::: "memory");
            }
            longest = omp_get_wtime() - start;
        }
        best = fmax(best, 24.0 * n * inner / longest);
    }
    return best;
}

// Twelve chains: one more than what hides the latency of an addition.
static double peak(void) {
    enum { CHAINS = 12, ROUNDS = 1 << 18 };
    double best = 0;
    for (int go = 0; go < 40; go++) {
        double longest = 0, flops = 2.0 * 4 * CHAINS * ROUNDS;
#pragma omp parallel reduction(max : longest)
        {
            __m256d sum[CHAINS];
            for (int k = 0; k < CHAINS; k++) sum[k] = _mm256_set1_pd(k + 1);
#pragma omp barrier
            double start = omp_get_wtime();
            for (int i = 0; i < ROUNDS; i++) {
#pragma GCC unroll 12
                for (int k = 0; k < CHAINS; k++)
                    sum[k] = _mm256_fmadd_pd(sum[k], _mm256_set1_pd(0.5), _mm256_set1_pd(1.0));
            }
            for (int k = 0; k < CHAINS; k++) __asm__ volatile("" ::"x"(sum[k]));
            longest = omp_get_wtime() - start;
        }
        best = fmax(best, flops * omp_get_max_threads() / longest);
    }
    return best;
}

int main(void) {
    for (int64_t bytes = 1 << 15; bytes <= (int64_t)1 << 29; bytes *= 2) {
        int64_t n = bytes / 24, size = (n * 8 + 63) / 64 * 64;
        double *a = aligned_alloc(64, size), *b = aligned_alloc(64, size),
               *c = aligned_alloc(64, size);
        if (!a || !b || !c) return 1;
        for (int64_t i = 0; i < n; i++) a[i] = 0, b[i] = 1, c[i] = 2;
        printf("triad %lld %.4g\n", (long long)bytes, triad(n, a, b, c));
        free(a), free(b), free(c);
    }
    printf("peak 0 %.4g\n", peak());
    return 0;
}
