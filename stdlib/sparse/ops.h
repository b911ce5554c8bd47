// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the files of the plug-in nacre-sparse.so share: tables of operations, one per file, division of work among
// threads, and checks of arguments.

#ifndef NACRE_STDLIB_SPARSE_OPS_H
#define NACRE_STDLIB_SPARSE_OPS_H

#include <stdio.h>
#include <string.h>

#include "stdlib/sparse/sparse.h"

// Rows of the table of operations, by file; plugin.c lists them.
#define SPARSE_EXPAND_ROWS {"expand_indptr", 2, 0, op_expand_indptr}, {"count_lines", 3, 0, op_count_lines},
void op_count_lines(SparseCall *call);
void op_expand_indptr(SparseCall *call);
#define SPARSE_SOLVE_ROWS                                                                                          \
    {"triangular_solve", 8, 0, op_triangular_solve}, {"ilu_factor", 7, 0, op_ilu_factor}, {"rcm_order", 2, 0, op_rcm_order}, \
    {"ichol_factor", 3, 0, op_ichol_factor}, {"aggregate", 2, 0, op_aggregate},
void op_triangular_solve(SparseCall *call);
void op_ilu_factor(SparseCall *call);
void op_rcm_order(SparseCall *call);
void op_ichol_factor(SparseCall *call);
void op_aggregate(SparseCall *call);
#define SPARSE_COMPRESS_ROWS {"compress", 6, 0, op_compress}, {"transpose", 4, 0, op_transpose}, {"deal", 4, 0, op_deal},
void op_deal(SparseCall *call);
void op_compress(SparseCall *call);
void op_transpose(SparseCall *call);
#define SPARSE_SORT_ROWS                                                                     \
    {"sort_lines", 3, 1 << 1 | 1 << 2, op_sort_lines}, {"sum_lines", 3, 0, op_sum_lines},    \
    {"drop_zeros", 3, 0, op_drop_zeros}, {"lines_order", 2, 0, op_lines_order},
void op_sort_lines(SparseCall *call);
void op_sum_lines(SparseCall *call);
void op_drop_zeros(SparseCall *call);
void op_lines_order(SparseCall *call);

#define SPARSE_DENSE_ROWS                                                                      \
    {"from_dense", 4, 0, op_from_dense}, {"to_dense", 5, 1 << 4, op_to_dense},                 \
    {"add_at", 3, 1 << 2, op_add_at}, {"diagonal", 5, 0, op_diagonal},
void op_from_dense(SparseCall *call);
void op_to_dense(SparseCall *call);
void op_add_at(SparseCall *call);
void op_diagonal(SparseCall *call);
#define SPARSE_DIAGONALS_ROWS                                                                  \
    {"lines_from_diagonals", 5, 0, op_lines_from_diagonals}, {"diagonals_from_lines", 4, 0, op_diagonals_from_lines},
void op_lines_from_diagonals(SparseCall *call);
void op_diagonals_from_lines(SparseCall *call);
#define SPARSE_BLOCKS_ROWS                                                                     \
    {"count_blocks", 5, 0, op_count_blocks}, {"blocks_from_lines", 6, 0, op_blocks_from_lines}, \
    {"lines_from_blocks", 5, 0, op_lines_from_blocks},
void op_count_blocks(SparseCall *call);
void op_blocks_from_lines(SparseCall *call);
void op_lines_from_blocks(SparseCall *call);

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

// Elements of work below which a second thread does not pay.
enum { SPARSE_ALONE = 1 << 16 };

// Returns into how many parts to divide `work` elements in `units` units (rows, entries). There are more parts than
// threads, so that a delayed thread holds up the others less.
static inline int parts_of(const SparseCall *call, int64_t work, int64_t units) {
    enum { EACH = 4 };
    if (work < SPARSE_ALONE || call->threads == 1) return 1;
    int64_t parts = (int64_t)call->threads * EACH;
    return (int)(parts < units ? parts : units > 0 ? units : 1);
}

// Returns the first unit of a part.
static inline int64_t part_begin(int64_t units, int part, int parts) {
    return units / parts * part + units % parts * part / parts;
}

// Returns element i of an array of int32 or int64, the types of indices.
static inline int64_t index_at(const SparseArg *arg, int64_t i) {
    return arg->type == DT_INT64 ? ((const int64_t *)arg->data)[i] : ((const int32_t *)arg->data)[i];
}

static inline int64_t index_in(const void *indices, DType type, int64_t i) {
    return type == DT_INT64 ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
}
static inline void set_index(void *indices, DType type, int64_t i, int64_t value) {
    if (type == DT_INT64) ((int64_t *)indices)[i] = value;
    else ((int32_t *)indices)[i] = (int32_t)value;
}

// Returns the size of an element. The VM's dtype_size is not available to plug-ins.
static inline size_t dtype_bytes(DType type) {
#define ROW(A, ID, name, ctype, ...) sizeof(ctype),
    static const uint8_t sizes[] = {NACRE_DTYPES(ROW, )};
#undef ROW
    return sizes[type];
}
// Tables of functions that only move elements have one function per size: 1, 2, 4, 8 and 16 bytes.
enum { SIZE_CLASSES = 5 };
static inline int size_class(DType type) {
    int class = 0;
    for (size_t size = dtype_bytes(type); size > 1; size /= 2) class++;
    return class;
}
// A 16-byte element, for code that only moves it.
typedef struct Bytes16 {
    uint64_t low, high;
} Bytes16;

// Adds duplicate entries; ADD_##FORM##_##KIND is named by the row in dtypes.def. Bools are combined by or; whole
// numbers wrap around.
#define ADD_PLAIN_BOOL(T, a, b) (T)((a) | (b))
#define ADD_PLAIN_INT(T, a, b) (T)((uint64_t)(a) + (uint64_t)(b))
#define ADD_PLAIN_UINT(T, a, b) (T)((uint64_t)(a) + (uint64_t)(b))
#define ADD_PLAIN_FLOAT(T, a, b) (a) + (b)
#define ADD_COMPLEX_COMPLEX(T, a, b) (a) + (b)

// Copies memory on all threads.
void copy_bytes(SparseCall *call, void *to, const void *from, size_t bytes);

// Returns whether an argument is an array of int32 or int64. False: sets the call's ValueError, as do the checks below.
bool check_index_type(SparseCall *call, const SparseArg *indices);
// Returns whether the arguments are indptr, indices and data (or NULL) of compressed lines. Index values are not
// checked.
bool check_lines(SparseCall *call, const SparseArg *indptr, const SparseArg *indices, const SparseArg *data);
// Returns whether `indptr` starts at 0, ascends, and ends at `entries` at most.
bool check_indptr(SparseCall *call, const SparseArg *indptr, int64_t entries);
// Returns whether all indices are >= 0 and < `extent`.
bool check_indices(SparseCall *call, const SparseArg *indices, int64_t extent);

#endif
