// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cholesky factors of Hermitian matrices, by CHOLMOD: simplicial for little work, supernodal for more.

#include "stdlib/suitesparse/guard.h"
#include "stdlib/suitesparse/tree.h"
#include "stdlib/suitesparse/width.h"

#define WIDTH(NAME, ITYPE, P)                                                                                             \
    static const Width NAME = {ITYPE, P##start, P##finish, P##analyze, P##copy_factor, P##factorize, P##rcond, P##solve2, \
                               P##change_factor, P##free_factor, P##free_dense, P##free_sparse};
WIDTH(narrow, CHOLMOD_INT, cholmod_)
WIDTH(wide, CHOLMOD_LONG, cholmod_l_)

const Width *width_for(bool is_wide) {
    return is_wide ? &wide : &narrow;
}
static const Width *width_of(const Analysis *a) {
    return width_for(a->wide);
}

// A factorisation, with CHOLMOD's workspace.
typedef struct Numeric {
    cholmod_common common;
    cholmod_factor *factor;
    Tree *tree;           // for a real supernodal factor; else NULL
} Numeric;

void cholmod_begin(bool wide, cholmod_common *common) {
    width_for(wide)->start(common);
    common->print = 0;
    common->try_catch = true;
    common->quick_return_if_not_posdef = true;
    common->nmethods = 1; // METIS takes longer than what it saves in one factorisation
    common->method[0].ordering = CHOLMOD_AMD;
    common->postorder = true;
}

cholmod_sparse cholmod_matrix(bool wide, int64_t rows, int64_t columns, const void *indptr, const void *indices,
                              const double *values, bool is_complex, int stype) {
    return (cholmod_sparse){.nrow = (size_t)rows, .ncol = (size_t)columns, .nzmax = (size_t)at(indptr, wide, columns),
                            .p = (void *)(uintptr_t)indptr, .i = (void *)(uintptr_t)indices, .x = (void *)(uintptr_t)values,
                            .stype = stype, .itype = width_for(wide)->itype,
                            .xtype = !values ? CHOLMOD_PATTERN : is_complex ? CHOLMOD_COMPLEX : CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE, .sorted = 1, .packed = 1};
}

cholmod_dense cholmod_columns(const double *x, int64_t rows, int64_t columns, bool is_complex) {
    return (cholmod_dense){.nrow = (size_t)rows, .ncol = (size_t)columns, .nzmax = (size_t)(rows * columns), .d = (size_t)rows,
                           .x = (void *)(uintptr_t)x, .xtype = is_complex ? CHOLMOD_COMPLEX : CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
}

void cholmod_solve_guarded(void *solution) {
    Solution *now = solution;
    const Width *w = width_for(now->wide);
    cholmod_common common;
    cholmod_dense *to = now->left, *y = NULL, *e = NULL;
    cholmod_begin(now->wide, &common);
    w->solve2(now->system, now->factor, now->right, NULL, &to, NULL, &y, &e, &common);
    now->outcome = cholmod_outcome(&common);
    w->free_dense(&y, &common);
    w->free_dense(&e, &common);
    w->finish(&common);
}

void cholmod_simplify_guarded(void *simplicial) {
    Simplicial *now = simplicial;
    const Width *w = width_for(now->wide);
    cholmod_begin(now->wide, &now->common);
    cholmod_factor *l = now->made = w->copy_factor(now->from, &now->common);
    now->fine = l && w->change_factor(l->xtype, now->squares, false, true, true, l, &now->common);
}

// Returns a header for the upper triangle of the matrix. It borrows the arrays of `a` and `values`.
static cholmod_sparse matrix_of(const Analysis *a, const double *values) {
    return cholmod_matrix(a->wide, a->n, a->n, a->indptr, a->indices, values, a->is_complex, 1);
}

Outcome cholmod_outcome(const cholmod_common *common) {
    if (common->status == CHOLMOD_NOT_POSDEF) return NOT_POSITIVE;
    if (common->status == CHOLMOD_TOO_LARGE) return TOO_LARGE;
    return common->status < CHOLMOD_OK ? NO_MEMORY : DONE;
}

typedef struct Analysing {
    Analysis *analysis;
    cholmod_factor *made;
    Outcome outcome;
} Analysing;

static void analyse_guarded(void *job) {
    Analysing *now = job;
    Analysis *a = now->analysis;
    cholmod_common common;
    cholmod_sparse matrix = matrix_of(a, NULL);
    cholmod_begin(a->wide, &common);
    now->made = width_of(a)->analyze(&matrix, &common);
    now->outcome = now->made ? DONE : cholmod_outcome(&common);
    if (now->made) a->bytes = now->made->is_super ? 8 * (double)now->made->xsize : common.lnz * (a->wide ? 16 : 12);
    if (a->is_complex) a->bytes *= 2;
    width_of(a)->finish(&common);
}

static Outcome analyse(SparseCall *call, Analysis *a, const double *values) {
    Analysing now = {.analysis = a};
    (void)values;
    if (!guarded(call, analyse_guarded, &now)) return LEFT;
    a->symbolic = now.made;
    return call->host->stopped(call) ? LEFT : now.outcome;
}

static void drop_analysis(Analysis *a) {
    cholmod_common common;
    cholmod_begin(a->wide, &common);
    cholmod_factor *symbolic = a->symbolic;
    width_of(a)->free_factor(&symbolic, &common);
    width_of(a)->finish(&common);
    a->symbolic = NULL;
}

static void factor_guarded(void *job) {
    Factor *f = job;
    Numeric *made = f->numeric;
    const Width *w = width_of(f->analysis);
    cholmod_sparse matrix = matrix_of(f->analysis, f->values);
    cholmod_begin(f->analysis->wide, &made->common);
    made->factor = w->copy_factor(f->analysis->symbolic, &made->common);
    if (made->factor) w->factorize(&matrix, made->factor, &made->common);
    if (made->factor && made->common.status == CHOLMOD_OK) f->rcond = w->rcond(made->factor, &made->common);
}

static Outcome factor(SparseCall *call, Factor *f) {
    const Analysis *a = f->analysis;
    if (!reserve(call, a->bytes)) return LEFT;
    Numeric *made = guard_calloc(1, sizeof *made);
    if (!made) return NO_MEMORY;
    f->numeric = made;
    if (!guarded(call, factor_guarded, f)) {
        guard_free(made);
        f->numeric = NULL;
        return LEFT;
    }
    if (!made->factor) return NO_MEMORY;
    Outcome outcome = cholmod_outcome(&made->common);
    if (outcome != DONE) return outcome;
    if (!(f->rcond > 0)) return NOT_POSITIVE;
    if (!made->factor->is_super || a->is_complex || a->n > INT32_MAX) return DONE;
    made->tree = tree_make(made->factor, a->wide);
    return made->tree ? DONE : NO_MEMORY;
}

static void drop_factor(Factor *f) {
    Numeric *made = f->numeric;
    if (!made) return;
    const Width *w = width_of(f->analysis);
    tree_drop(made->tree);
    w->free_factor(&made->factor, &made->common);
    w->finish(&made->common);
    guard_free(made);
    f->numeric = NULL;
}

static void turn_signs(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[2 * i + 1] = -x[2 * i + 1];
}

// A is Hermitian, so its adjoint is A itself, and its transpose is conj(A). conj(A) x = b is solved as A conj(x) =
// conj(b).
static Outcome solve(SparseCall *call, Factor *f, double *x, const double *b, int64_t columns, Transpose trans) {
    const Analysis *a = f->analysis;
    Numeric *made = f->numeric;
    int64_t count = a->n * columns;
    if (made->tree) return tree_solve(call, made->tree, x, b, columns) ? DONE : LEFT;
    bool conj = a->is_complex && trans == TRANSPOSED;
    cholmod_dense right = cholmod_columns(b, a->n, columns, a->is_complex);
    cholmod_dense left = right;
    left.x = x;
    if (conj) { // CHOLMOD can solve in place
        memcpy(x, b, (size_t)count * 2 * sizeof *x);
        turn_signs(x, count);
        right.x = x;
    }
    Solution now = {a->wide, CHOLMOD_A, made->factor, &right, &left, DONE};
    if (!guarded(call, cholmod_solve_guarded, &now)) return LEFT;
    if (conj) turn_signs(x, count);
    return now.outcome == DONE ? DONE : NO_MEMORY;
}

static int64_t entries(const Factor *f) {
    const Numeric *made = f->numeric;
    const cholmod_factor *l = made->factor;
    int64_t count = 0;
    for (int64_t j = 0; j < f->analysis->n; j++) count += at(l->ColCount, f->analysis->wide, j);
    return 2 * count;
}

// --- The factors in the form of an LU: L D Lᴴ is L times U = D Lᴴ ----------------------------------

static void copy_lower(const cholmod_factor *l, bool wide, int64_t n, int64_t parts, Parts *p) {
    int64_t to = 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t from = at(l->p, wide, j), end = from + at(l->nz, wide, j);
        p->l_indptr[j] = to;
        for (int64_t k = from; k < end; k++, to++) p->l_indices[to] = at(l->i, wide, k);
        memcpy(p->l + p->l_indptr[j] * parts, (const double *)l->x + from * parts, (size_t)((end - from) * parts) * 8);
    }
    p->l_indptr[n] = to;
}

// Writes U = D Lᴴ by columns: its rows are the columns of L. D is on the diagonal of L, which is then set to 1.
static void make_upper(int64_t n, int64_t parts, Parts *p) {
    memset(p->u_indptr, 0, (size_t)(n + 1) * sizeof *p->u_indptr);
    for (int64_t k = 0; k < p->l_indptr[n]; k++) p->u_indptr[p->l_indices[k] + 1]++;
    for (int64_t j = 0; j < n; j++) p->u_indptr[j + 1] += p->u_indptr[j];
    for (int64_t i = 0; i < n; i++) {
        double d = p->l[p->l_indptr[i] * parts];
        p->l[p->l_indptr[i] * parts] = 1;
        for (int64_t k = p->l_indptr[i]; k < p->l_indptr[i + 1]; k++) {
            int64_t to = p->u_indptr[p->l_indices[k]]++;
            p->u_indices[to] = i;
            p->u[to * parts] = d * p->l[k * parts];
            if (parts == 2) p->u[to * 2 + 1] = -d * p->l[k * 2 + 1];
        }
    }
    memmove(p->u_indptr + 1, p->u_indptr, (size_t)n * sizeof *p->u_indptr);
    p->u_indptr[0] = 0;
}

static Outcome parts(SparseCall *call, const Factor *f, Parts *p) {
    const Analysis *a = f->analysis;
    const Width *w = width_of(a);
    const Numeric *made = f->numeric;
    int64_t n = a->n, size = doubles_of(a), count = 0;
    Simplicial now = {.wide = a->wide, .from = made->factor};
    if (!guarded(call, cholmod_simplify_guarded, &now)) return LEFT;
    const cholmod_factor *l = now.made;
    bool room = now.fine;
    for (int64_t j = 0; room && j < n; j++) count += at(l->nz, a->wide, j);
    int64_t **arrays[] = {&p->l_indptr, &p->l_indices, &p->u_indptr, &p->u_indices, &p->row_order, &p->column_order};
    const int64_t counts[] = {n + 1, count, n + 1, count, n, n};
    for (int i = 0; i < 6 && room; i++) room = (*arrays[i] = guard_malloc((size_t)(counts[i] + 1) * 8)) != NULL;
    room = room && (p->l = guard_malloc((size_t)((count + 1) * size) * 8)) && (p->u = guard_malloc((size_t)((count + 1) * size) * 8));
    if (room) {
        copy_lower(l, a->wide, n, size, p);
        make_upper(n, size, p);
        for (int64_t k = 0; k < n; k++) p->row_order[k] = p->column_order[k] = at(l->Perm, a->wide, k);
    }
    w->free_factor(&now.made, &now.common);
    w->finish(&now.common);
    return room ? DONE : NO_MEMORY;
}

const Method cholmod_method = {analyse, drop_analysis, factor, drop_factor, solve, entries, parts};
