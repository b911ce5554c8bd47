// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Operations of QR factorisations (nacre.sparse.qr).

#ifndef NACRE_STDLIB_SUITESPARSE_QR_H
#define NACRE_STDLIB_SUITESPARSE_QR_H

#include "stdlib/sparse/sparse.h"

#define QR_ROWS(ROW) ROW("qr_factor", 9, op_qr_factor) ROW("qr_apply", 9, op_qr_apply)
void op_qr_factor(SparseCall *call);
void op_qr_apply(SparseCall *call);

#endif
