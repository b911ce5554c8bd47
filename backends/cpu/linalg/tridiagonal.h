// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Real symmetric matrices of moderate size, made tridiagonal.

#ifndef NACRE_BACKENDS_CPU_LINALG_TRIDIAGONAL_H
#define NACRE_BACKENDS_CPU_LINALG_TRIDIAGONAL_H

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/product/blis.h"

bool is_tridiagonal_size(int64_t n);
// Of memory that tridiagonal_eigh wants.
size_t tridiagonal_bytes(int64_t n, bool vectors);
// Eigenvalues in ascending order, and the eigenvectors (unless `vectors` is NULL), one in each column of
// rows of n elements. The matrix is given by its upper or its lower triangle; whether that holds finite
// numbers only is the answer, and nothing is done if it does not. `found`: LAPACK, which has to be there,
// has found them.
Content tridiagonal_eigh(const Loops *loops, Matrix from, bool upper, void *memory, double *values,
                         double *vectors, bool *found);

#endif
