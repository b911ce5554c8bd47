// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Matrices as arguments of operations, of any shape; and what all callers of METIS share.

#ifndef NACRE_STDLIB_SUITESPARSE_MATRIX_H
#define NACRE_STDLIB_SUITESPARSE_MATRIX_H

#include "stdlib/suitesparse/direct.h"

typedef struct MatrixArgs {
    const SparseArg *indptr, *indices, *data; // data: NULL for a pattern
    int64_t rows, columns;
    bool wide, is_complex;
} MatrixArgs;

// The matrix in arguments from the i-th on; false: they are none by columns in canonical form.
bool matrix_fine(const SparseArg *args, int i, bool has_data, int64_t rows, int64_t columns, MatrixArgs *m);
// Ends the call with the error that says so. false.
bool matrix_refused(SparseCall *call);

// METIS seeds the process's random numbers, and draws them: two threads at once would find orders that nobody finds alone,
// and ranks that are threads would each find another.
void metis_lock(void);
void metis_unlock(void);

#endif
