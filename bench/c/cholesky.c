// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cholesky's decomposition of the lower triangle in place, by blocks of columns; a small one is one
// block.
//
// Floor: bytes = 8 * n * n; flops = n * n * n / 3; span = 4 * n * n.
#include "kernel.h"

enum { BLOCK = 64, SMALL = 128 };

// Rows of the lower triangle by products of rows.
static void diagonal(int64_t n, double a[restrict n][n], int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        for (int64_t j = from; j < i; j++)
            a[i][j] = (a[i][j] - dot(j - from, a[i] + from, a[j] + from)) / a[j][j];
        a[i][i] = sqrt(a[i][i] - dot(i - from, a[i] + from, a[i] + from));
    }
}

void cholesky(int64_t n, double a[restrict n][n]) {
    int64_t block = n <= SMALL ? n : BLOCK;
    for (int64_t from = 0; from < n; from += block) {
        int64_t to = least(n, from + block), side = to - from, rest = n - to;
        diagonal(n, a, from, to);
        if (rest == 0) return;
        cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, rest, side, 1,
                    &a[from][from], n, &a[to][from], n);
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rest, side, -1, &a[to][from], n, 1,
                    &a[to][to], n);
    }
}
