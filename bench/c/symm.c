// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// C = alpha A B + beta C with the lower triangle of a symmetric A. Small ones in loops over rows,
// as the library packs and wakes threads first.
//
// Floor: bytes = 8 * (m * m / 2 + 3 * m * n); flops = 2 * m * m * n; span = 8 * m * (m + 2 * n).
#include "kernel.h"

static void small(int64_t m, int64_t n, double alpha, double beta, double c[restrict m][n],
                  const double a[restrict m][m], const double b[restrict m][n]) {
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) c[i][j] *= beta;
        for (int64_t k = 0; k < m; k++) {
            double x = alpha * (k <= i ? a[i][k] : a[k][i]);
#pragma omp simd
            for (int64_t j = 0; j < n; j++) c[i][j] += x * b[k][j];
        }
    }
}

void symm(int64_t m, int64_t n, double alpha, double beta, double c[restrict m][n],
          const double a[restrict m][m], const double b[restrict m][n]) {
    if (m * m * n < 1 << 19)
        small(m, n, alpha, beta, c, a, b);
    else
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, m, n, alpha, a[0], m, b[0], n, beta, c[0],
                    n);
}
