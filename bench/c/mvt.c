// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// x1 += A y1 and x2 += y2 A in one pass over A.
//
// Floor: bytes = 8 * n * n; flops = 4 * n * n; span = 8 * n * n.
#include "kernel.h"

void mvt(int64_t n, double x1[restrict n], double x2[restrict n], const double y1[restrict n],
         const double y2[restrict n], const double a[restrict n][n]) {
#pragma omp parallel for schedule(static) reduction(+ : x2[:n]) if (n * n > LARGE)
    for (int64_t i = 0; i < n; i += 4) {
        if (i + 4 > n) {
            for (int64_t k = i; k < n; k++) {
                x1[k] += dot(n, a[k], y1);
                for (int64_t j = 0; j < n; j++) x2[j] += y2[k] * a[k][j];
            }
            continue;
        }
        double t[4];
        dot_rows(n, a[i], n, y1, t);
        for (int k = 0; k < 4; k++) x1[i + k] += t[k];
        add_rows(n, a[i], n, y2 + i, x2);
    }
}
