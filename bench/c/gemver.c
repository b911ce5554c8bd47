// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A += u1 v1' + u2 v2'; x += beta y A + z; w += alpha A x. The first two in one pass over A; the
// last one needs all of x.
//
// Floor: bytes = 24 * n * n; flops = 8 * n * n; span = 8 * n * n.
#include "kernel.h"

void gemver(int64_t n, double alpha, double beta, double a[restrict n][n],
            const double u1[restrict n], const double v1[restrict n], const double u2[restrict n],
            const double v2[restrict n], double w[restrict n], double x[restrict n],
            const double y[restrict n], const double z[restrict n]) {
#pragma omp parallel if (n * n > LARGE)
    {
#pragma omp for schedule(static) reduction(+ : x[:n])
        for (int64_t i = 0; i < n; i++) {
            double c1 = u1[i], c2 = u2[i], c = beta * y[i];
#pragma omp simd
            for (int64_t j = 0; j < n; j++) {
                double t = a[i][j] + c1 * v1[j] + c2 * v2[j];
                a[i][j] = t;
                x[j] += c * t;
            }
        }
#pragma omp single
        for (int64_t j = 0; j < n; j++) x[j] += z[j];
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) w[i] += alpha * dot(n, a[i], x);
    }
}
