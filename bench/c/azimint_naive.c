// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Means over rings in one pass: a product says which ring, and the bounds of that ring, computed as
// NumPy's program computes them, whether it is the one beside it. The outermost reading is in none.
//
// Floor: bytes = 16 * n; flops = 6 * n; span = 16 * n.
#include "kernel.h"

typedef struct {
    double sum;
    int64_t count;
} Ring;

void azimint_naive(int64_t n, int64_t rings, const double data[restrict n],
                   const double radius[restrict n], double means[restrict rings]) {
    double farthest = 0;
#pragma omp parallel for simd schedule(static) reduction(max : farthest) if (n > LARGE)
    for (int64_t i = 0; i < n; i++) farthest = farthest > radius[i] ? farthest : radius[i];
    double *bounds = malloc((rings + 1) * sizeof *bounds), scale = rings / farthest;
    Ring *total = calloc(rings, sizeof *total);
    if (!bounds || !total) abort();
    for (int64_t r = 0; r <= rings; r++) bounds[r] = farthest * r / rings;
#pragma omp parallel if (n > LARGE)
    {
        Ring *own = calloc(rings + 2, sizeof *own);
        if (!own) abort();
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            double x = radius[i];
            int64_t r = least((int64_t)(x * scale), rings - 1);
            r += x >= bounds[r + 1];
            r -= x < bounds[r];
            own[r].sum += data[i];
            own[r].count++;
        }
#pragma omp critical
        for (int64_t r = 0; r < rings; r++) {
            total[r].sum += own[r].sum;
            total[r].count += own[r].count;
        }
        free(own);
    }
    for (int64_t r = 0; r < rings; r++) means[r] = total[r].sum / total[r].count;
    free(bounds), free(total);
}
