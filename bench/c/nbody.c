// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bodies that attract each other. Coordinates lie apart from one another; forces and energy of a
// step come from one pass over all pairs.
//
// Floor: bytes = 0; flops = 40 * steps * n * n; span = 56 * n.
#include "kernel.h"

enum { AXES = 3 };

// Accelerations, and the sum over pairs of mass times mass by distance, each pair twice.
static double forces(int64_t n, double g, double soft, const double *restrict m,
                     double *restrict x[3], double *restrict acc[3]) {
    double pairs = 0;
    for (int64_t i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0, part = 0;
#pragma omp simd reduction(+ : ax, ay, az, part)
        for (int64_t j = 0; j < n; j++) {
            double dx = x[0][j] - x[0][i], dy = x[1][j] - x[1][i], dz = x[2][j] - x[2][i];
            double r2 = dx * dx + dy * dy + dz * dz, s2 = r2 + soft * soft;
            double f = g * m[j] / (s2 * sqrt(s2));
            ax += f * dx, ay += f * dy, az += f * dz;
            part += j == i || r2 == 0 ? 0 : m[j] / sqrt(r2);
        }
        acc[0][i] = ax, acc[1][i] = ay, acc[2][i] = az;
        pairs += part * m[i];
    }
    return pairs;
}

static double kinetic_of(int64_t n, const double *m, double *const v[3]) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += m[i] * (v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i]);
    return 0.5 * sum;
}

// v += x * f for all axes.
static void advance(int64_t n, double f, double *const v[3], double *const x[3]) {
    for (int k = 0; k < AXES; k++)
        for (int64_t i = 0; i < n; i++) v[k][i] += x[k][i] * f;
}

void nbody(int64_t n, int64_t steps, double dt, double g, double soft, const double *restrict m,
           double pos[restrict n][3], double vel[restrict n][3], double kinetic[restrict steps + 1],
           double potential[restrict steps + 1], double *restrict room) {
    double *x[3], *v[3], *acc[3], mass = 0;
    for (int64_t i = 0; i < n; i++) mass += m[i];
    for (int k = 0; k < AXES; k++) {
        x[k] = room + k * n, v[k] = room + (3 + k) * n, acc[k] = room + (6 + k) * n;
        double drift = 0;
        for (int64_t i = 0; i < n; i++) drift += m[i] * vel[i][k];
        for (int64_t i = 0; i < n; i++) x[k][i] = pos[i][k], v[k][i] = vel[i][k] - drift / mass;
    }
    potential[0] = -0.5 * g * forces(n, g, soft, m, x, acc);
    kinetic[0] = kinetic_of(n, m, v);
    for (int64_t t = 1; t <= steps; t++) {
        advance(n, dt / 2, v, acc);
        advance(n, dt, x, v);
        potential[t] = -0.5 * g * forces(n, g, soft, m, x, acc);
        advance(n, dt / 2, v, acc);
        kinetic[t] = kinetic_of(n, m, v);
    }
    for (int k = 0; k < AXES; k++)
        for (int64_t i = 0; i < n; i++) pos[i][k] = x[k][i], vel[i][k] = v[k][i];
}
