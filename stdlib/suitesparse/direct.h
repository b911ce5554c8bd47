// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Direct solvers of sparse systems: what their operations and methods share. An analysis is made of a matrix's
// pattern, and shared by the factorisations of matrices that have it; a factorisation has the numbers.

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
    NOT_POSITIVE, // not positive definite: LU is to be tried
    UNSUITED,     // another method is faster: it is to be tried
    TOO_LARGE,    // for 32-bit indices
    NO_MEMORY,
    LEFT,         // the call has an error
} Outcome;

typedef enum Ordering { ORDER_AUTO, ORDER_NATURAL, ORDER_SYMMETRIC, ORDER_COLUMNS } Ordering;
typedef enum Transpose { PLAIN, TRANSPOSED, ADJOINT } Transpose;

typedef struct Method Method;

// By columns, rows ascending, none twice.
typedef struct Analysis {
    atomic_int users;
    const Method *method;
    int64_t n, entries;
    bool wide; // int64 indices, or int32
    bool is_complex;
    void *indptr, *indices;
    Ordering ordering;
    double pivot; // of a column's largest element a pivot has to be, at least; < 0: the method's choice
    void *symbolic; // the method's
    double bytes;   // that a factorisation may take, about
} Analysis;

typedef struct Factor {
    Analysis *analysis;
    double *values; // of the matrix
    bool plain;     // rows are not to be scaled: there are infinities
    const struct Factor *like; // while it is made: one whose pivots may do, if it is of the same analysis; NULL: none
    double rcond;   // about 1 / its condition number
    void *numeric;  // the method's
} Factor;

// The factors in compressed columns: row permutation · A · column permutation = L · U. Arrays are made by malloc.
typedef struct Parts {
    int64_t *l_indptr, *l_indices, *u_indptr, *u_indices, *row_order, *column_order; // row_order[k]: A's row that is k-th
    double *l, *u;
} Parts;

struct Method {
    Outcome (*analyse)(SparseCall *call, Analysis *analysis, const double *values);
    void (*drop_analysis)(Analysis *analysis);
    Outcome (*factor)(SparseCall *call, Factor *factor);
    void (*drop_factor)(Factor *factor);
    // x = inverse of A, or of what is made of it, times b; both n × columns, by columns, and not the same memory.
    Outcome (*solve)(SparseCall *call, Factor *factor, double *x, const double *b, int64_t columns, Transpose trans);
    int64_t (*entries)(const Factor *factor); // of L and U
    Outcome (*parts)(SparseCall *call, const Factor *factor, Parts *parts); // arrays are allocated as far as they could be
};

extern const Method umfpack_method, klu_method, cholmod_method, banded_method;

// Makes the factors of a matrix whose rows were scaled by `scale`, multiplied or divided, those of the matrix itself.
void parts_unscale(const Factor *factor, Parts *parts, const double *scale, bool multiplies);

// Whether the first four arguments of a call (indptr, indices, data, n) are a square matrix by columns in canonical
// form; if not the call has the ValueError.
bool matrix_check(SparseCall *call);
// Analyses the matrix of the first four arguments of a call for a method; `like`: an analysis that does if it is of the
// same pattern.
Outcome analysis_make(SparseCall *call, Analysis *like, Ordering ordering, double pivot, const Method *method, Analysis **out);
void analysis_drop(Analysis *analysis);
// Whether `like` is of that matrix's pattern, for the method.
bool analysis_fits(const SparseArg *args, const Analysis *like, Ordering ordering, double pivot, const Method *method);

// What decides about the method.
typedef struct Structure {
    bool hermitian;     // pattern and values
    bool positive;      // every diagonal element is there, real and > 0
    bool nan, infinite; // there is one
    int64_t below, above; // diagonals
} Structure;
// Of the matrix in a call's arguments. `next` is room for n numbers.
Structure structure_of(const SparseArg *args, int64_t *next);

// Doubles of a number.
static inline int64_t doubles_of(const Analysis *analysis) {
    return analysis->is_complex ? 2 : 1;
}
static inline int64_t at(const void *indices, bool wide, int64_t i) {
    return wide ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
}

// Whether the memory limit leaves room for the estimate `bytes`, before anything is begun; if not the call has the error.
static inline bool reserve(SparseCall *call, double bytes) {
    bool fits = call->host->allows(call, bytes < 0x1p62 ? (size_t)bytes : SIZE_MAX);
    if (!fits) SPARSE_FAIL(call, SPARSE_NO_MEMORY, "no memory");
    return fits;
}

#endif
