// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Patterns of matrices that are to be factorised: their checks, copies and comparison. Also the structure that decides
// which method is used, and unscaling the factors of a scaled matrix.

#include <math.h>

#include "stdlib/suitesparse/direct.h"
#include "stdlib/suitesparse/guard.h"

// --- Copying and checking ------------------------------------------------------------------------

// Copies `count` indices, converting them to int64 (`wide`) or int32. The caller knows that they fit.
static void copy_indices(void *to, bool wide, const SparseArg *from, int64_t count) {
    bool from_wide = from->type == DT_INT64;
    if (wide == from_wide) {
        memcpy(to, from->data, (size_t)count * (wide ? 8 : 4));
        return;
    }
    for (int64_t i = 0; i < count; i++)
        if (wide) ((int64_t *)to)[i] = ((const int32_t *)from->data)[i];
        else ((int32_t *)to)[i] = (int32_t)((const int64_t *)from->data)[i];
}

#define CHECK(I)                                                                                                         \
    static const char *wrong_##I(const I *indptr, const I *indices, int64_t n, int64_t most) {                          \
        if (indptr[0] != 0) return "index pointer should start with 0";                                                 \
        for (int64_t j = 0; j < n; j++) {                                                                               \
            if (indptr[j + 1] < indptr[j]) return "indptr values must not decrease with increasing index";              \
            if (indptr[j + 1] > most) return "Last value of index pointer should be less than the size of index and data arrays"; \
            I last = -1;                                                                                                \
            for (I k = indptr[j]; k < indptr[j + 1]; k++) {                                                             \
                if (indices[k] <= last) return "indices of a column have to ascend";                                    \
                last = indices[k];                                                                                      \
            }                                                                                                           \
            if (last >= n) return "indices must be below the number of rows";                                           \
        }                                                                                                               \
        return NULL;                                                                                                    \
    }
CHECK(int32_t)
CHECK(int64_t)

static bool is_index(const SparseArg *arg) {
    return arg->kind == SPARSE_ARRAY && (arg->type == DT_INT32 || arg->type == DT_INT64);
}

// Checks the arguments of a call. Returns the error message, or NULL if they are a square matrix in canonical form.
static const char *wrong_matrix(const SparseArg *args) {
    const SparseArg *indptr = &args[0], *indices = &args[1], *data = &args[2];
    int64_t n = args[3].whole;
    if (!is_index(indptr) || !is_index(indices) || indptr->type != indices->type)
        return "indptr and indices have to be arrays of int32 or int64, both";
    if (data->kind != SPARSE_ARRAY || (data->type != DT_FLOAT64 && data->type != DT_COMPLEX128))
        return "data has to be an array of float64 or complex128";
    if (n < 0 || indptr->count != n + 1) return "indptr has to have one element more than there are columns";
    int64_t most = indices->count < data->count ? indices->count : data->count;
    return indptr->type == DT_INT64 ? wrong_int64_t(indptr->data, indices->data, n, most)
                                    : wrong_int32_t(indptr->data, indices->data, n, most);
}

static bool same_pattern(const Analysis *a, const SparseArg *args) {
    bool wide = args[0].type == DT_INT64;
    if (a->wide != wide) {
        for (int64_t i = 0; i <= a->n; i++)
            if (at(a->indptr, a->wide, i) != at(args[0].data, wide, i)) return false;
        for (int64_t i = 0; i < a->entries; i++)
            if (at(a->indices, a->wide, i) != at(args[1].data, wide, i)) return false;
        return true;
    }
    size_t size = wide ? 8 : 4;
    return memcmp(a->indptr, args[0].data, (size_t)(a->n + 1) * size) == 0 &&
           memcmp(a->indices, args[1].data, (size_t)a->entries * size) == 0;
}

void analysis_drop(Analysis *analysis) {
    if (!analysis || atomic_fetch_sub(&analysis->users, 1) > 1) return;
    if (analysis->symbolic) analysis->method->drop_analysis(analysis);
    guard_free(analysis->indptr);
    guard_free(analysis->indices);
    guard_free(analysis);
}

static Analysis *copy_matrix(const SparseArg *args, bool wide) {
    Analysis *a = guard_calloc(1, sizeof *a);
    if (!a) return NULL;
    size_t size = wide ? 8 : 4;
    *a = (Analysis){.users = 1, .n = args[3].whole, .wide = wide, .is_complex = args[2].type == DT_COMPLEX128};
    a->entries = at(args[0].data, args[0].type == DT_INT64, a->n);
    a->indptr = guard_malloc((size_t)(a->n + 1) * size);
    a->indices = guard_malloc((size_t)(a->entries + 1) * size);
    if (!a->indptr || !a->indices) {
        analysis_drop(a);
        return NULL;
    }
    copy_indices(a->indptr, wide, &args[0], a->n + 1);
    copy_indices(a->indices, wide, &args[1], a->entries);
    return a;
}

bool analysis_fits(const SparseArg *args, const Analysis *like, Ordering ordering, double pivot, const Method *method) {
    return like && like->n == args[3].whole && like->method == method && like->ordering == ordering && like->pivot == pivot &&
           like->is_complex == (args[2].type == DT_COMPLEX128) &&
           at(args[0].data, args[0].type == DT_INT64, like->n) == like->entries && same_pattern(like, args);
}

Outcome analysis_make(SparseCall *call, Analysis *like, Ordering ordering, double pivot, const Method *method, Analysis **out) {
    const SparseArg *args = call->args;
    if (analysis_fits(args, like, ordering, pivot, method)) {
        atomic_fetch_add(&like->users, 1);
        *out = like;
        return DONE;
    }
    int64_t n = args[3].whole, entries = at(args[0].data, args[0].type == DT_INT64, n);
    Outcome outcome = TOO_LARGE;
    for (int wide = n >= INT32_MAX || entries >= INT32_MAX; wide < 2 && outcome == TOO_LARGE; wide++) {
        Analysis *a = copy_matrix(args, wide != 0);
        if (!a) return NO_MEMORY;
        a->method = method;
        a->ordering = ordering;
        a->pivot = pivot;
        outcome = method->analyse(call, a, args[2].data);
        if (outcome == DONE) *out = a;
        else analysis_drop(a);
    }
    return outcome == TOO_LARGE ? NO_MEMORY : outcome;
}

// Precedes every other use of the matrix, as the rest of this file trusts its arguments.
bool matrix_check(SparseCall *call) {
    const char *wrong = wrong_matrix(call->args);
    if (wrong) SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "%s", wrong);
    return !wrong;
}

// --- Structure -----------------------------------------------------------------------------------

static void look_at_values(const double *values, int64_t count, Structure *s) {
    bool nan = false, infinite = false;
    for (int64_t i = 0; i < count; i++) {
        nan |= isnan(values[i]);
        infinite |= isinf(values[i]);
    }
    s->nan = nan;
    s->infinite = infinite;
}

static bool conjugate(const double *values, int64_t parts, int64_t a, int64_t b) {
    if (parts == 1) return values[a] == values[b];
    return values[2 * a] == values[2 * b] && values[2 * a + 1] == -values[2 * b + 1];
}

// Finds the bandwidths of a matrix in compressed columns, and whether it is Hermitian and has a positive diagonal. Rows
// ascend in each column, so the elements above the diagonal of column i match the elements of row i in columns j < i in
// that order, and one pass compares them all. next[i] is the first element of column i that has not been compared yet.
#define LOOK(I)                                                                                                        \
    static void look_at_##I(const I *indptr, const I *indices, const double *values, int64_t parts, int64_t n,         \
                            int64_t *next, Structure *s) {                                                             \
        for (int64_t j = 0; j < n; j++) next[j] = indptr[j];                                                           \
        for (int64_t j = 0; j < n; j++) {                                                                              \
            int64_t k = indptr[j], end = indptr[j + 1];                                                                \
            if (k < end && j - indices[k] > s->above) s->above = j - indices[k];                                       \
            if (k < end && indices[end - 1] - j > s->below) s->below = indices[end - 1] - j;                           \
            if (!s->hermitian) continue;                                                                               \
            k = next[j];                                                                                               \
            if (k == end || indices[k] != j) s->positive = false;                                                      \
            else if (!(values[parts * k] > 0) || (parts == 2 && values[2 * k + 1] != 0)) s->positive = false;          \
            if (k < end && indices[k] < j) s->hermitian = false;                                                       \
            for (k += k < end && indices[k] == j; k < end && s->hermitian; k++) {                                      \
                int64_t i = indices[k], other = next[i]++;                                                             \
                s->hermitian = other < indptr[i + 1] && indices[other] == j && conjugate(values, parts, k, other);     \
            }                                                                                                          \
        }                                                                                                              \
    }
LOOK(int32_t)
LOOK(int64_t)

Structure structure_of(const SparseArg *args, int64_t *next) {
    int64_t n = args[3].whole, parts = args[2].type == DT_COMPLEX128 ? 2 : 1;
    Structure s = {.hermitian = true, .positive = true};
    look_at_values(args[2].data, parts * at(args[0].data, args[0].type == DT_INT64, n), &s);
    if (args[0].type == DT_INT64) look_at_int64_t(args[0].data, args[1].data, args[2].data, parts, n, next, &s);
    else look_at_int32_t(args[0].data, args[1].data, args[2].data, parts, n, next, &s);
    return s;
}

// --- Factors ---------------------------------------------------------------------------------------

// Let D be the diagonal matrix of 1 / scale (if the rows were multiplied) or scale (if they were divided), in pivot
// order. From the factors L and U of the scaled matrix, those of the matrix itself are D L D⁻¹ and D U; the diagonal of
// L stays 1.
void parts_unscale(const Factor *f, Parts *p, const double *scale, bool multiplies) {
    int64_t n = f->analysis->n, parts = doubles_of(f->analysis);
#define UNSCALED(k) (multiplies ? 1 / scale[p->row_order[k]] : scale[p->row_order[k]])
    for (int64_t j = 0; j < n; j++) {
        double here = UNSCALED(j);
        for (int64_t k = p->l_indptr[j]; k < p->l_indptr[j + 1]; k++)
            for (int64_t c = 0; c < parts; c++)
                if (p->l_indices[k] != j) p->l[k * parts + c] *= UNSCALED(p->l_indices[k]) / here;
        for (int64_t k = p->u_indptr[j]; k < p->u_indptr[j + 1]; k++)
            for (int64_t c = 0; c < parts; c++) p->u[k * parts + c] *= UNSCALED(p->u_indices[k]);
    }
#undef UNSCALED
}
