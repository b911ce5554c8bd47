// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Horizontal diffusion, in one pass: Laplacians are made anew for each of their uses, which are all
// in the cache.
//
// Floor: bytes = 32 * ni * nj * nk; flops = 20 * ni * nj * nk; span = 24 * ni * nj * nk.
#include "kernel.h"

#define LAP(f, up, down, left, right) \
    (4.0 * (f)[k] - ((down)[k] + (up)[k] + (right)[k] + (left)[k]))
#define FLUX(difference, step) ((difference) * (step) > 0 ? 0.0 : (difference))

// A line along k. `in` is at the point's own line; the distances of its neighbours follow.
static void line(int64_t nk, int64_t di, int64_t dj, const double *restrict in,
                 const double *restrict coeff, double *restrict out) {
    const double *u = in - di, *d = in + di, *l = in - dj, *r = in + dj;
#pragma omp simd
    for (int64_t k = 0; k < nk; k++) {
        double here = LAP(in, u, d, l, r), up = LAP(u, u - di, in, u - dj, u + dj),
               down = LAP(d, in, d + di, d - dj, d + dj), left = LAP(l, l - di, l + di, l - dj, in),
               right = LAP(r, r - di, r + di, in, r + dj);
        double x1 = FLUX(down - here, d[k] - in[k]), x0 = FLUX(here - up, in[k] - u[k]);
        double y1 = FLUX(right - here, r[k] - in[k]), y0 = FLUX(here - left, in[k] - l[k]);
        out[k] = in[k] - coeff[k] * (x1 - x0 + y1 - y0);
    }
}

void hdiff(int64_t ni, int64_t nj, int64_t nk, const double in[restrict ni + 4][nj + 4][nk],
           double out[restrict ni][nj][nk], const double coeff[restrict ni][nj][nk]) {
#pragma omp parallel for schedule(static) if (ni * nj * nk > LARGE)
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j++)
            line(nk, (nj + 4) * nk, nk, in[i + 2][j + 2], coeff[i][j], out[i][j]);
}
