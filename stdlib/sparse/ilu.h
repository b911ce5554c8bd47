// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Incomplete LU factors with a threshold, a bound on fill and pivoting (Saad, "ILUT: a dual threshold incomplete LU
// factorization", 1994), column by column.

#ifndef NACRE_STDLIB_SPARSE_ILU_H
#define NACRE_STDLIB_SPARSE_ILU_H

#include "stdlib/sparse/ops.h"

// A factor by columns that grows. Values are of the matrix's type.
typedef struct Growing {
    int64_t *first, *rows, count, room;
    void *values;
    size_t size; // of a value
} Growing;

typedef struct Ilu {
    SparseCall *call;
    const SparseArg *indptr, *indices, *data;
    const int64_t *order; // the columns in their order; NULL: as they are
    int64_t n;
    double drop, fill, pivot;
    Growing l, u;       // l's rows are the matrix's, without the diagonal; u's are places
    int64_t *place;     // of each row in the order of pivots; -1: none yet
    int64_t *pivots;    // the row of each place
    int64_t *heap, *touched, touched_count, heap_count;
    bool *marked;       // rows in `touched`
    void *work;         // a column
    double *sizes;      // room for magnitudes
    int64_t *kept;      // rows of the column at hand that go into U, in order
    int64_t next_free;  // no row before it is without a place
} Ilu;

bool growing_add(SparseCall *call, Growing *g, int64_t row, const void *value);
// A heap of places with the least on top.
void heap_push(Ilu *f, int64_t place);
int64_t heap_pop(Ilu *f);
// The count-th largest of n magnitudes, 1 <= count <= n; they are moved about.
double select_magnitude(double *sizes, int64_t n, int64_t count);

// -1: done; -2: the call has an error; else the column that has nothing but zeros.
int64_t ilu_run_double(Ilu *f);
int64_t ilu_run_complex(Ilu *f);

#endif
