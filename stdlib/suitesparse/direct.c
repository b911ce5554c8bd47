// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operations of direct solvers: factorising a matrix by the method that suits it, solving with the factors, and
// reading them.

#include <float.h>
#include <math.h>

#include "stdlib/suitesparse/direct.h"
#include "stdlib/suitesparse/guard.h"

static void factor_drop(void *state) {
    Factor *f = state;
    if (!f) return;
    if (f->analysis) f->analysis->method->drop_factor(f);
    analysis_drop(f->analysis);
    guard_free(f->values);
    guard_free(f);
}

static const SparseStateKind factor_kind = {"a factorisation", factor_drop};

static Factor *factor_of(SparseCall *call, int i) {
    const SparseArg *arg = &call->args[i];
    if (arg->kind == SPARSE_STATE && arg->state == &factor_kind) return arg->data;
    SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "argument %d has to be a factorisation", i + 1);
    return NULL;
}

static bool failed(SparseCall *call, Outcome outcome) {
    if (outcome == LEFT) {
        if (call->error == SPARSE_OK) call->error = SPARSE_STOPPED;
        return true;
    }
    if (outcome == NO_MEMORY || outcome == TOO_LARGE) {
        SPARSE_FAIL(call, SPARSE_NO_MEMORY, "no memory");
        return true;
    }
    return false;
}

// --- Factorising ---------------------------------------------------------------------------------

typedef struct Wish {
    Ordering ordering;
    double pivot;
    const Factor *like; // NULL: none
} Wish;

static Outcome factor_make(SparseCall *call, const Method *method, const Wish *wish, bool plain, Factor **out) {
    Factor *f = guard_calloc(1, sizeof *f);
    if (!f) return NO_MEMORY;
    f->plain = plain;
    f->like = wish->like;
    Outcome outcome = analysis_make(call, wish->like ? wish->like->analysis : NULL, wish->ordering, wish->pivot, method, &f->analysis);
    if (outcome == DONE) {
        size_t bytes = (size_t)(f->analysis->entries * doubles_of(f->analysis)) * sizeof *f->values;
        f->values = guard_malloc(bytes + 1);
        if (f->values) {
            memcpy(f->values, call->args[2].data, bytes);
            outcome = method->factor(call, f);
        } else outcome = NO_MEMORY;
    }
    f->like = NULL;
    if (outcome == DONE) *out = f;
    else factor_drop(f);
    return outcome;
}

static bool text_is(const SparseArg *arg, const char *text) {
    return arg->kind == SPARSE_TEXT && strcmp(arg->text, text) == 0;
}

static Ordering ordering_of(const SparseArg *arg) {
    if (text_is(arg, "NATURAL")) return ORDER_NATURAL;
    if (text_is(arg, "MMD_AT_PLUS_A")) return ORDER_SYMMETRIC;
    return text_is(arg, "COLAMD") || text_is(arg, "MMD_ATA") ? ORDER_COLUMNS : ORDER_AUTO;
}

// Returns whether the matrix should be factorised as a band: the band is narrow and has enough nonzero elements.
static bool is_band(const Structure *s, int64_t n, int64_t entries) {
    enum { WIDEST = 128, SHARE = 6 };
    int64_t height = 2 * s->below + s->above + 1;
    return height <= WIDEST && n * height <= SHARE * entries;
}

// Returns whether KLU's analysis is worth its time. Matrices with many elements per column fill in too much for KLU. If
// `like` is UMFPACK's analysis of the same pattern, KLU was rejected for it before.
static bool may_be_circuit(const SparseArg *args, const Wish *wish, int64_t n, int64_t entries) {
    enum { IN_COLUMN = 8 };
    const Analysis *like = wish->like ? wish->like->analysis : NULL;
    if (wish->ordering != ORDER_AUTO || wish->pivot >= 0 || entries > IN_COLUMN * n) return false;
    return !analysis_fits(args, like, wish->ordering, wish->pivot, &umfpack_method);
}

// Factorises by the method that suits the matrix. DONE: the caller owns *made.
static Outcome factor_best(SparseCall *call, const Structure *s, const Wish *wish, Factor **made) {
    const SparseArg *args = call->args;
    int64_t n = args[3].whole, entries = at(args[0].data, args[0].type == DT_INT64, n);
    Outcome outcome = NOT_POSITIVE;
    bool free_choice = text_is(&args[4], "auto") && !s->infinite;
    if (free_choice && is_band(s, n, entries)) return factor_make(call, &banded_method, wish, false, made);
    if (free_choice && s->hermitian && s->positive) outcome = factor_make(call, &cholmod_method, wish, false, made);
    if (outcome == NOT_POSITIVE && free_choice && may_be_circuit(args, wish, n, entries))
        outcome = factor_make(call, &klu_method, wish, false, made);
    return outcome == NOT_POSITIVE || outcome == UNSUITED ? factor_make(call, &umfpack_method, wish, s->infinite, made) : outcome;
}

// direct_factor(indptr, indices, data, n, method, ordering, pivot, like): factorises a matrix by columns in canonical
// form. Returns a status (0: done, 1: singular; NaN and n = 0 count as singular), an estimate of 1 / the condition
// number, and, if done, the factorisation. Methods: "auto", "lu" (UMFPACK). `like` is an earlier factorisation: if it
// has the same pattern, its analysis is reused, and with KLU its pivots, too, unless they are numerically unsuitable.
void op_direct_factor(SparseCall *call) {
    const SparseArg *args = call->args;
    if (!matrix_check(call)) return;
    int64_t *next = call->host->scratch(call, (size_t)(args[3].whole + 1) * sizeof *next);
    if (!next) return;
    Structure s = structure_of(args, next);
    Wish wish = {ordering_of(&args[5]), args[6].kind == SPARSE_NUMBER ? args[6].number : -1, NULL};
    if (args[7].kind == SPARSE_STATE) {
        const Factor *like = factor_of(call, 7);
        if (!like) return;
        wish.like = like;
    }
    Factor *made = NULL;
    Outcome outcome = s.nan || args[3].whole == 0 ? SINGULAR : factor_best(call, &s, &wish, &made);
    if (failed(call, outcome)) return;
    call->host->whole(call, outcome == DONE ? 0 : 1);
    call->host->number(call, made ? made->rcond : 0);
    if (made) call->host->state(call, &factor_kind, made);
}

// --- Solving -------------------------------------------------------------------------------------

// Computes, for one column, the residual b - op(A) x, and the weights |op(A)| |x| + |b|.
#define RESIDUAL(NAME, T, I, MAGNITUDE, CONJ)                                                                         \
    static void NAME(const Factor *f, const T *x, const T *b, Transpose trans, T *residual, double *weight) {         \
        const Analysis *a = f->analysis;                                                                              \
        const T *values = (const T *)f->values;                                                                       \
        const I *indptr = a->indptr, *indices = a->indices;                                                           \
        for (int64_t i = 0; i < a->n; i++) {                                                                          \
            residual[i] = b[i];                                                                                       \
            weight[i] = MAGNITUDE(b[i]);                                                                              \
        }                                                                                                             \
        for (int64_t j = 0; j < a->n; j++) {                                                                          \
            T xj = x[j], rest = residual[j];                                                                          \
            double size = weight[j];                                                                                  \
            for (int64_t k = indptr[j]; k < indptr[j + 1] && trans == PLAIN; k++) {                                   \
                T term = values[k] * xj;                                                                              \
                residual[indices[k]] -= term;                                                                         \
                weight[indices[k]] += MAGNITUDE(term);                                                                \
            }                                                                                                         \
            for (int64_t k = indptr[j]; k < indptr[j + 1] && trans != PLAIN; k++) {                                   \
                T term = (trans == ADJOINT ? CONJ(values[k]) : values[k]) * x[indices[k]];                            \
                rest -= term;                                                                                         \
                size += MAGNITUDE(term);                                                                              \
            }                                                                                                         \
            if (trans == PLAIN) continue;                                                                             \
            residual[j] = rest;                                                                                       \
            weight[j] = size;                                                                                         \
        }                                                                                                             \
    }
typedef double complex Complex;
static double size_of(Complex x) {
    return fabs(creal(x)) + fabs(cimag(x));
}
RESIDUAL(residual_real_narrow, double, int32_t, fabs, )
RESIDUAL(residual_real_wide, double, int64_t, fabs, )
RESIDUAL(residual_complex_narrow, Complex, int32_t, size_of, conj)
RESIDUAL(residual_complex_wide, Complex, int64_t, size_of, conj)

// Returns the componentwise backward error: the largest |residual| / weight.
static double backward_error(const Factor *f, const double *x, const double *b, Transpose trans, double *residual,
                             double *weight) {
    const Analysis *a = f->analysis;
    double worst = 0;
    if (a->is_complex)
        (a->wide ? residual_complex_wide : residual_complex_narrow)(f, (const Complex *)x, (const Complex *)b, trans,
                                                                    (Complex *)residual, weight);
    else (a->wide ? residual_real_wide : residual_real_narrow)(f, x, b, trans, residual, weight);
    for (int64_t i = 0; i < a->n; i++) {
        double error = a->is_complex ? size_of(((const Complex *)residual)[i]) : fabs(residual[i]);
        if (error > worst * weight[i]) worst = error / weight[i];
    }
    return worst;
}

// Columns whose backward errors are computed on all threads.
typedef struct Check {
    const Factor *factor;
    const double *x, *b;
    Transpose trans;
    double *rooms, *errors; // workspaces by worker; errors by column
} Check;

static int64_t doubles_in(const Factor *f) {
    return f->analysis->n * doubles_of(f->analysis);
}

static void check_column(void *argument, int part, int worker) {
    const Check *c = argument;
    int64_t count = doubles_in(c->factor);
    double *residual = c->rooms + worker * 2 * count;
    c->errors[part] = backward_error(c->factor, c->x + part * count, c->b + part * count, c->trans, residual, residual + count);
}

// Refines a solution iteratively, while its backward error is large and decreases. One step is nearly always enough.
static Outcome refine(SparseCall *call, Factor *f, double *x, const double *b, Transpose trans, double *room) {
    enum { STEPS = 3 };
    int64_t count = doubles_in(f);
    double *residual = room, *change = room + count, *weight = change + count;
    double error = backward_error(f, x, b, trans, residual, weight);
    for (int step = 0; step < STEPS && error > 0; step++) {
        Outcome outcome = f->analysis->method->solve(call, f, change, residual, 1, trans);
        if (outcome != DONE) return outcome;
        for (int64_t i = 0; i < count; i++) change[i] += x[i];
        double next = backward_error(f, change, b, trans, residual, weight);
        if (!(next < error)) break;
        memcpy(x, change, (size_t)count * sizeof *x);
        if (next < 16 * DBL_EPSILON) break;
        error = next;
    }
    return DONE;
}

static Outcome solve_all(SparseCall *call, Factor *f, double *x, const double *b, int64_t columns, Transpose trans) {
    enum { AT_ONCE = 16 };
    const double enough = 64 * DBL_EPSILON;
    int64_t count = doubles_in(f);
    double errors[AT_ONCE], *rooms = call->host->scratch(call, (size_t)count * (size_t)(2 * call->threads + 3) * sizeof *rooms);
    if (!rooms) return LEFT;
    for (int64_t k = 0; k < columns; k += AT_ONCE) {
        int64_t width = columns - k < AT_ONCE ? columns - k : AT_ONCE;
        Outcome outcome = f->analysis->method->solve(call, f, x + k * count, b + k * count, width, trans);
        if (outcome != DONE) return outcome;
        Check check = {f, x + k * count, b + k * count, trans, rooms, errors};
        call->host->share(call, check_column, &check, (int)width);
        for (int64_t c = 0; c < width && outcome == DONE; c++)
            if (errors[c] > enough && errors[c] < INFINITY)
                outcome = refine(call, f, x + (k + c) * count, b + (k + c) * count, trans, rooms);
        if (outcome != DONE) return outcome;
        if (call->host->stopped(call)) return LEFT;
    }
    return DONE;
}

// Solves with a real factorisation and complex right-hand sides: their real and imaginary parts become separate
// columns.
static Outcome solve_parts(SparseCall *call, Factor *f, double *x, const double *b, int64_t columns, Transpose trans) {
    int64_t count = f->analysis->n * columns;
    double *split = call->host->scratch(call, (size_t)count * 4 * sizeof *split), *solved = split + 2 * count;
    if (!split) return LEFT;
    for (int64_t i = 0; i < count; i++) {
        split[i] = b[2 * i];
        split[count + i] = b[2 * i + 1];
    }
    Outcome outcome = solve_all(call, f, solved, split, 2 * columns, trans);
    for (int64_t i = 0; i < count && outcome == DONE; i++) {
        x[2 * i] = solved[i];
        x[2 * i + 1] = solved[count + i];
    }
    return outcome;
}

static double *with_parts(SparseCall *call, const double *b, int64_t count) {
    double *made = call->host->scratch(call, (size_t)count * 2 * sizeof *made);
    for (int64_t i = 0; made && i < count; i++) {
        made[2 * i] = b[i];
        made[2 * i + 1] = 0;
    }
    return made;
}

// direct_solve(factorisation, b, columns, trans): returns the solution x of op(A) x = b, column-major like b. trans: 0
// for A, 1 for its transpose, 2 for its adjoint.
void op_direct_solve(SparseCall *call) {
    const SparseArg *b = &call->args[1];
    Factor *f = factor_of(call, 0);
    if (!f) return;
    int64_t n = f->analysis->n, columns = call->args[2].whole, trans = call->args[3].whole;
    bool is_complex = b->type == DT_COMPLEX128;
    if (b->kind != SPARSE_ARRAY || (!is_complex && b->type != DT_FLOAT64) || columns < 0 || b->count % n != 0 ||
        b->count / n != columns || trans < PLAIN || trans > ADJOINT) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "b is of incompatible size");
        return;
    }
    double *x = call->host->array(call, is_complex || f->analysis->is_complex ? DT_COMPLEX128 : DT_FLOAT64, b->count);
    if (!x) return;
    const double *right = f->analysis->is_complex && !is_complex ? with_parts(call, b->data, b->count) : b->data;
    if (!right) return;
    Outcome outcome = is_complex && !f->analysis->is_complex ? solve_parts(call, f, x, right, columns, (Transpose)trans)
                                                       : solve_all(call, f, x, right, columns, (Transpose)trans);
    failed(call, outcome);
}

// --- Reading a factorisation ---------------------------------------------------------------------

// direct_entries(factorisation): returns the number of elements stored in L and U.
void op_direct_entries(SparseCall *call) {
    const Factor *f = factor_of(call, 0);
    if (f) call->host->whole(call, f->analysis->method->entries(f));
}

// direct_method(factorisation): returns which method made it. 0: the band LU of banded.c, 1: CHOLMOD, 2: KLU, 3:
// UMFPACK.
void op_direct_method(SparseCall *call) {
    static const Method *const methods[] = {&banded_method, &cholmod_method, &klu_method, &umfpack_method};
    const Factor *f = factor_of(call, 0);
    for (int i = 0; f && i < 4; i++)
        if (f->analysis->method == methods[i]) call->host->whole(call, i);
}

static bool give(SparseCall *call, DType type, const void *from, int64_t count) {
    void *to = call->host->array(call, type, count);
    if (to) memcpy(to, from, (size_t)count * (type == DT_COMPLEX128 ? 16 : 8));
    return to != NULL;
}

// Adds the inverse of the permutation `order` to the results. False: sets the call's error.
static bool give_positions(SparseCall *call, const int64_t *order, int64_t n) {
    int64_t *to = call->host->array(call, DT_INT64, n);
    for (int64_t k = 0; to && k < n; k++) to[order[k]] = k;
    return to != NULL;
}

// direct_parts(factorisation): returns indptr, indices and data of L and of U, by columns. Then two permutations: the
// position of each row, and of each column, of A in L U.
void op_direct_parts(SparseCall *call) {
    const Factor *f = factor_of(call, 0);
    if (!f) return;
    Parts p = {0};
    int64_t n = f->analysis->n;
    DType type = f->analysis->is_complex ? DT_COMPLEX128 : DT_FLOAT64;
    Outcome outcome = f->analysis->method->parts(call, f, &p);
    if (!failed(call, outcome)) {
        int64_t l = p.l_indptr[n], u = p.u_indptr[n];
        (void)(give(call, DT_INT64, p.l_indptr, n + 1) && give(call, DT_INT64, p.l_indices, l) && give(call, type, p.l, l) &&
               give(call, DT_INT64, p.u_indptr, n + 1) && give(call, DT_INT64, p.u_indices, u) && give(call, type, p.u, u) &&
               give_positions(call, p.row_order, n) && give_positions(call, p.column_order, n));
    }
    void *const made[] = {p.l_indptr, p.l_indices, p.l, p.u_indptr, p.u_indices, p.u, p.row_order, p.column_order};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) guard_free(made[i]);
}
