// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// y = (A x) A in one pass over A: four rows, still in the cache, give their part to y as soon as
// their products are known.
//
// Floor: bytes = 8 * m * n; flops = 4 * m * n; span = 8 * m * n.
#include "kernel.h"

void atax(int64_t m, int64_t n, const double a[restrict m][n], const double x[restrict n],
          double y[restrict n]) {
    memset(y, 0, n * sizeof *y);
#pragma omp parallel for schedule(static) reduction(+ : y[:n]) if (m * n > LARGE)
    for (int64_t i = 0; i < m; i += 4) {
        if (i + 4 > m) {
            for (int64_t k = i; k < m; k++) {
                double t = dot(n, a[k], x);
                for (int64_t j = 0; j < n; j++) y[j] += t * a[k][j];
            }
            continue;
        }
        double t[4];
        dot_rows(n, a[i], n, x, t);
        add_rows(n, a[i], n, t, y);
    }
}
