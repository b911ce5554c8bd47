// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Incomplete LU factors with a drop threshold, a bound on fill-in, and pivoting (Saad, "ILUT: a dual threshold
// incomplete LU factorization", 1994), column by column.

#ifndef NACRE_STDLIB_SPARSE_ILU_H
#define NACRE_STDLIB_SPARSE_ILU_H

#include "stdlib/sparse/ops.h"

// A factor by columns to which entries are appended. Values have the matrix's type.
typedef struct Growing {
    int64_t *first, *rows, count, room;
    void *values;
    size_t size; // of a value, in bytes
} Growing;

typedef struct Ilu {
    SparseCall *call;
    const SparseArg *indptr, *indices, *data;
    const int64_t *order; // permutation of the columns; NULL: the natural order
    int64_t n;
    double drop, fill, pivot;
    Growing l, u;       // l: without the diagonal, rows as in the matrix; u: rows are positions in pivot order
    int64_t *place;     // by row: its position in pivot order; -1: none yet
    int64_t *pivots;    // by position: its row
    int64_t *heap, *touched, touched_count, heap_count;
    bool *marked;       // by row: whether it is in `touched`
    void *work;         // by row: values of the current column
    double *sizes;      // workspace for magnitudes
    int64_t *kept;      // rows of the current column that go into U, in pivot order
    int64_t next_free;  // all rows before it have been pivots
} Ilu;

// Appends an entry. False: no memory; the call's error is set.
bool growing_add(SparseCall *call, Growing *g, int64_t row, const void *value);
// A heap of positions with the least on top.
void heap_push(Ilu *f, int64_t place);
int64_t heap_pop(Ilu *f);
// Returns the count-th largest of n magnitudes, 1 <= count <= n. Reorders them.
double select_magnitude(double *sizes, int64_t n, int64_t count);

// Return -1 when done, -2 if the call's error is set or the program is to be stopped, else a column that has only
// zeros.
int64_t ilu_run_double(Ilu *f);
int64_t ilu_run_complex(Ilu *f);

#endif
