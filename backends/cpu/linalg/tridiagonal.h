// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Eigenvalues of real symmetric matrices of moderate size by tridiagonal reduction.

#ifndef NACRE_BACKENDS_CPU_LINALG_TRIDIAGONAL_H
#define NACRE_BACKENDS_CPU_LINALG_TRIDIAGONAL_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/product/blis.h"

bool is_tridiagonal_size(int64_t n);
// Returns the bytes of memory that tridiagonal_eigh needs.
size_t tridiagonal_bytes(int64_t n, bool vectors);
// Computes eigenvalues in ascending order and, unless `vectors` is NULL, eigenvectors, in columns
// of rows of n elements. The matrix is given by its upper or lower triangle. Returns the matrix's content;
// unless finite, nothing is computed. `found`: LAPACK, which must be available, has converged.
Content tridiagonal_eigh(const Loops *loops, Matrix from, bool upper, void *memory, double *values,
                         double *vectors, bool *found);

#endif
