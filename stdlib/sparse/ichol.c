// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Incomplete Cholesky factors without fill-in, IC(0): L has the pattern of A's lower triangle, and L L' equals A at A's
// entries.

#include <complex.h>
#include <math.h>

#include "stdlib/sparse/ops.h"

typedef double complex Complex;

// Factorises row by row. at[c] is the position of column c's element in the current row, or -1. Returns the first row
// whose pivot is not positive, or -1.
#define FACTOR(NAME, T, CONJ, PART)                                                                               \
    static int64_t factor_##NAME(const SparseCall *call, int64_t n, const int64_t *first, const int64_t *columns,   \
                                 T *l, int64_t *at) {                                                             \
        enum { LOOKS = 4096 };                                                                                    \
        for (int64_t j = 0; j < n; j++) at[j] = -1;                                                               \
        for (int64_t i = 0; i < n; i++) {                                                                         \
            int64_t last = first[i + 1] - 1;                                                                      \
            if (i % LOOKS == 0 && call->host->stopped(call)) return -1;                                           \
            for (int64_t k = first[i]; k <= last; k++) at[columns[k]] = k;                                        \
            double pivot = PART(l[last]);                                                                         \
            for (int64_t k = first[i]; k < last; k++) {                                                           \
                int64_t row = columns[k], end = first[row + 1] - 1;                                               \
                T sum = l[k];                                                                                     \
                for (int64_t m = first[row]; m < end; m++)                                                        \
                    if (at[columns[m]] >= 0) sum -= l[at[columns[m]]] * CONJ(l[m]);                               \
                l[k] = sum / l[end];                                                                              \
                pivot -= PART(l[k] * CONJ(l[k]));                                                                 \
            }                                                                                                     \
            for (int64_t k = first[i]; k <= last; k++) at[columns[k]] = -1;                                       \
            if (!(pivot > 0) || isinf(pivot)) return i;                                                           \
            l[last] = sqrt(pivot);                                                                                \
        }                                                                                                         \
        return -1;                                                                                                \
    }
FACTOR(real, double, , )
FACTOR(complex, Complex, conj, creal)

// Checks that the rows are a lower triangle with its full diagonal and ascending columns, and copies it as int64 for
// speed. False: the call's error is set.
static bool load_triangle(SparseCall *call, const SparseArg *indptr, const SparseArg *indices, int64_t n, int64_t *first, int64_t *columns) {
    for (int64_t i = 0; i <= n; i++) first[i] = index_at(indptr, i);
    for (int64_t i = 0; i < n; i++) {
        bool fine = first[i] < first[i + 1];
        for (int64_t k = first[i]; k < first[i + 1]; k++) {
            columns[k] = index_at(indices, k);
            fine &= k == first[i] || columns[k] > columns[k - 1];
        }
        if (fine && columns[first[i + 1] - 1] == i) continue;
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "row %lld of the lower triangle has no diagonal, or is not sorted", (long long)i);
        return false;
    }
    return true;
}

// ichol_factor(indptr, indices, data): returns the first row whose pivot is not positive, or -1; and the elements of L,
// row by row. The matrix is a lower triangle by rows, with ascending columns and its full diagonal.
void op_ichol_factor(SparseCall *call) {
    const SparseArg *indptr = &call->args[0], *indices = &call->args[1], *data = &call->args[2];
    bool is_complex = data->type == DT_COMPLEX128;
    if (data->kind != SPARSE_ARRAY || (!is_complex && data->type != DT_FLOAT64)) {
        SPARSE_FAIL(call, SPARSE_VALUE_ERROR, "data has to be an array of float64 or complex128");
        return;
    }
    if (!check_lines(call, indptr, indices, data)) return;
    int64_t n = indptr->count - 1;
    if (!check_indices(call, indices, n)) return;
    int64_t entries = index_at(indptr, n);
    int64_t *first = call->host->scratch(call, (size_t)(n + 1) * sizeof *first);
    int64_t *columns = call->host->scratch(call, (size_t)entries * sizeof *columns);
    int64_t *at = call->host->scratch(call, (size_t)n * sizeof *at);
    size_t size = is_complex ? sizeof(Complex) : sizeof(double);
    void *work = call->host->scratch(call, (size_t)entries * size);
    if (!first || !columns || !at || !work || !load_triangle(call, indptr, indices, n, first, columns)) return;
    memcpy(work, data->data, (size_t)entries * size);
    call->host->whole(call, is_complex ? factor_complex(call, n, first, columns, work, at)
                                       : factor_real(call, n, first, columns, work, at));
    void *to = call->host->array(call, data->type, entries);
    if (to) memcpy(to, work, (size_t)entries * size);
}
