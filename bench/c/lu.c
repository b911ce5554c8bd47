// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU decomposition in place, without pivots, by blocks: a column of blocks and a row of them, then
// what is right below by a product of matrices. What has one block has loops only.
//
// Floor: bytes = 16 * n * n; flops = 2 * n * n * n / 3; span = 8 * n * n.
#include "kernel.h"

enum { BLOCK = 64 };

// Decomposes the square block of rows and columns [from, to).
static void diagonal(int64_t n, double a[restrict n][n], int64_t from, int64_t to) {
    for (int64_t k = from; k < to; k++) {
        double r = 1 / a[k][k];
        for (int64_t i = k + 1; i < to; i++) {
            double f = a[i][k] *= r;
#pragma omp simd
            for (int64_t j = k + 1; j < to; j++) a[i][j] -= f * a[k][j];
        }
    }
}

void lu(int64_t n, double a[restrict n][n]) {
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t to = least(n, from + BLOCK), side = to - from, rest = n - to;
        diagonal(n, a, from, to);
        if (rest == 0) return;
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rest, side,
                    1, &a[from][from], n, &a[to][from], n);
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, side, rest, 1,
                    &a[from][from], n, &a[from][to], n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rest, rest, side, -1, &a[to][from],
                    n, &a[from][to], n, 1, &a[to][to], n);
    }
}
