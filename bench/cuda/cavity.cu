// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A driven cavity of n x n: the pressure's source, ten sweeps of its equation, the velocities (after CFD Python, step 11).
// What a step reads and what it writes are different arrays that change places, and edges are written by the threads next
// to them, so nothing is copied.
//
// Floor: bytes = 8 * n * n * (3 + 10 * 3 + 5) a step.
#include "check.h"
#include <stddef.h>

enum { SWEEPS = 10 };

typedef struct Grid {
    int n;
    double dx, dt, rho, nu;
} Grid;

#define AT(A, I, J) (A)[(ptrdiff_t)(i + (I)) * g.n + j + (J)]
#define INSIDE                                                                                                         \
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x) + 1, i = (int)(blockIdx.y * blockDim.y + threadIdx.y) + 1;    \
    if (i >= g.n - 1 || j >= g.n - 1) return

__global__ void source(Grid g, const double *__restrict__ u, const double *__restrict__ v, double *__restrict__ b) {
    INSIDE;
    double ux = (AT(u, 0, 1) - AT(u, 0, -1)) / (2 * g.dx), vy = (AT(v, 1, 0) - AT(v, -1, 0)) / (2 * g.dx);
    double uy = (AT(u, 1, 0) - AT(u, -1, 0)) / (2 * g.dx), vx = (AT(v, 0, 1) - AT(v, 0, -1)) / (2 * g.dx);
    AT(b, 0, 0) = g.rho * (1 / g.dt * (ux + vy) - ux * ux - 2 * (uy * vx) - vy * vy);
}

// Edges: the right one, the first row, the left one, then the last row.
__global__ void sweep(Grid g, const double *__restrict__ from, const double *__restrict__ b, double *__restrict__ p) {
    INSIDE;
    double h = g.dx * g.dx;
    double value = ((AT(from, 0, 1) + AT(from, 0, -1)) * h + (AT(from, 1, 0) + AT(from, -1, 0)) * h) / (2 * (h + h)) -
                   h * h / (2 * (h + h)) * AT(b, 0, 0);
    AT(p, 0, 0) = value;
    bool left = j == 1, right = j == g.n - 2;
    if (right) AT(p, 0, 1) = value;
    if (left) AT(p, 0, -1) = value;
    if (i == 1) AT(p, -1, 0) = value;
    if (i == 1 && right) AT(p, -1, 1) = value;
    if (i == 1 && left) AT(p, -1, -1) = value;
    if (i < g.n - 2) return;
    AT(p, 1, 0) = 0;
    if (right) AT(p, 1, 1) = 0;
    if (left) AT(p, 1, -1) = 0;
}

// Edges of both are 0, but for u's last row, which is 1; they hold that from the first step on.
__global__ void velocities(Grid g, const double *__restrict__ un, const double *__restrict__ vn, const double *__restrict__ p,
                           double *__restrict__ u, double *__restrict__ v) {
    INSIDE;
    double by = g.dt / g.dx, twice = g.dt / (2 * g.rho * g.dx), spread = g.nu * (g.dt / (g.dx * g.dx));
    double uc = AT(un, 0, 0), vc = AT(vn, 0, 0);
    AT(u, 0, 0) = uc - uc * by * (uc - AT(un, 0, -1)) - vc * by * (uc - AT(un, -1, 0)) - twice * (AT(p, 0, 1) - AT(p, 0, -1)) +
                  spread * (AT(un, 0, 1) - 2 * uc + AT(un, 0, -1) + AT(un, 1, 0) - 2 * uc + AT(un, -1, 0));
    AT(v, 0, 0) = vc - uc * by * (vc - AT(vn, 0, -1)) - vc * by * (vc - AT(vn, -1, 0)) - twice * (AT(p, 1, 0) - AT(p, -1, 0)) +
                  spread * (AT(vn, 0, 1) - 2 * vc + AT(vn, 0, -1) + AT(vn, 1, 0) - 2 * vc + AT(vn, -1, 0));
}

__global__ void lid(Grid g, double *u) {
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (j < g.n) u[(size_t)(g.n - 1) * g.n + j] = 1;
}

static void swap(double **a, double **b) {
    double *other = *a;
    *a = *b;
    *b = other;
}

int main(int argc, char **argv) {
    Grid g = {.n = argc > 1 ? atoi(argv[1]) : 4096};
    int steps = 5, turns = 3;
    g.dx = 2.0 / (g.n - 1), g.dt = 1e-4 * g.dx, g.rho = 1, g.nu = 0.1;
    size_t count = (size_t)g.n * g.n;
    double *u = doubles(count), *un = doubles(count), *v = doubles(count), *vn = doubles(count), *b = doubles(count);
    double *p = doubles(count), *pn = doubles(count), time = 0;
    dim3 group(64, 4), groups((g.n + 61) / 64, (g.n + 1) / 4);
    for (int k = 0; k < turns * steps; k++) {
        if (k == (turns - 1) * steps) time = now();
        source<<<groups, group>>>(g, u, v, b);
        for (int i = 0; i < SWEEPS; i++) {
            swap(&p, &pn);
            sweep<<<groups, group>>>(g, pn, b, p);
        }
        swap(&u, &un);
        swap(&v, &vn);
        velocities<<<groups, group>>>(g, un, vn, p, u, v);
        if (k < 2) lid<<<(g.n + 255) / 256, 256>>>(g, u); // each of the two arrays
    }
    CHECK(cudaGetLastError());
    time = (now() - time) / steps;
    printf("%.9g\n%.17g\n", time, sum_of(u, count, 1) + sum_of(p, count, 1) + sum_of(v, count, 1));
    return 0;
}
