// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// C = alpha (A B' + B A') + beta C, the lower triangle. Small ones by products of rows.
//
// Floor: bytes = 8 * (2 * n * k + n * n); flops = 2 * n * n * k; span = 8 * n * (2 * k + n / 2).
#include "kernel.h"

static void small(int64_t n, int64_t k, double alpha, double beta, double c[restrict n][n],
                  const double a[restrict n][k], const double b[restrict n][k]) {
    for (int64_t i = 0; i < n; i++) {
        int64_t j = 0;
        for (; j + 4 <= i + 1; j += 4) {
            double s[4], t[4];
            dot_rows(k, a[j], k, b[i], s);
            dot_rows(k, b[j], k, a[i], t);
            for (int x = 0; x < 4; x++) c[i][j + x] = beta * c[i][j + x] + alpha * (s[x] + t[x]);
        }
        for (; j <= i; j++)
            c[i][j] = beta * c[i][j] + alpha * (dot(k, a[i], b[j]) + dot(k, b[i], a[j]));
    }
}

void syr2k(int64_t n, int64_t k, double alpha, double beta, double c[restrict n][n],
           const double a[restrict n][k], const double b[restrict n][k]) {
    if (n * n * k < 1 << 19)
        small(n, k, alpha, beta, c, a, b);
    else
        cblas_dsyr2k(CblasRowMajor, CblasLower, CblasNoTrans, n, k, alpha, a[0], k, b[0], k, beta,
                     c[0], n);
}
