// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// LU factors of unsymmetric matrices, by UMFPACK: real and complex, with 32-bit or 64-bit indices.

#include <math.h>

#include <suitesparse/umfpack.h>

#include "stdlib/suitesparse/direct.h"
#include "stdlib/suitesparse/guard.h"

// UMFPACK's functions for one kind of matrix, with the same signatures for all kinds.
typedef struct Family {
    int (*symbolic)(const Analysis *a, const double *values, void **out, const double *control, double *info);
    int (*numeric)(const Factor *f, void **out, const double *control, double *info);
    int (*solve)(const Factor *f, int system, double *x, const double *b, void *numbers, double *room, const double *control);
    void (*sizes)(const Factor *f, int64_t *l, int64_t *u);
    int (*parts)(const Factor *f, void *const *indices, double *l, double *u, double *scale, int *reciprocal);
    void (*drop_symbolic)(void **symbolic);
    void (*drop_numeric)(void **numeric);
} Family;

#define REAL(x) x
#define COMPLEX(x) x, NULL

// Defines the family of functions with the prefix P, for indices I. parts() writes Lp, Lj, Up, Ui, P and Q to its
// `indices`.
#define FAMILY(P, I, NUMBERS)                                                                                                 \
    static int symbolic_##P(const Analysis *a, const double *values, void **out, const double *control, double *info) {      \
        return (int)umfpack_##P##_symbolic((I)a->n, (I)a->n, a->indptr, a->indices, NUMBERS(values), out, control, info);     \
    }                                                                                                                         \
    static int numeric_##P(const Factor *f, void **out, const double *control, double *info) {                               \
        const Analysis *a = f->analysis;                                                                                      \
        return (int)umfpack_##P##_numeric(a->indptr, a->indices, NUMBERS(f->values), a->symbolic, out, control, info);        \
    }                                                                                                                         \
    static int solve_##P(const Factor *f, int system, double *x, const double *b, void *numbers, double *room,                \
                         const double *control) {                                                                             \
        const Analysis *a = f->analysis;                                                                                      \
        return (int)umfpack_##P##_wsolve(system, a->indptr, a->indices, NUMBERS(f->values), NUMBERS(x), NUMBERS(b),           \
                                         f->numeric, control, NULL, numbers, room);                                           \
    }                                                                                                                         \
    static void sizes_##P(const Factor *f, int64_t *l, int64_t *u) {                                                          \
        I lower = 0, upper = 0, rows, columns, diagonal;                                                                      \
        umfpack_##P##_get_lunz(&lower, &upper, &rows, &columns, &diagonal, f->numeric);                                       \
        *l = lower;                                                                                                           \
        *u = upper;                                                                                                           \
    }                                                                                                                         \
    static int parts_##P(const Factor *f, void *const *to, double *l, double *u, double *scale, int *reciprocal) {            \
        I divides = 0;                                                                                                        \
        int status = (int)umfpack_##P##_get_numeric(to[0], to[1], NUMBERS(l), to[2], to[3], NUMBERS(u), to[4], to[5],         \
                                                    NUMBERS((double *)NULL), &divides, scale, f->numeric);                    \
        *reciprocal = divides != 0;                                                                                           \
        return status;                                                                                                        \
    }                                                                                                                         \
    static const Family family_##P = {symbolic_##P, numeric_##P, solve_##P, sizes_##P, parts_##P, umfpack_##P##_free_symbolic, \
                                      umfpack_##P##_free_numeric};

FAMILY(di, int, REAL)
FAMILY(dl, SuiteSparse_long, REAL)
FAMILY(zi, int, COMPLEX)
FAMILY(zl, SuiteSparse_long, COMPLEX)

static const Family *family_of(const Analysis *a) {
    if (a->is_complex) return a->wide ? &family_zl : &family_zi;
    return a->wide ? &family_dl : &family_di;
}

static void choose(const Analysis *a, double *control) {
    umfpack_di_defaults(control); // the same for all families
    control[UMFPACK_PRL] = 0;
    control[UMFPACK_IRSTEP] = 0; // direct.c refines
    if (a->pivot >= 0) control[UMFPACK_PIVOT_TOLERANCE] = control[UMFPACK_SYM_PIVOT_TOLERANCE] = a->pivot;
    switch (a->ordering) {
    case ORDER_AUTO: break;
    case ORDER_NATURAL:
        control[UMFPACK_ORDERING] = UMFPACK_ORDERING_NONE;
        control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_UNSYMMETRIC;
        control[UMFPACK_FIXQ] = 1;
        control[UMFPACK_SINGLETONS] = 0;
        break;
    case ORDER_SYMMETRIC: control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC; break;
    case ORDER_COLUMNS: control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_UNSYMMETRIC; break;
    }
}

static Outcome outcome_of(int status) {
    switch (status) {
    case UMFPACK_OK: return DONE;
    case UMFPACK_WARNING_singular_matrix:
    case UMFPACK_ERROR_different_pattern: return SINGULAR; // "different pattern": a column has only zeros and NaN
    default: return NO_MEMORY; // arguments were checked, so other errors cannot occur
    }
}

// The arguments and results of a guarded call of UMFPACK.
typedef struct Calling {
    const Analysis *analysis;
    const double *values; // for an analysis
    const Factor *factor;
    void *made;
    int status;
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
} Calling;

static void analyse_guarded(void *job) {
    Calling *now = job;
    now->status = family_of(now->analysis)->symbolic(now->analysis, now->values, &now->made, now->control, now->info);
}

static Outcome analyse(SparseCall *call, Analysis *a, const double *values) {
    enum { NARROW = 1 << 30 }; // most estimated units for 32-bit indices, with a margin for the estimate's error
    Calling now = {.analysis = a, .values = values};
    const double *info = now.info;
    choose(a, now.control);
    if (!guarded(call, analyse_guarded, &now)) return LEFT;
    a->symbolic = now.made;
    Outcome outcome = outcome_of(now.status);
    a->bytes = info[UMFPACK_PEAK_MEMORY_ESTIMATE] * info[UMFPACK_SIZE_OF_UNIT];
    if (call->host->stopped(call)) return LEFT;
    bool large = outcome == NO_MEMORY || (outcome == DONE && info[UMFPACK_NUMERIC_SIZE_ESTIMATE] > NARROW);
    return large && !a->wide ? TOO_LARGE : outcome;
}

static void drop_analysis(Analysis *a) {
    family_of(a)->drop_symbolic(&a->symbolic);
}

static void factor_guarded(void *job) {
    Calling *now = job;
    now->status = family_of(now->analysis)->numeric(now->factor, &now->made, now->control, now->info);
}

static Outcome factor(SparseCall *call, Factor *f) {
    Calling now = {.analysis = f->analysis, .factor = f};
    choose(f->analysis, now.control);
    if (f->plain) now.control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE;
    if (!reserve(call, f->analysis->bytes) || !guarded(call, factor_guarded, &now)) return LEFT;
    f->numeric = now.made;
    int status = now.status;
    f->rcond = status == UMFPACK_OK ? now.info[UMFPACK_RCOND] : 0;
    if (f->plain && status == UMFPACK_WARNING_singular_matrix) { // UMFPACK calls infinite pivots singular, too
        f->rcond = NAN;
        return DONE;
    }
    return outcome_of(status);
}

static void drop_factor(Factor *f) {
    if (f->numeric) family_of(f->analysis)->drop_numeric(&f->numeric);
}

typedef struct Solving {
    const Factor *factor;
    double *x;
    const double *b;
    int system, *statuses; // statuses by column
    char *numbers;         // workspaces by worker, like `rooms`
    double *rooms;
} Solving;

static void solve_column(void *argument, int part, int worker) {
    const Solving *s = argument;
    const Analysis *a = s->factor->analysis;
    int64_t count = a->n * doubles_of(a);
    double control[UMFPACK_CONTROL];
    choose(a, control);
    s->statuses[part] = family_of(a)->solve(s->factor, s->system, s->x + part * count, s->b + part * count,
                                            s->numbers + worker * a->n * 8, s->rooms + worker * a->n * 4, control);
}

static Outcome solve(SparseCall *call, Factor *f, double *x, const double *b, int64_t columns, Transpose trans) {
    static const int systems[] = {[PLAIN] = UMFPACK_A, [TRANSPOSED] = UMFPACK_Aat, [ADJOINT] = UMFPACK_At};
    size_t workers = (size_t)call->threads, n = (size_t)f->analysis->n;
    Solving s = {.factor = f, .x = x, .b = b, .system = systems[trans]};
    s.statuses = call->host->scratch(call, (size_t)columns * sizeof *s.statuses);
    s.numbers = call->host->scratch(call, workers * n * 8);
    s.rooms = call->host->scratch(call, workers * n * 4 * sizeof *s.rooms);
    if (!s.statuses || !s.numbers || !s.rooms) return LEFT;
    if (columns == 1) solve_column(&s, 0, 0);
    else call->host->share(call, solve_column, &s, (int)columns);
    for (int64_t k = 0; k < columns; k++)
        if (s.statuses[k] != UMFPACK_OK && s.statuses[k] != UMFPACK_WARNING_singular_matrix) return NO_MEMORY;
    return DONE;
}

static int64_t entries(const Factor *f) {
    int64_t l, u;
    family_of(f->analysis)->sizes(f, &l, &u);
    return l + u;
}

// --- The factors in compressed columns -----------------------------------------------------------

// Converts compressed rows to compressed columns, both with 64-bit indices.
static void turn(int64_t n, int64_t parts, const int64_t *indptr, const int64_t *indices, const double *values, int64_t *to_indptr,
                 int64_t *to_indices, double *to_values) {
    memset(to_indptr, 0, (size_t)(n + 1) * sizeof *to_indptr);
    for (int64_t k = 0; k < indptr[n]; k++) to_indptr[indices[k] + 1]++;
    for (int64_t j = 0; j < n; j++) to_indptr[j + 1] += to_indptr[j];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = indptr[i]; k < indptr[i + 1]; k++) {
            int64_t to = to_indptr[indices[k]]++;
            to_indices[to] = i;
            memcpy(to_values + to * parts, values + k * parts, (size_t)parts * sizeof *values);
        }
    memmove(to_indptr + 1, to_indptr, (size_t)n * sizeof *to_indptr);
    to_indptr[0] = 0;
}

// Widens UMFPACK's indices to 64 bits in place, unless they are wide already. It starts from the end so that none is
// overwritten before it is read.
static void widen(int64_t *indices, int64_t count, bool wide) {
    const int32_t *narrow = (const int32_t *)indices;
    for (int64_t i = count - 1; i >= 0 && !wide; i--) {
        int32_t value;
        memcpy(&value, narrow + i, sizeof value);
        indices[i] = value;
    }
}

static Outcome parts(SparseCall *call, const Factor *f, Parts *p) {
    (void)call;
    const Analysis *a = f->analysis;
    int64_t n = a->n, size = doubles_of(a), l, u;
    family_of(a)->sizes(f, &l, &u);
    int64_t *row_indptr = guard_malloc((size_t)(n + 1) * 8), *row_indices = guard_malloc((size_t)(l + 1) * 8);
    double *row_values = guard_malloc((size_t)(l + 1) * (size_t)size * 8), *scale = guard_malloc((size_t)(n + 1) * 8);
    int64_t **arrays[] = {&p->l_indptr, &p->l_indices, &p->u_indptr, &p->u_indices, &p->row_order, &p->column_order};
    const int64_t counts[] = {n + 1, l, n + 1, u, n, n};
    bool room = row_indptr && row_indices && row_values && scale;
    for (int i = 0; i < 6; i++) room &= (*arrays[i] = guard_malloc((size_t)(counts[i] + 1) * 8)) != NULL;
    room &= (p->l = guard_malloc((size_t)(l + 1) * (size_t)size * 8)) != NULL;
    room &= (p->u = guard_malloc((size_t)(u + 1) * (size_t)size * 8)) != NULL;
    int multiplies = 0;
    void *const to[] = {row_indptr, row_indices, p->u_indptr, p->u_indices, p->row_order, p->column_order};
    Outcome outcome = room ? outcome_of(family_of(a)->parts(f, to, row_values, p->u, scale, &multiplies)) : NO_MEMORY;
    if (outcome == DONE) {
        widen(row_indptr, n + 1, a->wide);
        widen(row_indices, l, a->wide);
        for (int i = 2; i < 6; i++) widen(*arrays[i], counts[i], a->wide);
        turn(n, size, row_indptr, row_indices, row_values, p->l_indptr, p->l_indices, p->l);
        parts_unscale(f, p, scale, multiplies);
    }
    guard_free(row_indptr);
    guard_free(row_indices);
    guard_free(row_values);
    guard_free(scale);
    return outcome;
}

const Method umfpack_method = {analyse, drop_analysis, factor, drop_factor, solve, entries, parts};
