// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// QR factorisations of sparse matrices, by SPQR: R, the column permutation, and the Householder vectors of Q, as
// ordinary arrays. SPQR supports 64-bit indices only.

#include <suitesparse/SuiteSparseQR_C.h>

#include "stdlib/suitesparse/guard.h"
#include "stdlib/suitesparse/matrix.h"
#include "stdlib/suitesparse/qr.h"
#include "stdlib/suitesparse/width.h"

// What SPQR allocates.
typedef struct Made {
    cholmod_common common;
    cholmod_sparse *r, *h;
    cholmod_dense *c, *tau; // c: Q' b
    SuiteSparse_long *order, *places;
    int64_t rows, columns, rank;
} Made;

static void drop_made(Made *m) {
    cholmod_common *common = &m->common;
    cholmod_l_free_sparse(&m->r, common);
    cholmod_l_free_sparse(&m->h, common);
    cholmod_l_free_dense(&m->c, common);
    cholmod_l_free_dense(&m->tau, common);
    cholmod_l_free((size_t)m->columns, sizeof *m->order, m->order, common);
    cholmod_l_free((size_t)m->rows, sizeof *m->places, m->places, common);
    cholmod_l_finish(common);
}

static int64_t *widened(SparseCall *call, const SparseArg *from, int64_t count) {
    if (from->type == DT_INT64) return from->data;
    int64_t *to = call->host->scratch(call, (size_t)count * sizeof *to);
    for (int64_t i = 0; to && i < count; i++) to[i] = ((const int32_t *)from->data)[i];
    return to;
}

static int ordering_of(const char *name) {
    static const struct { const char *name; int ordering; } known[] = {
        {"natural", SPQR_ORDERING_NATURAL}, {"colamd", SPQR_ORDERING_COLAMD}, {"amd", SPQR_ORDERING_AMD},
        {"metis", SPQR_ORDERING_METIS},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].ordering;
    return -1;
}

typedef struct Calling {
    int ordering;
    double tolerance, bytes;
    cholmod_sparse *a;
    cholmod_dense *b; // NULL: the Householder vectors are kept
    Made *made;
    bool fine;
} Calling;

// Estimates the memory of the factors. The analysis alone bounds how many elements they have. Each element is held
// twice for a while: in the fronts, and with its index.
static void estimate(void *job) {
    Calling *now = job;
    cholmod_common *common = &now->made->common;
    cholmod_begin(true, common);
    SuiteSparseQR_C_factorization *analysis = SuiteSparseQR_C_symbolic(now->ordering, true, now->a, common);
    now->fine = analysis != NULL;
    SuiteSparseQR_C_free(&analysis, common);
    double size = now->a->xtype == CHOLMOD_COMPLEX ? 16 : 8, r = (double)common->SPQR_istat[0], h = (double)common->SPQR_istat[1];
    now->bytes = (r + (now->b ? 0 : h)) * (2 * size + 8);
    cholmod_l_finish(common);
}

static void factorise(void *job) {
    Calling *now = job;
    Made *m = now->made;
    bool has_b = now->b != NULL;
    cholmod_begin(true, &m->common);
    m->rank = SuiteSparseQR_C(now->ordering, now->tolerance, m->columns, 0, now->a, NULL, now->b, NULL, has_b ? &m->c : NULL, &m->r,
                              &m->order, has_b ? NULL : &m->h, has_b ? NULL : &m->places, has_b ? NULL : &m->tau, &m->common);
    now->fine = m->rank >= 0 && m->common.status >= CHOLMOD_OK;
}

// Runs `estimate` and `factorise`. Unless it returns LEFT, the caller has to call drop_made.
static Outcome run(SparseCall *call, Calling *now) {
    bool by_metis = now->ordering == SPQR_ORDERING_METIS;
    if (by_metis) metis_lock();
    Outcome outcome = guarded(call, estimate, now) ? now->fine ? DONE : NO_MEMORY : LEFT;
    if (outcome == DONE && (!reserve(call, now->bytes) || !guarded(call, factorise, now))) outcome = LEFT;
    if (by_metis) metis_unlock();
    return outcome == DONE && !now->fine ? NO_MEMORY : outcome;
}

static bool give(SparseCall *call, DType type, const void *from, int64_t count) {
    void *to = call->host->array(call, type, count);
    if (to && count) memcpy(to, from, (size_t)count * (type == DT_COMPLEX128 ? 16 : 8));
    return to != NULL;
}

static bool give_sparse(SparseCall *call, DType numbers, const cholmod_sparse *a) {
    const SuiteSparse_long *indptr = a->p;
    return give(call, DT_INT64, indptr, (int64_t)a->ncol + 1) && give(call, DT_INT64, a->i, indptr[a->ncol]) &&
           give(call, numbers, a->x, indptr[a->ncol]);
}

// Adds a permutation to the results. SPQR's NULL is the identity. False: sets the call's error.
static bool give_order(SparseCall *call, const SuiteSparse_long *order, int64_t count) {
    int64_t *to = call->host->array(call, DT_INT64, count);
    for (int64_t j = 0; to && j < count; j++) to[j] = order ? order[j] : j;
    return to != NULL;
}

static void give_made(SparseCall *call, DType numbers, const Made *m, bool has_b) {
    call->host->whole(call, m->rank);
    if (!give_sparse(call, numbers, m->r) || !give_order(call, m->order, m->columns)) return;
    if (has_b) give(call, numbers, m->c->x, (int64_t)(m->c->nrow * m->c->ncol));
    else if (give_sparse(call, numbers, m->h) && give_order(call, m->places, m->rows))
        give(call, numbers, m->tau->x, (int64_t)m->tau->ncol);
}

// qr_factor(indptr, indices, data, rows, columns, ordering, tolerance, b, right): factorises A[:, order] = Q R. Returns
// the rank; indptr, indices and data of R, by columns, with min(rows, columns) rows; and `order`. Then, without b: the
// Householder vectors of Q by columns (indptr, indices, data), the position of each row in them, and their coefficients
// tau. With b (rows × right, column-major, of the matrix's type): the first min(rows, columns) rows of Q' b. A negative
// tolerance means SPQR's default. rows and columns have to be > 0.
void op_qr_factor(SparseCall *call) {
    const SparseArg *args = call->args, *b = &args[7];
    MatrixArgs given;
    int64_t rows = args[3].whole, columns = args[4].whole, right = args[8].whole;
    int ordering = args[5].kind == SPARSE_TEXT ? ordering_of(args[5].text) : -1;
    if (!matrix_fine(args, 0, true, rows, columns, &given) || rows == 0 || columns == 0) {
        matrix_refused(call);
        return;
    }
    bool has_b = b->kind == SPARSE_ARRAY;
    if (ordering < 0 || (has_b && (b->type != args[2].type || right <= 0 || b->count % rows != 0 || b->count / rows != right))) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, ordering < 0 ? "unknown ordering" : "b is of incompatible size or type");
        return;
    }
    int64_t *indptr = widened(call, &args[0], columns + 1), *indices = widened(call, &args[1], args[1].count);
    if (!indptr || !indices) return;
    Made made = {.rows = rows, .columns = columns};
    cholmod_sparse a = cholmod_matrix(true, rows, columns, indptr, indices, args[2].data, given.is_complex, 0);
    cholmod_dense left = has_b ? cholmod_columns(b->data, rows, right, given.is_complex) : (cholmod_dense){0};
    Calling now = {.ordering = ordering, .tolerance = args[6].number < 0 ? SPQR_DEFAULT_TOL : args[6].number, .a = &a,
                   .b = has_b ? &left : NULL, .made = &made};
    Outcome outcome = run(call, &now);
    if (outcome == DONE) give_made(call, args[2].type, &made, has_b);
    if (outcome != LEFT) drop_made(&made);
    else if (call->error == SPARSE_OK) call->error = SPARSE_STOPPED; // in case neither call has set one
    if (outcome == NO_MEMORY) call->error = SPARSE_NO_MEMORY;
}

// --- Q times columns -------------------------------------------------------------------------------

enum { ACROSS = 8 }; // columns that are multiplied at once; a row's elements of them are adjacent

typedef struct Reflecting {
    const SparseCall *call;
    const int64_t *indptr, *indices, *places;
    const void *vectors, *factors, *from;
    void *to, *rooms; // rooms: workspaces by worker
    int64_t rows, reflections, columns;
    bool adjoint;
} Reflecting;

// Applies one reflection H = I - factor v v' to y in place.
#define REFLECT(NAME, T, CONJ)                                                                                          \
    static void reflect_##NAME(const int64_t *rows, const T *v, int64_t count, T factor, T *y) {                        \
        T sums[ACROSS] = {0};                                                                                           \
        for (int64_t k = 0; k < count; k++) {                                                                           \
            const T *at = y + rows[k] * ACROSS, by = CONJ(v[k]);                                                        \
            for (int c = 0; c < ACROSS; c++) sums[c] += by * at[c];                                                     \
        }                                                                                                               \
        for (int c = 0; c < ACROSS; c++) sums[c] *= factor;                                                             \
        for (int64_t k = 0; k < count; k++) {                                                                           \
            T *at = y + rows[k] * ACROSS, by = v[k];                                                                    \
            for (int c = 0; c < ACROSS; c++) at[c] -= by * sums[c];                                                     \
        }                                                                                                               \
    }                                                                                                                   \
    static void apply_##NAME(void *argument, int part, int worker) {                                                    \
        enum { LOOKS = 4096 };                                                                                          \
        const Reflecting *r = argument;                                                                                 \
        const int64_t first = (int64_t)part * ACROSS, width = r->columns - first < ACROSS ? r->columns - first : ACROSS; \
        const T *vectors = r->vectors, *factors = r->factors, *from = (const T *)r->from + first * r->rows;             \
        T *y = (T *)r->rooms + worker * r->rows * ACROSS, *to = (T *)r->to + first * r->rows;                           \
        for (int64_t i = 0; i < r->rows; i++)                                                                           \
            for (int64_t c = 0; c < ACROSS; c++)                                                                        \
                y[(r->adjoint ? r->places[i] : i) * ACROSS + c] = c < width ? from[i + c * r->rows] : 0;                \
        for (int64_t n = 0; n < r->reflections; n++) {                                                                  \
            int64_t k = r->adjoint ? n : r->reflections - 1 - n, start = r->indptr[k];                                  \
            if (n % LOOKS == 0 && r->call->host->stopped(r->call)) break;                                               \
            reflect_##NAME(r->indices + start, vectors + start, r->indptr[k + 1] - start,                               \
                           r->adjoint ? CONJ(factors[k]) : factors[k], y);                                              \
        }                                                                                                               \
        for (int64_t i = 0; i < r->rows; i++)                                                                           \
            for (int64_t c = 0; c < width; c++)                                                                         \
                to[i + c * r->rows] = y[(r->adjoint ? i : r->places[i]) * ACROSS + c];                                  \
    }
REFLECT(real, double, )
REFLECT(complex, double complex, conj)

// Returns whether the arguments are Householder vectors, coefficients and row positions of matching sizes.
static bool reflections_fine(const SparseArg *args, int64_t rows) {
    MatrixArgs vectors;
    const SparseArg *factors = &args[3], *places = &args[4];
    if (factors->kind != SPARSE_ARRAY || places->kind != SPARSE_ARRAY || places->type != DT_INT64) return false;
    if (!matrix_fine(args, 0, true, rows, factors->count, &vectors) || !vectors.wide) return false;
    if (factors->type != args[2].type || places->count != rows) return false;
    for (int64_t i = 0; i < rows; i++)
        if (((const int64_t *)places->data)[i] < 0 || ((const int64_t *)places->data)[i] >= rows) return false;
    return true;
}

// qr_apply(indptr, indices, data, factors, places, rows, x, columns, adjoint): returns Q x, or Q' x if `adjoint`. Q is
// given as qr_factor returns it. x is column-major and has the type of Q.
void op_qr_apply(SparseCall *call) {
    const SparseArg *args = call->args, *x = &args[6];
    int64_t rows = args[5].whole, columns = args[7].whole;
    if (rows < 0 || !reflections_fine(args, rows)) {
        matrix_refused(call);
        return;
    }
    if (x->kind != SPARSE_ARRAY || x->type != args[2].type || rows == 0 || columns < 0 || x->count % rows != 0 ||
        x->count / rows != columns) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "x is of incompatible size or type");
        return;
    }
    bool is_complex = x->type == DT_COMPLEX128;
    Reflecting r = {.call = call, .indptr = args[0].data, .indices = args[1].data, .places = args[4].data, .vectors = args[2].data,
                    .factors = args[3].data, .from = x->data, .rows = rows, .reflections = args[3].count, .columns = columns,
                    .adjoint = args[8].whole != 0};
    r.to = call->host->array(call, x->type, x->count);
    r.rooms = call->host->scratch(call, (size_t)rows * ACROSS * (is_complex ? 16 : 8) * (size_t)call->threads);
    if (r.to && r.rooms) call->host->share(call, is_complex ? apply_complex : apply_real, &r, (int)((columns + ACROSS - 1) / ACROSS));
}
