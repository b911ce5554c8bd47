// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrices of any shape as arguments of operations, and METIS's lock.

#ifndef NACRE_STDLIB_SUITESPARSE_MATRIX_H
#define NACRE_STDLIB_SUITESPARSE_MATRIX_H

#include "stdlib/suitesparse/direct.h"

typedef struct MatrixArgs {
    const SparseArg *indptr, *indices, *data; // data: NULL for a pattern
    int64_t rows, columns;
    bool wide, is_complex;
} MatrixArgs;

// Reads the matrix from the arguments, starting with the i-th. Returns false, without an error, unless it is a matrix
// by columns in canonical form.
bool matrix_fine(const SparseArg *args, int i, bool has_data, int64_t rows, int64_t columns, MatrixArgs *m);
// Sets the call's error for such a matrix and returns false.
bool matrix_refused(SparseCall *call);

// Serialise calls of METIS, which seeds and uses the process's random numbers. Two threads at once would get orderings
// that neither gets alone, and ranks that are threads would get different ones.
void metis_lock(void);
void metis_unlock(void);

#endif
