// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The Mandelbrot set, eight points at a time until all have left the horizon.
//
// Floor: bytes = 24 * xn * yn; flops = 0; span = 24 * xn * yn.
#include "kernel.h"

enum { SIDE = 8 };

// `first` is how many steps the count says of a point that left at once. A point that has left
// keeps its value and its count.
static void points(int64_t side, int64_t steps, double limit, const double *x, double y,
                   double *restrict z, int64_t *restrict count) {
    double re[SIDE] = {0}, im[SIDE] = {0}, last[SIDE] = {0}, at[SIDE] = {0};
    memcpy(at, x, side * sizeof *x);
    for (int64_t n = 0; n < steps; n++) {
        double inside[SIDE], some = 0;
#pragma omp simd reduction(+ : some)
        for (int s = 0; s < SIDE; s++) {
            double r2 = re[s] * re[s], i2 = im[s] * im[s], both = re[s] * im[s];
            bool in = r2 + i2 < limit;
            last[s] = in ? n : last[s];
            re[s] = in ? r2 - i2 + at[s] : re[s];
            im[s] = in ? both + both + y : im[s];
            inside[s] = in ? 1 : 0;
            some += inside[s];
        }
        if (some == 0) break;
    }
    for (int64_t s = 0; s < side; s++) {
        z[2 * s] = re[s], z[2 * s + 1] = im[s];
        count[s] = last[s] == steps - 1 ? 0 : last[s];
    }
}

void mandelbrot1(int64_t xn, int64_t yn, int64_t steps, double horizon, const double x[restrict xn],
                 const double y[restrict yn], double z[restrict yn][2 * xn],
                 int64_t count[restrict yn][xn]) {
#pragma omp parallel for schedule(dynamic, 4) if (xn * yn > 256)
    for (int64_t j = 0; j < yn; j++)
        for (int64_t i = 0; i < xn; i += SIDE)
            points(least(SIDE, xn - i), steps, horizon * horizon, x + i, y[j], z[j] + 2 * i,
                   count[j] + i);
}
