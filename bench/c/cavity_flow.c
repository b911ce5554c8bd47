// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Flow in a cavity under a moving lid. Every field has two arrays in turns, so that nothing is
// copied; whoever makes a row sets what lies beside it.
//
// Floor: bytes = 48 * nx * ny; flops = steps * nx * ny * (70 + 7 * rounds); span = 56 * nx * ny.
#include "flow.h"

// A row of pressure, with its ends, and the first and the last row, which belong to it.
static void pressure(const Flow *f, int64_t ny, int64_t i, const double *old, const double *b,
                     double *new) {
    int64_t w = f->width;
    double *row = new + i *w;
    pressure_row(f, old + i * w, b + i * w, row);
    row[w - 1] = row[w - 2], row[0] = row[1];
    if (i == 1) memcpy(new, row, w * sizeof *row);
    if (i == ny - 2) memset(new + (ny - 1) * w, 0, w * sizeof *row);
}

// The border of both velocities, which no row sets.
static void border(int64_t nx, int64_t ny, double *u, double *v) {
    for (int64_t i = 0; i < ny; i++)
        u[i * nx] = u[i * nx + nx - 1] = v[i * nx] = v[i * nx + nx - 1] = 0;
    for (int64_t x = 0; x < nx; x++)
        u[x] = v[x] = v[(ny - 1) * nx + x] = 0, u[(ny - 1) * nx + x] = 1;
}

void cavity_flow(int64_t nx, int64_t ny, int64_t steps, int64_t rounds, double dt, double dx,
                 double dy, double rho, double nu, double *u, double *v, double *p, double *room) {
    int64_t cells = nx * ny;
    double *b = room, *u2 = b + cells, *v2 = u2 + cells, *p2 = v2 + cells;
    Flow f = {.width = nx, .dt = dt, .dx = dx, .dy = dy, .rho = rho, .nu = nu};
    double *first[3] = {u, v, p};
#pragma omp parallel firstprivate(u, v, p, u2, v2, p2) if (cells > LARGE)
    {
        for (int64_t t = 0; t < steps; t++) {
#pragma omp for schedule(static)
            for (int64_t i = 1; i < ny - 1; i++) source_row(&f, u + i * nx, v + i * nx, b + i * nx);
            for (int64_t q = 0; q < rounds; q++) {
#pragma omp for schedule(static)
                for (int64_t i = 1; i < ny - 1; i++) pressure(&f, ny, i, p, b, p2);
                exchange(&p, &p2);
            }
#pragma omp for schedule(static)
            for (int64_t i = 1; i < ny - 1; i++)
                velocity_rows(&f, u + i * nx, v + i * nx, p + i * nx, u2 + i * nx, v2 + i * nx);
#pragma omp single
            border(nx, ny, u2, v2);
            exchange(&u, &u2);
            exchange(&v, &v2);
        }
#pragma omp single
        {
            double *last[3] = {u, v, p};
            for (int k = 0; k < 3; k++)
                if (last[k] != first[k]) memcpy(first[k], last[k], cells * sizeof *u);
        }
    }
}
