// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// L x = b by blocks of rows: products with what is known of x, in threads, then the block's own
// triangle.
//
// Floor: bytes = 4 * n * n; flops = n * n; span = 4 * n * n.
#include "kernel.h"

enum { BLOCK = 64 };

void trisolv(int64_t n, const double l[restrict n][n], double x[restrict n],
             const double b[restrict n]) {
#pragma omp parallel if (n * n > LARGE)
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t to = least(n, from + BLOCK);
#pragma omp for schedule(static)
        for (int64_t i = from; i < to; i++) x[i] = b[i] - dot(from, l[i], x);
#pragma omp single
        for (int64_t i = from; i < to; i++)
            x[i] = (x[i] - dot(i - from, l[i] + from, x + from)) / l[i][i];
    }
}
