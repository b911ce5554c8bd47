// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Solves systems with a sparse triangular matrix, stored by columns.

#include <complex.h>

#include "stdlib/sparse/ops.h"

typedef double complex Complex;

typedef struct SolveJob {
    const SparseArg *indptr, *indices, *data;
    const int64_t *diagonal; // by column, the position of its diagonal element; NULL: the diagonal is 1
    void *x;
    int64_t n, columns;
    bool lower, across, conj; // across: solve with the transpose
    int parts;
} SolveJob;

// Solves by substitution, one column of the matrix at a time. Plain: subtracts x[j] times column j from the unknowns
// that remain. Transposed: subtracts from x[j] the dot product of column j and the known elements.
#define SOLVE(NAME, T, I, CONJ)                                                                                     \
    static void NAME(const SolveJob *s, T *x) {                                                                     \
        const I *indptr = s->indptr->data, *indices = s->indices->data;                                             \
        const T *data = s->data->data;                                                                              \
        bool up = s->lower == s->across;                                                                            \
        for (int64_t k = 0; k < s->n; k++) {                                                                        \
            int64_t j = up ? s->n - 1 - k : k;                                                                      \
            T pivot = s->diagonal ? data[s->diagonal[j]] : 1, sum = x[j];                                           \
            if (s->conj) pivot = CONJ(pivot);                                                                       \
            if (!s->across) {                                                                                       \
                sum = x[j] /= pivot;                                                                                \
                for (I at = indptr[j]; at < indptr[j + 1]; at++)                                                    \
                    if (indices[at] != j) x[indices[at]] -= data[at] * sum;                                         \
                continue;                                                                                           \
            }                                                                                                       \
            for (I at = indptr[j]; at < indptr[j + 1]; at++)                                                        \
                if (indices[at] != j) sum -= (s->conj ? CONJ(data[at]) : data[at]) * x[indices[at]];                \
            x[j] = sum / pivot;                                                                                     \
        }                                                                                                           \
    }
SOLVE(solve_real_32, double, int32_t, )
SOLVE(solve_real_64, double, int64_t, )
SOLVE(solve_complex_32, Complex, int32_t, conj)
SOLVE(solve_complex_64, Complex, int64_t, conj)

static void solve_part(void *argument, int part, int worker) {
    const SolveJob *s = argument;
    bool wide = s->indptr->type == DT_INT64;
    (void)worker;
    for (int64_t c = part_begin(s->columns, part, s->parts); c < part_begin(s->columns, part + 1, s->parts); c++)
        if (s->data->type == DT_COMPLEX128) {
            Complex *x = (Complex *)s->x + c * s->n;
            if (wide) solve_complex_64(s, x);
            else solve_complex_32(s, x);
        } else {
            double *x = (double *)s->x + c * s->n;
            if (wide) solve_real_64(s, x);
            else solve_real_32(s, x);
        }
}

static bool is_zero(const SparseArg *data, int64_t at) {
    if (data->type == DT_COMPLEX128) return ((const Complex *)data->data)[at] == 0;
    return ((const double *)data->data)[at] == 0;
}

// Finds the diagonal. Returns n, or the first column that is wrong: it has a nonzero element in the other triangle, or,
// if `asked`, no nonzero diagonal element; *singular is set in the second case.
static int64_t find_diagonal(const SolveJob *s, int64_t *diagonal, bool asked, bool *singular) {
    for (int64_t j = 0; j < s->n; j++) {
        diagonal[j] = -1;
        for (int64_t at = index_at(s->indptr, j); at < index_at(s->indptr, j + 1); at++) {
            int64_t i = index_at(s->indices, at);
            if (i == j) diagonal[j] = at;
            else if (s->lower != (i > j) && !is_zero(s->data, at)) return j;
        }
        *singular = asked && (diagonal[j] < 0 || is_zero(s->data, diagonal[j]));
        if (*singular) return j;
    }
    return s->n;
}

// triangular_solve(indptr, indices, data, b, columns, lower, unit, trans): returns x of op(A) x = b, both column-major.
// If A is not such a triangle, returns the first wrong column and whether A is singular instead. trans: 0 for A, 1 for
// its transpose, 2 for its adjoint. `unit`: the diagonal is taken to be 1. Entries must not be duplicate.
void op_triangular_solve(SparseCall *call) {
    const SparseArg *args = call->args, *b = &args[3];
    SolveJob s = {.indptr = &args[0], .indices = &args[1], .data = &args[2], .columns = args[4].whole,
                  .lower = args[5].whole != 0, .across = args[7].whole != 0, .conj = args[7].whole == 2};
    if (s.data->kind != SPARSE_ARRAY || b->kind != SPARSE_ARRAY || b->type != s.data->type ||
        (b->type != DT_FLOAT64 && b->type != DT_COMPLEX128)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "data and b have to be arrays of float64, or of complex128");
        return;
    }
    if (!check_indptr(call, s.indptr, s.data->count)) return;
    s.n = s.indptr->count - 1;
    if (!check_indices(call, s.indices, s.n)) return;
    if (s.indices->type != s.indptr->type || s.indices->count < index_at(s.indptr, s.n) || s.columns < 0 ||
        b->count != s.n * s.columns) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "sizes or types of arrays do not match");
        return;
    }
    bool unit = args[6].whole != 0;
    int64_t *diagonal = call->host->scratch(call, (size_t)s.n * sizeof *diagonal);
    if (!diagonal) return;
    bool singular = false;
    int64_t wrong = find_diagonal(&s, diagonal, !unit, &singular);
    if (wrong < s.n) {
        call->host->whole(call, wrong);
        call->host->whole(call, singular);
        return;
    }
    s.diagonal = unit ? NULL : diagonal;
    s.x = call->host->array(call, b->type, b->count);
    if (!s.x) return;
    memcpy(s.x, b->data, (size_t)b->count * (b->type == DT_COMPLEX128 ? sizeof(Complex) : sizeof(double)));
    s.parts = parts_of(call, index_at(s.indptr, s.n) * s.columns, s.columns);
    call->host->share(call, solve_part, &s, s.parts);
}
