// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// C = alpha A B + beta C, by the library.
//
// Floor: bytes = 8 * (m * k + k * n + 2 * m * n); flops = 2 * m * n * k; span = 8 * m * n.
#include "kernel.h"

void gemm(int64_t m, int64_t n, int64_t k, double alpha, double beta, double c[restrict m][n],
          const double a[restrict m][k], const double b[restrict k][n]) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, a[0], k, b[0], n, beta,
                c[0], n);
}
