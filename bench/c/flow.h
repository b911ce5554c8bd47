// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rows of a flow's pressure and velocity by finite differences, which cavity_flow.c and
// channel_flow.c share. A field has rows of `width` elements; the first and the last of a row are
// its neighbours'.
#ifndef BENCH_C_FLOW_H
#define BENCH_C_FLOW_H

#include "kernel.h"

typedef struct {
    int64_t width;
    double dt, dx, dy, rho, nu, force;
} Flow;

// What the pressure's equation has on its right.
static inline void source_row(const Flow *f, const double *restrict u, const double *restrict v,
                              double *restrict b) {
    int64_t w = f->width;
    double half_x = 1 / (2 * f->dx), half_y = 1 / (2 * f->dy), per_dt = 1 / f->dt, rho = f->rho;
#pragma omp simd
    for (int64_t x = 1; x < w - 1; x++) {
        double ux = (u[x + 1] - u[x - 1]) * half_x, uy = (u[x + w] - u[x - w]) * half_y;
        double vx = (v[x + 1] - v[x - 1]) * half_x, vy = (v[x + w] - v[x - w]) * half_y;
        b[x] = rho * (per_dt * (ux + vy) - ux * ux - 2 * uy * vx - vy * vy);
    }
}

static inline void pressure_row(const Flow *f, const double *restrict old, const double *restrict b,
                                double *restrict p) {
    int64_t w = f->width;
    double x2 = f->dx * f->dx, y2 = f->dy * f->dy, scale = 1 / (2 * (x2 + y2));
    double along_x = y2 * scale, along_y = x2 * scale, of_b = x2 * y2 * scale;
#pragma omp simd
    for (int64_t x = 1; x < w - 1; x++)
        p[x] =
            (old[x + 1] + old[x - 1]) * along_x + (old[x + w] + old[x - w]) * along_y - of_b * b[x];
}

// One component: `ahead` is how far the pressure's two neighbours are that push it, `push` how
// much.
static inline void velocity_row(const Flow *f, const double *restrict old, const double *restrict u,
                                const double *restrict v, const double *restrict p, int64_t ahead,
                                double push, double force, double *restrict to) {
    int64_t w = f->width;
    double cx = f->dt / f->dx, cy = f->dt / f->dy, dx = f->nu * cx / f->dx, dy = f->nu * cy / f->dy;
#pragma omp simd
    for (int64_t x = 1; x < w - 1; x++) {
        double c = old[x], l = old[x - 1], up = old[x - w];
        to[x] = c - u[x] * cx * (c - l) - v[x] * cy * (c - up) -
                push * (p[x + ahead] - p[x - ahead]) + dx * (old[x + 1] - 2 * c + l) +
                dy * (old[x + w] - 2 * c + up) + force;
    }
}

static inline void velocity_rows(const Flow *f, const double *u, const double *v, const double *p,
                                 double *to_u, double *to_v) {
    double push = f->dt / (2 * f->rho);
    velocity_row(f, u, u, v, p, 1, push / f->dx, f->force * f->dt, to_u);
    velocity_row(f, v, u, v, p, f->width, push / f->dy, 0, to_v);
}

static inline void exchange(double **a, double **b) {
    double *c = *a;
    *a = *b, *b = c;
}

#endif
