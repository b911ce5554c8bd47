// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Gram and Schmidt's decomposition, row by row of what is left of A: the products with a new column
// of Q are sums of rows, and so is what they take away.
//
// Floor: bytes = 16 * m * n; flops = 2 * m * n * n; span = 8 * m * n.
#include "kernel.h"

void gramschmidt(int64_t m, int64_t n, double a[restrict m][n], double q[restrict m][n],
                 double r[restrict n][n]) {
    memset(r, 0, n * n * sizeof r[0][0]);
    for (int64_t k = 0; k < n; k++) {
        double norm = 0, *restrict row = r[k];
        for (int64_t i = 0; i < m; i++) norm += a[i][k] * a[i][k];
        row[k] = sqrt(norm);
        double inverse = 1 / row[k];
        for (int64_t i = 0; i < m; i++) {
            double x = q[i][k] = a[i][k] * inverse;
#pragma omp simd
            for (int64_t j = k + 1; j < n; j++) row[j] += x * a[i][j];
        }
        for (int64_t i = 0; i < m; i++) {
            double x = q[i][k];
#pragma omp simd
            for (int64_t j = k + 1; j < n; j++) a[i][j] -= x * row[j];
        }
    }
}
