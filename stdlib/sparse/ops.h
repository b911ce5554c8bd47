// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the plug-in nacre-sparse.so share: tables of operations, one a file, and how work is shared out.

#ifndef NACRE_STDLIB_SPARSE_OPS_H
#define NACRE_STDLIB_SPARSE_OPS_H

#include <stdio.h>
#include <string.h>

#include "stdlib/sparse/sparse.h"

// Rows of the table of operations, by file; plugin.c lists them.
#define SPARSE_EXPAND_ROWS {"expand_indptr", 2, 0, op_expand_indptr},
void op_expand_indptr(SparseCall *call);
#define SPARSE_SOLVE_ROWS                                                                                          \
    {"triangular_solve", 8, 0, op_triangular_solve}, {"ilu_factor", 7, 0, op_ilu_factor}, {"rcm_order", 2, 0, op_rcm_order},
void op_triangular_solve(SparseCall *call);
void op_ilu_factor(SparseCall *call);
void op_rcm_order(SparseCall *call);

// Work, in elements, that is not worth a second thread.
enum { SPARSE_ALONE = 1 << 16 };

// How many parts `work` elements of `units` units (rows, entries) are shared out in. More than threads: one that is
// delayed holds the others up less.
static inline int parts_of(const SparseCall *call, int64_t work, int64_t units) {
    enum { EACH = 4 };
    if (work < SPARSE_ALONE || call->threads == 1) return 1;
    int64_t parts = (int64_t)call->threads * EACH;
    return (int)(parts < units ? parts : units > 0 ? units : 1);
}

// The first unit of a part.
static inline int64_t part_begin(int64_t units, int part, int parts) {
    return units / parts * part + units % parts * part / parts;
}

// Element i of an array of int32 or int64, the types of indices.
static inline int64_t index_at(const SparseArg *arg, int64_t i) {
    return arg->type == DT_INT64 ? ((const int64_t *)arg->data)[i] : ((const int32_t *)arg->data)[i];
}

// Whether `indptr` is that of a matrix with `entries` entries: starts at 0, ascends, and ends there at most. If not
// the call has the ValueError.
bool check_indptr(SparseCall *call, const SparseArg *indptr, int64_t entries);
// Whether all indices are from 0 to below `extent`; likewise.
bool check_indices(SparseCall *call, const SparseArg *indices, int64_t extent);

#endif
