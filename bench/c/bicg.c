// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// s = r A and q = A p in one pass over A.
//
// Floor: bytes = 8 * m * n; flops = 4 * m * n; span = 8 * m * n.
#include "kernel.h"

void bicg(int64_t m, int64_t n, const double a[restrict m][n], const double p[restrict n],
          const double r[restrict m], double s[restrict n], double q[restrict m]) {
    memset(s, 0, n * sizeof *s);
#pragma omp parallel for schedule(static) reduction(+ : s[:n]) if (m * n > LARGE)
    for (int64_t i = 0; i < m; i += 4) {
        if (i + 4 > m) {
            for (int64_t k = i; k < m; k++) {
                q[k] = dot(n, a[k], p);
                for (int64_t j = 0; j < n; j++) s[j] += r[k] * a[k][j];
            }
            continue;
        }
        dot_rows(n, a[i], n, p, q + i);
        add_rows(n, a[i], n, r + i, s);
    }
}
