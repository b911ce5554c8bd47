// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plug-in nacre-sparse.so: its table of operations.

#include "stdlib/sparse/graph.h"
#include "stdlib/sparse/mm.h"
#include "stdlib/sparse/ops.h"

static const SparseOp ops[] = {
    SPARSE_ARITH_ROWS
    SPARSE_BLOCKS_ROWS
    SPARSE_COMPRESS_ROWS
    SPARSE_DENSE_ROWS
    SPARSE_DIAGONALS_ROWS
    SPARSE_EXPAND_ROWS
    SPARSE_GRAPH_ROWS
    SPARSE_MM_ROWS
    SPARSE_SOLVE_ROWS
    SPARSE_SORT_ROWS
    {0},
};

static const SparsePlugin plugin = {SPARSE_VERSION, ops, NULL};

__attribute__((visibility("default"))) const SparsePlugin *nacre_sparse(void);
const SparsePlugin *nacre_sparse(void) {
    return &plugin;
}
