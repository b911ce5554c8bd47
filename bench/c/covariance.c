// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Covariance of columns: means, the table without them, its product with itself, and the half that
// is missing.
//
// Floor: bytes = 16 * m * n + 8 * m * m; flops = n * m * m; span = 8 * m * n.
#include "kernel.h"

static void center(int64_t n, int64_t m, double data[restrict n][m], double *restrict mean) {
    memset(mean, 0, m * sizeof *mean);
#pragma omp parallel if (n * m > LARGE)
    {
#pragma omp for schedule(static) reduction(+ : mean[:m])
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) mean[j] += data[i][j];
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) data[i][j] -= mean[j] / n;
    }
}

void covariance(int64_t n, int64_t m, double data[restrict n][m], double cov[restrict m][m],
                double mean[restrict m]) {
    center(n, m, data, mean);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, m, n, 1.0 / (n - 1), data[0], m, 0, cov[0],
                m);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++) cov[i][j] = cov[j][i];
}
