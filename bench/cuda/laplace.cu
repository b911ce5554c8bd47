// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Laplace's equation on a square of n x n: a step writes the mean of four neighbours into the other array. A thread makes
// four elements of a column, whose neighbours above and below it loads once.
//
// Floor: bytes = 16 * n * n a step.
#include "check.h"

enum { ROWS = 4 };

__global__ void step(const double *__restrict__ u, double *__restrict__ v, int n) {
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x) + 1, i = (int)(blockIdx.y * blockDim.y + threadIdx.y) * ROWS + 1;
    if (j >= n - 1) return;
    const double *at = u + (size_t)(i - 1) * n + j;
    double up = at[0], here = i < n ? at[n] : 0;
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        if (i + k >= n - 1) return;
        at += n;
        double down = at[n];
        v[(size_t)(i + k) * n + j] = 0.25 * (at[-1] + at[1] + down + up);
        up = here;
        here = down;
    }
}

static double *run(double *u, double *v, int n, int steps) {
    dim3 group(64, 4), groups((n + 61) / 64, (n - 2 + ROWS * 4 - 1) / (ROWS * 4));
    for (int k = 0; k < steps; k++) {
        step<<<groups, group>>>(u, v, n);
        double *other = u;
        u = v;
        v = other;
    }
    CHECK(cudaGetLastError());
    return u;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 16384, steps = 20;
    size_t count = (size_t)n * n;
    double *begin = (double *)malloc(count * sizeof(double));
    for (size_t k = 0; k < count; k++) begin[k] = (double)(k % 1009) / 1009.0;
    double *u = copied(begin, count), *v = copied(begin, count);
    run(u, v, n, 3);
    double time = now();
    run(u, v, n, steps);
    time = (now() - time) / steps;
    printf("%.9g\n%.17g\n", time, sum_of(u, count, 0));
    return 0;
}
