// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations on Cholesky factors as such (stdlib/sksparse).

#ifndef NACRE_STDLIB_SUITESPARSE_CHOLESKY_H
#define NACRE_STDLIB_SUITESPARSE_CHOLESKY_H

#include "stdlib/sparse/sparse.h"

#define CHOLESKY_ROWS                                                                                      \
    {"cholesky_analyze", 5, 0, op_cholesky_analyze}, {"cholesky_factor", 5, 0, op_cholesky_factor},        \
    {"cholesky_solve", 4, 0, op_cholesky_solve}, {"cholesky_update", 6, 0, op_cholesky_update},            \
    {"cholesky_parts", 2, 0, op_cholesky_parts},
void op_cholesky_analyze(SparseCall *call);
void op_cholesky_factor(SparseCall *call);
void op_cholesky_solve(SparseCall *call);
void op_cholesky_update(SparseCall *call);
void op_cholesky_parts(SparseCall *call);

#endif
