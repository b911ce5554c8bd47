// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Cholesky factors as objects that programs can read and update: L L' or L D L' of A + beta I, in CHOLMOD's ordering.

#include "stdlib/suitesparse/cholesky.h"
#include "stdlib/suitesparse/guard.h"
#include "stdlib/suitesparse/matrix.h"
#include "stdlib/suitesparse/width.h"

typedef struct Cholesky {
    bool wide, numbers; // wide: 64-bit indices; numbers: it has values, not only an analysis
    int64_t n;
    cholmod_common common;
    cholmod_factor *factor;
} Cholesky;

static void cholesky_drop(void *state) {
    Cholesky *c = state;
    width_for(c->wide)->free_factor(&c->factor, &c->common);
    width_for(c->wide)->finish(&c->common);
    guard_free(c);
}

static const SparseStateKind cholesky_kind = {"a Cholesky factor", cholesky_drop};

static Cholesky *cholesky_new(bool wide, int64_t n) {
    Cholesky *c = guard_calloc(1, sizeof *c);
    if (!c) return NULL;
    c->wide = wide;
    c->n = n;
    cholmod_begin(wide, &c->common);
    return c;
}

static Cholesky *cholesky_of(SparseCall *call, bool numbers) {
    const SparseArg *arg = &call->args[0];
    if (arg->kind != SPARSE_STATE || arg->state != &cholesky_kind)
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "the first argument has to be a Cholesky factor");
    else if (numbers && !((Cholesky *)arg->data)->numbers)
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "the factor has been analysed, but not computed");
    else return arg->data;
    return NULL;
}

static bool no_memory(SparseCall *call) {
    SPARSE_FAIL(call, SPARSE_NO_MEMORY, "no memory");
    return false;
}

// Reads the matrix from the arguments, starting with the i-th. If `like` is given, the index width has to be the same.
// False: sets the call's error.
static bool matrix_args(SparseCall *call, int i, bool has_data, int64_t rows, int64_t columns, const Cholesky *like,
                        MatrixArgs *m) {
    if (matrix_fine(call->args, i, has_data, rows, columns, m) && (!like || like->wide == m->wide)) return true;
    return matrix_refused(call);
}

static cholmod_sparse matrix_of(const MatrixArgs *m, int stype) {
    return cholmod_matrix(m->wide, m->rows, m->columns, m->indptr->data, m->indices->data, m->data ? m->data->data : NULL,
                          m->is_complex, stype);
}

// --- Factors ---------------------------------------------------------------------------------------

static void set_ordering(cholmod_common *common, const SparseArg *name) {
    static const struct { const char *name; int ordering; } orderings[] = {
        {"natural", CHOLMOD_NATURAL}, {"amd", CHOLMOD_AMD}, {"metis", CHOLMOD_METIS}, {"nesdis", CHOLMOD_NESDIS},
        {"colamd", CHOLMOD_COLAMD},
    };
    common->nmethods = 1;
    for (size_t i = 0; i < sizeof orderings / sizeof *orderings; i++)
        if (strcmp(name->text, orderings[i].name) == 0) common->method[0].ordering = orderings[i].ordering;
    if (strcmp(name->text, "natural") == 0) common->postorder = false;
    if (strcmp(name->text, "default") == 0) common->nmethods = 0;
    if (strcmp(name->text, "best") == 0) common->nmethods = 9;
}

// The arguments of a guarded call of CHOLMOD, which fills the factor of `to`.
typedef struct Calling {
    Cholesky *to;
    const Cholesky *from;   // for a factorisation: has the analysis
    cholmod_sparse *matrix; // NULL: `to` becomes a copy of `from`
    double beta;
} Calling;

static void analyze_guarded(void *job) {
    Calling *now = job;
    now->to->factor = width_for(now->to->wide)->analyze(now->matrix, &now->to->common);
}

static void factorize_guarded(void *job) {
    Calling *now = job;
    Cholesky *c = now->to;
    double shift[2] = {now->beta, 0};
    c->factor = width_for(c->wide)->copy_factor(now->from->factor, &c->common);
    if (!c->factor || !now->matrix) return;
    if (c->wide) cholmod_l_factorize_p(now->matrix, shift, NULL, 0, c->factor, &c->common);
    else cholmod_factorize_p(now->matrix, shift, NULL, 0, c->factor, &c->common);
}

// cholesky_analyze(indptr, indices, n, ordering, mode): analyses the pattern and returns a factor without values. Only
// the lower triangle of the matrix is read. Modes: "auto", "simplicial", "supernodal".
void op_cholesky_analyze(SparseCall *call) {
    const SparseArg *args = call->args;
    MatrixArgs m;
    int64_t n = args[2].whole;
    if (args[3].kind != SPARSE_TEXT || args[4].kind != SPARSE_TEXT) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "ordering and mode have to be names");
        return;
    }
    if (!matrix_args(call, 0, false, n, n, NULL, &m)) return;
    Cholesky *c = cholesky_new(m.wide, n);
    if (!c) {
        no_memory(call);
        return;
    }
    set_ordering(&c->common, &args[3]);
    c->common.supernodal = strcmp(args[4].text, "simplicial") == 0   ? CHOLMOD_SIMPLICIAL
                           : strcmp(args[4].text, "supernodal") == 0 ? CHOLMOD_SUPERNODAL
                                                                     : CHOLMOD_AUTO;
    cholmod_sparse matrix = matrix_of(&m, -1);
    Calling now = {.to = c, .matrix = &matrix};
    metis_lock();
    bool whole = guarded(call, analyze_guarded, &now);
    metis_unlock();
    if (!whole) {
        guard_free(c); // guarded() has freed everything that CHOLMOD allocated for it
        return;
    }
    if (c->factor) {
        call->host->state(call, &cholesky_kind, c);
        return;
    }
    cholesky_drop(c);
    no_memory(call);
}

// Returns a copy of the values in which the diagonal is real. Rounding may have left imaginary parts there, and CHOLMOD
// refuses those. NULL: sets the call's error.
static const double *hermitian_values(SparseCall *call, const MatrixArgs *m) {
    size_t bytes = (size_t)m->data->count * 16;
    double *made = call->host->scratch(call, bytes);
    if (!made) return NULL;
    memcpy(made, m->data->data, bytes);
    for (int64_t j = 0; j < m->columns; j++)
        for (int64_t k = at(m->indptr->data, m->wide, j); k < at(m->indptr->data, m->wide, j + 1); k++)
            if (at(m->indices->data, m->wide, k) == j) made[2 * k + 1] = 0;
    return made;
}

// Returns the first column of L D L' whose element of D is not positive, or n if there is none. CHOLMOD itself goes on
// after a negative one.
static int64_t first_not_positive(const Cholesky *c) {
    const cholmod_factor *l = c->factor;
    if (l->is_ll || l->is_super) return (int64_t)l->minor;
    for (int64_t j = 0; j < (int64_t)l->minor; j++) {
        int64_t k = at(l->p, c->wide, j);
        if (!(((const double *)l->x)[l->xtype == CHOLMOD_COMPLEX ? 2 * k : k] > 0)) return j;
    }
    return (int64_t)l->minor;
}

// cholesky_factor(factor, indptr, indices, data, beta): factorises A + beta I with the analysis of `factor`, which is
// not changed. Returns the column (from 0) of the first pivot that is not positive, or -1; then the new factor. If the
// matrix is None, the new factor is a copy.
void op_cholesky_factor(SparseCall *call) {
    Cholesky *from = cholesky_of(call, false), *c;
    MatrixArgs m;
    bool copies = from && call->args[1].kind == SPARSE_NONE;
    if (!from || (!copies && !matrix_args(call, 1, true, from->n, from->n, from, &m))) return;
    Calling now = {.from = from, .beta = call->args[4].number};
    cholmod_sparse matrix;
    if (!copies) {
        const double *values = m.is_complex ? hermitian_values(call, &m) : m.data->data;
        if (!values) return;
        matrix = cholmod_matrix(m.wide, m.rows, m.columns, m.indptr->data, m.indices->data, values, m.is_complex, -1);
        now.matrix = &matrix;
    }
    now.to = c = cholesky_new(from->wide, from->n);
    if (!c) {
        no_memory(call);
        return;
    }
    if (!guarded(call, factorize_guarded, &now)) {
        guard_free(c); // guarded() has freed everything that CHOLMOD allocated for it
        return;
    }
    c->numbers = from->numbers || !copies;
    Outcome outcome = cholmod_outcome(&c->common);
    if (c->factor && (outcome == DONE || outcome == NOT_POSITIVE)) {
        int64_t wrong = copies ? c->n : first_not_positive(c);
        call->host->whole(call, wrong < c->n ? wrong : -1);
        call->host->state(call, &cholesky_kind, c);
        return;
    }
    cholesky_drop(c);
    no_memory(call);
}

// cholesky_solve(factor, system, b, columns): returns x, column-major like b. `system` is CHOLMOD's number of the
// system (CHOLMOD_A …). b has the factor's type, or is complex.
void op_cholesky_solve(SparseCall *call) {
    const SparseArg *args = call->args, *b = &args[2];
    Cholesky *c = cholesky_of(call, true);
    if (!c) return;
    bool is_complex = b->type == DT_COMPLEX128;
    if (b->kind != SPARSE_ARRAY || (!is_complex && b->type != DT_FLOAT64) || args[1].whole < CHOLMOD_A ||
        args[1].whole > CHOLMOD_Pt || args[3].whole < 0 || b->count != c->n * args[3].whole ||
        (c->factor->xtype == CHOLMOD_COMPLEX && !is_complex)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "b is of incompatible size or type");
        return;
    }
    double *to = call->host->array(call, b->type, b->count);
    if (!to || b->count == 0) return;
    cholmod_dense right = cholmod_columns(b->data, c->n, args[3].whole, is_complex), left = right;
    left.x = to;
    Solution now = {c->wide, (int)args[1].whole, c->factor, &right, &left, DONE};
    if (guarded(call, cholmod_solve_guarded, &now) && now.outcome != DONE) no_memory(call);
}

// An update works on a copy of the factor, so that one that is interrupted leaves the original intact.
typedef struct Updating {
    const Cholesky *from;
    cholmod_sparse *matrix;
    bool adds, fine;
    cholmod_common common;
    cholmod_factor *made;
} Updating;

static void update_guarded(void *job) {
    Updating *now = job;
    const Cholesky *c = now->from;
    const Width *w = width_for(c->wide);
    cholmod_sparse *ordered;
    cholmod_begin(c->wide, &now->common);
    now->made = w->copy_factor(c->factor, &now->common);
    if (c->wide) {
        ordered = cholmod_l_submatrix(now->matrix, c->factor->Perm, (SuiteSparse_long)c->n, NULL, -1, true, true, &now->common);
        now->fine = ordered && cholmod_l_updown(now->adds, ordered, now->made, &now->common);
    } else {
        ordered = cholmod_submatrix(now->matrix, c->factor->Perm, (int)c->n, NULL, -1, true, true, &now->common);
        now->fine = ordered && cholmod_updown(now->adds, ordered, now->made, &now->common);
    }
    w->free_sparse(&ordered, &now->common);
}

// cholesky_update(factor, indptr, indices, data, columns, subtract): turns the factor of A into that of A + C C', or of
// A - C C', in place. Returns whether the result is positive definite. Real factors only. The factor becomes an L D L'.
void op_cholesky_update(SparseCall *call) {
    const SparseArg *args = call->args;
    Cholesky *c = cholesky_of(call, true);
    MatrixArgs m;
    if (!c || !matrix_args(call, 1, true, c->n, args[4].whole, c, &m)) return;
    if (m.is_complex || c->factor->xtype != CHOLMOD_REAL) {
        SPARSE_FAIL(call, SPARSE_NOT_IMPLEMENTED, "complex factors cannot be updated");
        return;
    }
    cholmod_sparse matrix = matrix_of(&m, 0);
    Updating now = {.from = c, .matrix = &matrix, .adds = args[5].whole == 0};
    if (!guarded(call, update_guarded, &now)) return;
    Cholesky before = *c;
    c->common = now.common;
    c->factor = now.made;
    width_for(c->wide)->free_factor(&before.factor, &before.common);
    width_for(c->wide)->finish(&before.common);
    if (now.fine) call->host->whole(call, c->common.status != CHOLMOD_NOT_POSDEF && first_not_positive(c) == c->n);
    else no_memory(call);
}

static bool give(SparseCall *call, DType type, const void *from, int64_t count, size_t size) {
    void *to = call->host->array(call, type, count);
    if (to) memcpy(to, from, (size_t)count * size);
    return to != NULL;
}

// cholesky_parts(factor, squares): returns indptr, indices and data of L by columns, and the permutation `order`. If
// `squares`, L L' = A[order][:, order]; else L D L' is, with D stored on the diagonal of L. For a factor without values
// only `order` is returned.
void op_cholesky_parts(SparseCall *call) {
    Cholesky *c = cholesky_of(call, false);
    if (!c) return;
    const Width *w = width_for(c->wide);
    size_t size = c->wide ? 8 : 4;
    DType type = c->wide ? DT_INT64 : DT_INT32;
    if (!c->numbers) {
        give(call, type, c->factor->Perm, c->n, size);
        return;
    }
    Simplicial now = {.wide = c->wide, .from = c->factor, .squares = call->args[1].whole != 0};
    if (!guarded(call, cholmod_simplify_guarded, &now)) return;
    if (!now.fine) no_memory(call);
    else {
        const cholmod_factor *l = now.made;
        int64_t count = at(l->p, c->wide, c->n);
        DType numbers = l->xtype == CHOLMOD_COMPLEX ? DT_COMPLEX128 : DT_FLOAT64;
        (void)(give(call, type, l->p, c->n + 1, size) && give(call, type, l->i, count, size) &&
               give(call, numbers, l->x, count, numbers == DT_COMPLEX128 ? 16 : 8) && give(call, type, l->Perm, c->n, size));
    }
    w->free_factor(&now.made, &now.common);
    w->finish(&now.common);
}
