// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Powers of e along rows that add up to one: a row stays in the cache from its maximum to the
// division. In float; the power is the vector function of the C library.
//
// Floor: bytes = 8 * rows * n; flops = 6 * rows * n; span = 8 * rows * n.
#include "kernel.h"
#include "vectors.h"

static void row(int64_t n, const float *restrict x, float *restrict y) {
    float largest = x[0], sum = 0;
#pragma omp simd reduction(max : largest)
    for (int64_t j = 0; j < n; j++) largest = largest > x[j] ? largest : x[j];
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < n; j++) {
        y[j] = expf(x[j] - largest);
        sum += y[j];
    }
    float scale = 1 / sum;
#pragma omp simd
    for (int64_t j = 0; j < n; j++) y[j] *= scale;
}

void softmax(int64_t rows, int64_t n, const float x[restrict rows][n], float y[restrict rows][n]) {
#pragma omp parallel for schedule(static) if (rows * n > LARGE)
    for (int64_t i = 0; i < rows; i++) row(n, x[i], y[i]);
}
