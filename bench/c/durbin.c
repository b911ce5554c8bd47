// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Durbin's recursion. r is turned around once, so that the products are of vectors that go the same
// way; the product that the next step begins with is summed while y is written.
//
// Floor: bytes = 8 * n * n; flops = 2 * n * n; span = 24 * n.
#include "kernel.h"

void durbin(int64_t n, const double r[restrict n], double out[restrict n], double room[restrict n],
            double turned[restrict n]) {
    for (int64_t i = 0; i < n; i++) turned[i] = r[n - 1 - i];
    double alpha = -r[0], beta = 1, sum = 0;
    double *y = out, *next = room;
    y[0] = alpha;
    if (n > 1) sum = r[0] * y[0];
    for (int64_t k = 1; k < n; k++) {
        beta *= 1 - alpha * alpha;
        alpha = -(r[k] + sum) / beta;
        sum = 0;
        // Of r[k], r[k - 1] … r[0] without the last one, which meets the new element.
        const double *before = turned + (n - 1 - k);
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < k; i++) {
            double t = y[i] + alpha * y[k - 1 - i];
            next[i] = t;
            sum += before[i] * t;
        }
        next[k] = alpha;
        sum += r[0] * alpha;
        double *old = y;
        y = next, next = old;
    }
    if (y != out) memcpy(out, y, n * sizeof *y);
}
