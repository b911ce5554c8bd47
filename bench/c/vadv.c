// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Vertical advection: a tridiagonal system along k for each (i, j), eight of them side by side;
// what one leaves for its way back stays in the first cache.
//
// Floor: bytes = 48 * ni * nj * nk; flops = 32 * ni * nj * nk; span = 40 * ni * nj * nk.
#include "kernel.h"

enum { SIDE = 8, DEEPEST = 1024 };

// What the eight share: lines along k, `next` those of wcon one i further.
typedef struct {
    int64_t nk;
    double dt;
    const double *wcon, *next, *u, *pos, *utens;
    double *stage;
} Lines;

static void down(const Lines *l, int64_t side, double (*c)[SIDE], double (*d)[SIDE]) {
    int64_t nk = l->nk;
    for (int64_t k = 0; k < nk; k++)
#pragma omp simd
        for (int64_t s = 0; s < side; s++) {
            int64_t at = s * nk + k;
            double ga = k > 0 ? -0.25 * (l->next[at] + l->wcon[at]) : 0;
            double gc = k < nk - 1 ? 0.25 * (l->next[at + 1] + l->wcon[at + 1]) : 0;
            double to_up = k > 0 ? l->u[at - 1] - l->u[at] : 0;
            double to_down = k < nk - 1 ? l->u[at + 1] - l->u[at] : 0;
            double above = ga * 0.5, below = gc * 0.5, middle = l->dt - above - below;
            double right =
                l->dt * l->pos[at] + l->utens[at] + l->stage[at] - above * to_up - below * to_down;
            double c_up = k > 0 ? c[k - 1][s] : 0, d_up = k > 0 ? d[k - 1][s] : 0;
            double divided = 1.0 / (middle - c_up * above);
            c[k][s] = below * divided;
            d[k][s] = (right - d_up * above) * divided;
        }
}

static void up(const Lines *l, int64_t side, double (*c)[SIDE], double (*d)[SIDE]) {
    int64_t nk = l->nk;
    double x[SIDE] = {0};
    for (int64_t k = nk - 1; k >= 0; k--)
#pragma omp simd
        for (int64_t s = 0; s < side; s++) {
            x[s] = d[k][s] - c[k][s] * x[s];
            l->stage[s * nk + k] = l->dt * (x[s] - l->pos[s * nk + k]);
        }
}

static void solve(const Lines *l, int64_t side) {
    double c[DEEPEST][SIDE], d[DEEPEST][SIDE];
    if (side == SIDE) {
        down(l, SIDE, c, d);
        up(l, SIDE, c, d);
    } else {
        down(l, side, c, d);
        up(l, side, c, d);
    }
}

void vadv(int64_t ni, int64_t nj, int64_t nk, double dt, double stage[restrict ni][nj][nk],
          const double u[restrict ni][nj][nk], const double wcon[restrict ni + 1][nj][nk],
          const double pos[restrict ni][nj][nk], const double utens[restrict ni][nj][nk]) {
    if (nk > DEEPEST) return;
#pragma omp parallel for schedule(static) if (ni * nj * nk > LARGE)
    for (int64_t i = 0; i < ni; i++)
        for (int64_t j = 0; j < nj; j += SIDE) {
            Lines lines = {.nk = nk,
                           .dt = dt,
                           .wcon = wcon[i][j],
                           .next = wcon[i + 1][j],
                           .u = u[i][j],
                           .pos = pos[i][j],
                           .utens = utens[i][j],
                           .stage = stage[i][j]};
            solve(&lines, least(SIDE, nj - j));
        }
}
