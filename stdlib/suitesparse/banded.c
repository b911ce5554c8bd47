// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors of narrow band matrices. The band is factorised in its own order: neither a column ordering nor a sparse
// pattern is computed. For tridiagonal matrices this takes a tenth of UMFPACK's time.

#include <math.h>

#include "stdlib/suitesparse/direct.h"
#include "stdlib/suitesparse/guard.h"

typedef double complex Complex;

typedef struct Band {
    int64_t below, above, height; // diagonals below and above the main one; elements stored per column
    void *values;
    double *scale;   // per row: the sum of its magnitudes
    int64_t *pivots; // pivots[j]: the row that was exchanged with row j
} Band;

static double size_of(Complex x) {
    return fabs(creal(x)) + fabs(cimag(x));
}

#define T double
#define MAGNITUDE fabs
#define CONJ(x) (x)
#define NAME(x) x##_real
#include "stdlib/suitesparse/banded_template.h"
#undef T
#undef MAGNITUDE
#undef CONJ
#undef NAME
#define T Complex
#define MAGNITUDE size_of
#define CONJ conj
#define NAME(x) x##_complex
#include "stdlib/suitesparse/banded_template.h"

static Outcome analyse(SparseCall *call, Analysis *a, const double *values) {
    Band *m = guard_calloc(1, sizeof *m);
    (void)call, (void)values;
    if (!m) return NO_MEMORY;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t first = at(a->indptr, a->wide, j), end = at(a->indptr, a->wide, j + 1);
        if (first == end) continue;
        int64_t up = j - at(a->indices, a->wide, first), down = at(a->indices, a->wide, end - 1) - j;
        if (up > m->above) m->above = up;
        if (down > m->below) m->below = down;
    }
    m->height = 2 * m->below + m->above + 1;
    a->symbolic = m;
    a->bytes = (double)(m->height * doubles_of(a) + 2) * (double)a->n * 8;
    return DONE;
}

static void drop_analysis(Analysis *a) {
    guard_free(a->symbolic);
    a->symbolic = NULL;
}

static void drop_factor(Factor *f) {
    Band *m = f->numeric;
    if (!m) return;
    guard_free(m->values);
    guard_free(m->scale);
    guard_free(m->pivots);
    guard_free(m);
    f->numeric = NULL;
}

static Outcome factor(SparseCall *call, Factor *f) {
    const Analysis *a = f->analysis;
    if (!reserve(call, a->bytes)) return LEFT;
    Band *m = guard_malloc(sizeof *m);
    if (!m) return NO_MEMORY;
    *m = *(const Band *)a->symbolic;
    f->numeric = m;
    m->values = guard_calloc((size_t)(m->height * doubles_of(a)) * (size_t)a->n, sizeof(double));
    m->scale = guard_malloc((size_t)a->n * sizeof *m->scale);
    m->pivots = guard_malloc((size_t)a->n * sizeof *m->pivots);
    if (!m->values || !m->scale || !m->pivots) return NO_MEMORY;
    if (!(a->is_complex ? load_complex : load_real)(f, m)) return SINGULAR;
    f->rcond = (a->is_complex ? eliminate_complex : eliminate_real)(m, a->n);
    return f->rcond > 0 ? DONE : SINGULAR;
}

static Outcome solve(SparseCall *call, Factor *f, double *x, const double *b, int64_t columns, Transpose trans) {
    int64_t n = f->analysis->n, count = n * doubles_of(f->analysis);
    (void)call;
    memcpy(x, b, (size_t)(count * columns) * sizeof *x);
    for (int64_t c = 0; c < columns; c++, x += count)
        if (f->analysis->is_complex) {
            if (trans == PLAIN) solve_plain_complex(f->numeric, n, (Complex *)x);
            else solve_across_complex(f->numeric, n, (Complex *)x, trans == ADJOINT);
        } else if (trans == PLAIN) solve_plain_real(f->numeric, n, x);
        else solve_across_real(f->numeric, n, x, false);
    return DONE;
}

static void count_parts(const Factor *f, int64_t *l, int64_t *u) {
    *l = *u = f->analysis->n;
    (f->analysis->is_complex ? count_complex : count_real)(f->numeric, f->analysis->n, l, u);
}

static int64_t entries(const Factor *f) {
    int64_t l, u;
    count_parts(f, &l, &u);
    return l + u;
}

static Outcome parts(SparseCall *call, const Factor *f, Parts *p) {
    (void)call;
    const Band *m = f->numeric;
    int64_t n = f->analysis->n, size = doubles_of(f->analysis), l, u;
    count_parts(f, &l, &u);
    int64_t *rows = guard_malloc((size_t)n * 8), *place = guard_malloc((size_t)n * 8);
    int64_t **arrays[] = {&p->l_indptr, &p->l_indices, &p->u_indptr, &p->u_indices, &p->row_order, &p->column_order};
    const int64_t counts[] = {n + 1, l, n + 1, u, n, n};
    bool room = rows && place;
    for (int i = 0; i < 6; i++) room &= (*arrays[i] = guard_malloc((size_t)counts[i] * 8)) != NULL;
    room &= (p->l = guard_malloc((size_t)(l * size) * 8)) != NULL;
    room &= (p->u = guard_malloc((size_t)(u * size) * 8)) != NULL;
    if (room) {
        p->l_indptr[0] = p->u_indptr[0] = 0;
        for (int64_t i = 0; i < n; i++) p->row_order[i] = p->column_order[i] = i;
        for (int64_t j = 0; j < n; j++) {
            int64_t held = p->row_order[j];
            p->row_order[j] = p->row_order[m->pivots[j]];
            p->row_order[m->pivots[j]] = held;
        }
        for (int64_t k = 0; k < n; k++) place[p->row_order[k]] = k;
        (f->analysis->is_complex ? write_complex : write_real)(m, n, rows, place, p);
    }
    guard_free(rows);
    guard_free(place);
    return room ? DONE : NO_MEMORY;
}

const Method banded_method = {analyse, drop_analysis, factor, drop_factor, solve, entries, parts};
