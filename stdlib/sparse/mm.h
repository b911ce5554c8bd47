// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The bodies of Matrix Market files: parsing lines of numbers into arrays, and writing them.

#ifndef NACRE_STDLIB_SPARSE_MM_H
#define NACRE_STDLIB_SPARSE_MM_H

#include "stdlib/sparse/ops.h"

#define SPARSE_MM_ROWS                  \
    {"mm_read", 9, 0x0e, op_mm_read},   \
    {"mm_write", 6, 0, op_mm_write},
void op_mm_read(SparseCall *call);
void op_mm_write(SparseCall *call);

#endif
