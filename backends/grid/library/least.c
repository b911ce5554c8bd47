// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Least squares on a device, by singular values from a library of its vendor. If A = U S V^H, X = V S^-1 U^H B is the
// solution with the smallest norm. Singular values that are too small are left out.

#include <math.h>

#include "backends/grid/library/decompose.h"

// Returns rcond as LAPACK's gelsd takes it: a value that is not between 0 and 1 stands for the machine precision.
static double bound_of(const Kernel *k) {
    const double rcond = k->args[2].scalar.f;
    return rcond > 0 && rcond < 1 ? rcond : ldexp(1, -53);
}

static bool form(const Dialect *dialect, const Kernel *k, GridForm *form) {
    const View *a = &k->args[0].view, *b = &k->args[1].view;
    return a->ndim == 2 && b->ndim == 2 && b->dtype == a->dtype && b->shape[1] < INT32_MAX && decompose_form(dialect, k, form);
}

typedef struct Least {
    Decompose d;
    GridLeast g;
    void *a, *b, *values, *u, *vt, *parts;
    void *sides; // a word for each column of B, and one for all
} Least;

static bool begin(Least *l, GridRun *run) {
    const Kernel *k = run->kernel;
    Decompose *d = &l->d;
    if (!decompose_begin(d, run)) return false;
    l->g = (GridLeast){.m = d->m, .n = d->n, .k = d->k, .sides = k->args[1].view.shape[1], .rcond = bound_of(k), .a = d->g.a,
                       .x = k->result.view.offset, .is_wide = d->m < d->n};
    const int64_t tall = d->m + d->n - d->k;
    l->a = decompose_scratch(d, tall * d->k);
    l->b = decompose_scratch(d, d->m * l->g.sides);
    l->values = grid_scratch_for(run, d->k, sizeof(double));
    l->u = decompose_scratch(d, tall * d->k);
    l->vt = decompose_scratch(d, d->k * d->k);
    l->parts = decompose_scratch(d, d->k * l->g.sides);
    l->sides = grid_scratch_for(run, l->g.sides + 1, sizeof(uint32_t));
    grid_clear(run, l->sides, (size_t)(l->g.sides + 1) * sizeof(uint32_t));
    return !run->failed;
}

// Copies A and B. Columns of B that are not finite become zeros in the copy, so that the others are not affected.
static void load(Least *l) {
    const Kernel *k = l->d.run->kernel;
    const View *b = &k->args[1].view;
    Decompose right = l->d;
    l->d.g.looks_by = GRID_LOOKS_MATRIX;
    decompose_load(&l->d, k->args[0].base, l->a, 0, l->g.is_wide);
    right.n = l->g.sides;
    right.state = l->sides;
    right.g.looks_by = GRID_LOOKS_COLUMN;
    right.g.a = (GridDecomposeSide){.offset = b->offset, .row = b->strides[0], .col = b->strides[1]};
    decompose_load(&right, k->args[1].base, l->b, 0, false);
}

static void step(const Least *l, int function, int64_t items, const GridLeast *g, void *const *memories, int count) {
    grid_step(l->d.run, function, (GridSize){(size_t)items, 1}, (GridArguments){memories, count, g, sizeof *g});
}

// Enqueues a function with a group for each sum.
static void step_sums(const Least *l, int function, int64_t sums, const GridLeast *g, void *const *memories, int count) {
    grid_step_groups(l->d.run, function, (GridSize){(size_t)sums, 1}, GRID_DECOMPOSE_LANES,
                     (GridArguments){memories, count, g, sizeof *g});
}

static void store(const Least *l) {
    const Decompose *d = &l->d;
    GridRun *run = d->run;
    GridLeast g = l->g;
    void *result = run->kernel->result.base;
    step_sums(l, DECOMPOSE_PARTS, g.k * g.sides, &g, (void *const[]){l->u, l->vt, l->values, l->b, l->parts}, 5);
    step(l, DECOMPOSE_ANSWER, g.n * g.sides, &g,
         (void *const[]){l->u, l->vt, l->parts, result, d->state, d->info, l->sides}, 7);
    if (g.m > g.n) step(l, DECOMPOSE_DIFFER, g.m * g.sides, &g, (void *const[]){run->kernel->args[0].base, result, l->b}, 3);
    g.to = g.x + g.n * g.sides * d->size;
    step_sums(l, DECOMPOSE_REST, g.sides, &g, (void *const[]){l->b, result, d->state, d->info, l->sides}, 5);
    g.to += decompose_reals(d, g.sides) * d->size;
    step(l, DECOMPOSE_RANK, d->k + 4, &g, (void *const[]){l->values, result, d->state, d->info, run->flags}, 5);
}

static void run_lstsq(GridRun *run) {
    Least l;
    if (!begin(&l, run)) return;
    load(&l);
    if (l.d.k > 0) decompose_svd(&l.d, l.a, l.values, l.u, l.vt, false);
    store(&l);
}

const GridRow grid_LSTSQ = {.reason = "it is done by a library, cuSOLVER, which is for CUDA's devices", .needs = GRID_SVD,
                            .form = form, .text = decompose_text, .run = run_lstsq, .tells = true};
