// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations on Cholesky factors as objects (stdlib/sksparse).

#ifndef NACRE_STDLIB_SUITESPARSE_CHOLESKY_H
#define NACRE_STDLIB_SUITESPARSE_CHOLESKY_H

#include "stdlib/sparse/sparse.h"

#define CHOLESKY_ROWS(ROW)                                                                           \
    ROW("cholesky_analyze", 5, op_cholesky_analyze) ROW("cholesky_factor", 5, op_cholesky_factor)    \
    ROW("cholesky_solve", 4, op_cholesky_solve) ROW("cholesky_update", 6, op_cholesky_update)        \
    ROW("cholesky_parts", 2, op_cholesky_parts)
void op_cholesky_analyze(SparseCall *call);
void op_cholesky_factor(SparseCall *call);
void op_cholesky_solve(SparseCall *call);
void op_cholesky_update(SparseCall *call);
void op_cholesky_parts(SparseCall *call);

#endif
