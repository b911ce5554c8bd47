// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// C = alpha A A' + beta C, the lower triangle. Small ones by products of rows.
//
// Floor: bytes = 8 * (n * k + n * n); flops = n * n * k; span = 8 * n * (k + n / 2).
#include "kernel.h"

static void small(int64_t n, int64_t k, double alpha, double beta, double c[restrict n][n],
                  const double a[restrict n][k]) {
    for (int64_t i = 0; i < n; i++) {
        int64_t j = 0;
        for (; j + 4 <= i + 1; j += 4) {
            double t[4];
            dot_rows(k, a[j], k, a[i], t);
            for (int s = 0; s < 4; s++) c[i][j + s] = beta * c[i][j + s] + alpha * t[s];
        }
        for (; j <= i; j++) c[i][j] = beta * c[i][j] + alpha * dot(k, a[i], a[j]);
    }
}

void syrk(int64_t n, int64_t k, double alpha, double beta, double c[restrict n][n],
          const double a[restrict n][k]) {
    if (n * n * k < 1 << 19)
        small(n, k, alpha, beta, c, a);
    else
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, k, alpha, a[0], k, beta, c[0], n);
}
