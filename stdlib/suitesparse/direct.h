// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Direct solvers of sparse systems: what their operations and methods share. An analysis belongs to a sparsity pattern
// and is shared by the factorisations of all matrices with it; a factorisation has the values.

#ifndef NACRE_STDLIB_SUITESPARSE_DIRECT_H
#define NACRE_STDLIB_SUITESPARSE_DIRECT_H

#include <complex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stdlib/sparse/sparse.h"

// Rows of the table of operations, by file; plugin.c lists them.
#define DIRECT_ROWS(ROW)                                                                                             \
    ROW("direct_factor", 8, op_direct_factor) ROW("direct_solve", 4, op_direct_solve) ROW("direct_parts", 1, op_direct_parts) \
    ROW("direct_entries", 1, op_direct_entries) ROW("direct_method", 1, op_direct_method)
void op_direct_factor(SparseCall *call);
void op_direct_solve(SparseCall *call);
void op_direct_parts(SparseCall *call);
void op_direct_entries(SparseCall *call);
void op_direct_method(SparseCall *call);

typedef enum Outcome {
    DONE,
    SINGULAR,
    NOT_POSITIVE, // not positive definite: the caller tries LU
    UNSUITED,     // another method is faster: the caller tries it
    TOO_LARGE,    // too large for 32-bit indices
    NO_MEMORY,
    LEFT,         // ended early, with the call's error set
} Outcome;

typedef enum Ordering { ORDER_AUTO, ORDER_NATURAL, ORDER_SYMMETRIC, ORDER_COLUMNS } Ordering;
typedef enum Transpose { PLAIN, TRANSPOSED, ADJOINT } Transpose;

typedef struct Method Method;

// A symbolic factorisation. The pattern is stored by columns, with ascending rows and no duplicates.
typedef struct Analysis {
    atomic_int users;
    const Method *method;
    int64_t n, entries;
    bool wide; // indices are int64, else int32
    bool is_complex;
    void *indptr, *indices;
    Ordering ordering;
    double pivot; // least size of a pivot relative to its column's largest element; < 0: the method's default
    void *symbolic; // owned by the method
    double bytes;   // estimated memory of a factorisation
} Analysis;

typedef struct Factor {
    Analysis *analysis;
    double *values; // of the matrix; owned
    bool plain;     // rows must not be scaled, as there are infinities
    const struct Factor *like; // while it is made: one whose pivots may be reused if the analysis is shared; or NULL
    double rcond;   // estimate of 1 / the condition number
    void *numeric;  // owned by the method
} Factor;

// The factors in compressed columns: row permutation · A · column permutation = L · U. The arrays are freed by
// guard_free. row_order[k] and column_order[k] are the row and the column of A that come k-th.
typedef struct Parts {
    int64_t *l_indptr, *l_indices, *u_indptr, *u_indices, *row_order, *column_order;
    double *l, *u;
} Parts;

struct Method {
    Outcome (*analyse)(SparseCall *call, Analysis *analysis, const double *values);
    void (*drop_analysis)(Analysis *analysis);
    Outcome (*factor)(SparseCall *call, Factor *factor);
    void (*drop_factor)(Factor *factor);
    // Solves op(A) x = b. Both are n × columns, column-major, and do not overlap.
    Outcome (*solve)(SparseCall *call, Factor *factor, double *x, const double *b, int64_t columns, Transpose trans);
    int64_t (*entries)(const Factor *factor); // how many elements L and U have
    Outcome (*parts)(SparseCall *call, const Factor *factor, Parts *parts); // the caller frees *parts, even on failure
};

extern const Method umfpack_method, klu_method, cholmod_method, banded_method;

// Turns the factors of a matrix whose rows were multiplied, or divided, by `scale` into those of the matrix itself.
void parts_unscale(const Factor *factor, Parts *parts, const double *scale, bool multiplies);

// Returns whether the first four arguments of a call (indptr, indices, data, n) are a square matrix by columns in
// canonical form (ascending rows, no duplicates). False: sets the call's ValueError.
bool matrix_check(SparseCall *call);
// Analyses the matrix of a call's first four arguments for a method, or reuses `like` (may be NULL) if it fits. DONE:
// the caller owns a reference *out, to be released by analysis_drop.
Outcome analysis_make(SparseCall *call, Analysis *like, Ordering ordering, double pivot, const Method *method, Analysis **out);
void analysis_drop(Analysis *analysis);
// Returns whether `like` is an analysis of this matrix's pattern by the same method and settings.
bool analysis_fits(const SparseArg *args, const Analysis *like, Ordering ordering, double pivot, const Method *method);

// The properties of a matrix that decide which method is used.
typedef struct Structure {
    bool hermitian;     // pattern and values are Hermitian
    bool positive;      // if it is Hermitian: every diagonal element is stored, real and > 0
    bool nan, infinite; // a value is NaN; a value is infinite
    int64_t below, above; // how many diagonals below and above the main one
} Structure;
// Examines the matrix in a call's first arguments. `next` is workspace for n numbers.
Structure structure_of(const SparseArg *args, int64_t *next);

// Returns how many doubles one element has.
static inline int64_t doubles_of(const Analysis *analysis) {
    return analysis->is_complex ? 2 : 1;
}
static inline int64_t at(const void *indices, bool wide, int64_t i) {
    return wide ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
}

// Returns whether the memory limit leaves room for about `bytes` now. It reserves nothing. False: sets the call's
// error.
static inline bool reserve(SparseCall *call, double bytes) {
    bool fits = call->host->allows(call, bytes < 0x1p62 ? (size_t)bytes : SIZE_MAX);
    if (!fits) SPARSE_FAIL(call, SPARSE_NO_MEMORY, "no memory");
    return fits;
}

#endif
