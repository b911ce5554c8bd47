// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Alternating directions. The coefficients p of both recurrences are the same in every line and
// every step, so they are made once, with the reciprocals of what is divided by. The columns'
// recurrence goes down rows of all columns; that of rows takes eight rows side by side.
//
// Floor: bytes = 32 * n * n; flops = 22 * steps * n * n; span = 24 * n * n.
#include "kernel.h"

enum { SIDE = 8 };

// p and 1 / (a p + b) of a recurrence with the coefficients a, b, c.
static void coefficients(int64_t n, double a, double b, double c, double *p, double *inverse) {
    p[0] = 0;
    for (int64_t j = 1; j < n - 1; j++) {
        inverse[j] = 1 / (a * p[j - 1] + b);
        p[j] = -c * inverse[j];
    }
}

// Columns [lo, hi): q goes down in rows of its own, v comes back up.
static void columns(int64_t n, int64_t lo, int64_t hi, double a, double d, const double *p,
                    const double *inverse, const double u[n][n], double v[n][n], double q[n][n]) {
    for (int64_t i = lo; i < hi; i++) v[0][i] = q[0][i] = v[n - 1][i] = 1;
    for (int64_t j = 1; j < n - 1; j++)
#pragma omp simd
        for (int64_t i = lo; i < hi; i++)
            q[j][i] =
                (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - d * u[j][i + 1] - a * q[j - 1][i]) *
                inverse[j];
    for (int64_t j = n - 2; j > 0; j--)
#pragma omp simd
        for (int64_t i = lo; i < hi; i++) v[j][i] = p[j] * v[j + 1][i] + q[j][i];
}

// Rows [i, i + side), with q in room of their own.
static void rows(int64_t n, int64_t i, int64_t side, double a, double d, const double *p,
                 const double *inverse, double u[n][n], const double v[n][n], double (*q)[SIDE]) {
    for (int64_t s = 0; s < side; s++) u[i + s][0] = q[0][s] = u[i + s][n - 1] = 1;
    for (int64_t j = 1; j < n - 1; j++)
#pragma omp simd
        for (int64_t s = 0; s < side; s++)
            q[j][s] = (-a * v[i + s - 1][j] + (1 + 2 * a) * v[i + s][j] - a * v[i + s + 1][j] -
                       d * q[j - 1][s]) *
                      inverse[j];
    for (int64_t j = n - 2; j > 0; j--)
#pragma omp simd
        for (int64_t s = 0; s < side; s++) u[i + s][j] = p[j] * u[i + s][j + 1] + q[j][s];
}

void adi(int64_t steps, int64_t n, double u[restrict n][n], double *restrict room) {
    double(*v)[n] = (double(*)[n])room, (*q)[n] = v + n, *p1 = q[n], *inverse1 = p1 + n,
    *p2 = inverse1 + n, *inverse2 = p2 + n;
    double step = 1.0 / n, tau = 1.0 / steps, along_x = 2.0 * tau / (step * step),
           along_y = 1.0 * tau / (step * step), a = -along_x / 2, d = -along_y / 2;
    coefficients(n, a, 1 + along_x, a, p1, inverse1);
    coefficients(n, d, 1 + along_y, d, p2, inverse2);
#pragma omp parallel if (n * n > LARGE)
    {
        double(*lines)[SIDE] = (double(*)[SIDE])(inverse2 + n) + omp_get_thread_num() * n;
        for (int64_t t = 0; t < steps; t++) {
#pragma omp for schedule(static)
            for (int64_t lo = 1; lo < n - 1; lo += 64)
                columns(n, lo, least(n - 1, lo + 64), a, d, p1, inverse1, u, v, q);
#pragma omp for schedule(static)
            for (int64_t i = 1; i < n - 1; i += SIDE) {
                int64_t side = least(SIDE, n - 1 - i);
                if (side == SIDE)
                    rows(n, i, SIDE, a, d, p2, inverse2, u, v, lines);
                else
                    rows(n, i, side, a, d, p2, inverse2, u, v, lines);
            }
        }
    }
}
