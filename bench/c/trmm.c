// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// B = alpha A' B in place, A lower triangular with ones on its diagonal: row i takes from the rows
// below it, which are still as they were.
//
// Floor: bytes = 8 * (m * m / 2 + 2 * m * n); flops = m * m * n; span = 8 * m * (m + n).
#include "kernel.h"

static void small(int64_t m, int64_t n, double alpha, const double a[restrict m][m],
                  double b[restrict m][n]) {
    for (int64_t i = 0; i < m; i++) {
        int64_t k = i + 1;
        for (; k + 4 <= m; k += 4) {
            double x[4] = {a[k][i], a[k + 1][i], a[k + 2][i], a[k + 3][i]};
            add_rows(n, b[k], n, x, b[i]);
        }
        for (; k < m; k++)
            for (int64_t j = 0; j < n; j++) b[i][j] += a[k][i] * b[k][j];
        for (int64_t j = 0; j < n; j++) b[i][j] *= alpha;
    }
}

void trmm(int64_t m, int64_t n, double alpha, const double a[restrict m][m],
          double b[restrict m][n]) {
    if (m * m * n < 1 << 19)
        small(m, n, alpha, a, b);
    else
        cblas_dtrmm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasUnit, m, n, alpha, a[0],
                    m, b[0], n);
}
