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

#define SPARSE_ARITH_ROWS                             \
    {"merge", 8, 0, op_merge},                        \
    {"matmul", 8, 0, op_matmul},                      \
    {"sddmm", 6, 0, op_sddmm},                        \
    {"slice", 9, 0, op_slice},                        \
    {"gather_lines", 4, 0, op_gather_lines},          \
    {"gather_minor", 5, 0, op_gather_minor},          \
    {"sample", 6, 0, op_sample},                      \
    {"locate", 6, 0, op_locate},                      \
    {"insert", 7, 0, op_insert},                      \
    {"reduce", 6, 0, op_reduce},
void op_merge(SparseCall *call);        // merge.c
void op_matmul(SparseCall *call);       // product.c
void op_sddmm(SparseCall *call);        // product_sampled.c
void op_slice(SparseCall *call);        // select.c
void op_gather_lines(SparseCall *call);
void op_gather_minor(SparseCall *call);
void op_sample(SparseCall *call);       // locate.c
void op_locate(SparseCall *call);
void op_insert(SparseCall *call);       // assign.c
void op_reduce(SparseCall *call);       // reduce.c

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
