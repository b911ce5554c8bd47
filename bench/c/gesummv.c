// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// y = alpha A x + beta B x, rows of both side by side.
//
// Floor: bytes = 16 * n * n; flops = 4 * n * n; span = 16 * n * n.
#include "kernel.h"

void gesummv(int64_t n, double alpha, double beta, const double a[restrict n][n],
             const double b[restrict n][n], const double x[restrict n], double y[restrict n]) {
#pragma omp parallel for schedule(static) if (n * n > LARGE)
    for (int64_t i = 0; i < n; i++) y[i] = alpha * dot(n, a[i], x) + beta * dot(n, b[i], x);
}
