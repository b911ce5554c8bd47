// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Flow through a channel, periodic along x, until it changes no more. Fields are copied into ones
// with a column more on either side, which holds what lies beyond; every field has two arrays in
// turns.
//
// Floor: bytes = 48 * nx * ny; flops = steps * nx * ny * (70 + 7 * rounds); span = 56 * nx * ny.
#include "flow.h"

static void wrap(int64_t w, double *row) {
    row[0] = row[w - 2], row[w - 1] = row[1];
}

// Between the caller's arrays of `nx` columns and ours of two more.
static void widen(int64_t ny, int64_t nx, const double *from, double *to) {
    for (int64_t i = 0; i < ny; i++) {
        memcpy(to + i * (nx + 2) + 1, from + i * nx, nx * sizeof *to);
        wrap(nx + 2, to + i * (nx + 2));
    }
}

static void narrow(int64_t ny, int64_t nx, const double *from, double *to) {
    for (int64_t i = 0; i < ny; i++) memcpy(to + i * nx, from + i * (nx + 2) + 1, nx * sizeof *to);
}

static void pressure(const Flow *f, int64_t ny, int64_t i, const double *old, const double *b,
                     double *new) {
    int64_t w = f->width;
    double *row = new + i *w;
    pressure_row(f, old + i * w, b + i * w, row);
    wrap(w, row);
    if (i == 1) memcpy(new, row, w * sizeof *row);
    if (i == ny - 2) memcpy(new + (ny - 1) * w, row, w * sizeof *row);
}

static double sum_of(int64_t n, const double *x) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

void channel_flow(int64_t nx, int64_t ny, int64_t rounds, double dt, double dx, double dy,
                  double rho, double nu, double force, double *u_in, double *v_in, double *p_in,
                  double *room, int64_t *steps) {
    int64_t w = nx + 2, cells = w * ny, count = 0;
    double *b = room, *u = b + cells, *v = u + cells, *p = v + cells, *u2 = p + cells,
           *v2 = u2 + cells, *p2 = v2 + cells;
    Flow f = {.width = w, .dt = dt, .dx = dx, .dy = dy, .rho = rho, .nu = nu, .force = force};
    memset(room, 0, 7 * cells * sizeof *room);
    widen(ny, nx, u_in, u), widen(ny, nx, v_in, v), widen(ny, nx, p_in, p);
    double sum = sum_of(nx * ny, u_in), change = 1, next = 0;
#pragma omp parallel firstprivate(u, v, p, u2, v2, p2) if (cells > LARGE)
    while (change > 0.001) {
#pragma omp for schedule(static)
        for (int64_t i = 1; i < ny - 1; i++) source_row(&f, u + i * w, v + i * w, b + i * w);
        for (int64_t q = 0; q < rounds; q++) {
#pragma omp for schedule(static)
            for (int64_t i = 1; i < ny - 1; i++) pressure(&f, ny, i, p, b, p2);
            exchange(&p, &p2);
        }
#pragma omp for schedule(static) reduction(+ : next)
        for (int64_t i = 1; i < ny - 1; i++) {
            int64_t at = i * w;
            velocity_rows(&f, u + at, v + at, p + at, u2 + at, v2 + at);
            wrap(w, u2 + at), wrap(w, v2 + at);
            next += sum_of(nx, u2 + at + 1);
        }
        // The first and the last row of the velocities stay zero from here on.
#pragma omp single
        {
            change = (next - sum) / next;
            sum = next, next = 0, count++;
            if (change <= 0.001)
                narrow(ny, nx, u2, u_in), narrow(ny, nx, v2, v_in), narrow(ny, nx, p, p_in);
        }
        exchange(&u, &u2);
        exchange(&v, &v2);
    }
    *steps = count;
}
