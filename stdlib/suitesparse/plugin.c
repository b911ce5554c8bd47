// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plug-in nacre-suitesparse.so: its table of operations.

#include "stdlib/suitesparse/cholesky.h"
#include "stdlib/suitesparse/direct.h"

static const SparseOp ops[] = {
    DIRECT_ROWS
    CHOLESKY_ROWS
    {0},
};

static const SparsePlugin plugin = {SPARSE_VERSION, ops};

__attribute__((visibility("default"))) const SparsePlugin *nacre_sparse(void);
const SparsePlugin *nacre_sparse(void) {
    return &plugin;
}
