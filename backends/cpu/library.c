// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The table of library ops.

#include "backends/cpu/library.h"

// Rows of ops.def that are not loops over elements; a missing function is a link error.
#define ROW_ELEMENTWISE(ID)
#define ROW_REDUCTION(ID)
#define ROW_SCAN(ID) [AOP_##ID] = &library_##ID,
#define ROW_CREATION(ID) ROW_SCAN(ID)
#define ROW_LIBRARY(ID) ROW_SCAN(ID)
const LibraryFn *const library_fns[AOP_COUNT] = {
#define OP(ID, name, arity, CLASS, ...) ROW_##CLASS(ID)
#include "vm/graph/ops.def"
};
