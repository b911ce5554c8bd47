// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The Mandelbrot set, eight points at a time until all have left the horizon. A point's count is
// the step after which it is outside, and its value the one it has then; those inside have zeros.
//
// Floor: bytes = 24 * xn * yn; flops = 0; span = 24 * xn * yn.
#include "kernel.h"

enum { SIDE = 8 };

static void points(int64_t side, int64_t steps, double limit, double x, const double *y,
                   double *restrict z, int64_t *restrict count) {
    double re[SIDE] = {0}, im[SIDE] = {0}, left[SIDE] = {0}, at[SIDE] = {0};
    memcpy(at, y, side * sizeof *y);
    for (int64_t n = 0; n < steps; n++) {
        double some = 0;
#pragma omp simd reduction(+ : some)
        for (int s = 0; s < SIDE; s++) {
            double r = re[s] * re[s] - im[s] * im[s] + x, i = 2 * re[s] * im[s] + at[s];
            bool in = left[s] == 0, out = r * r + i * i > limit;
            re[s] = in ? r : re[s];
            im[s] = in ? i : im[s];
            left[s] = in & out ? n + 1 : left[s];
            some += left[s] == 0 ? 1 : 0;
        }
        if (some == 0) break;
    }
    for (int64_t s = 0; s < side; s++) {
        z[2 * s] = left[s] ? re[s] : 0, z[2 * s + 1] = left[s] ? im[s] : 0;
        count[s] = left[s];
    }
}

void mandelbrot2(int64_t xn, int64_t yn, int64_t steps, double horizon, const double x[restrict xn],
                 const double y[restrict yn], double z[restrict xn][2 * yn],
                 int64_t count[restrict xn][yn]) {
#pragma omp parallel for schedule(dynamic, 4) if (xn * yn > 256)
    for (int64_t i = 0; i < xn; i++)
        for (int64_t j = 0; j < yn; j += SIDE)
            points(least(SIDE, yn - j), steps, horizon * horizon, x[i], y + j, z[i] + 2 * j,
                   count[i] + j);
}
