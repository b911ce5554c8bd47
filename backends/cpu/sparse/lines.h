// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Products of the lines of a compressed matrix, for the library op and for tiles.

#ifndef NACRE_BACKENDS_CPU_SPARSE_LINES_H
#define NACRE_BACKENDS_CPU_SPARSE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/loops/loops.h"
#include "vm/graph/dtype.h"
#include "vm/graph/row_runs.h"

typedef struct Lines {
    const void *indptr, *indices, *data, *x;
    int64_t width; // columns of x and of the result, both contiguous; a vector has 1
    const RunRows *run_rows; // Loops.run_rows
    const RowRuns *runs; // of the rows, or NULL; row 0 has the number `first` in them
    int64_t first;
    bool far; // entries are prefetched, as there are more than the caches near a core hold
} Lines;

// Returns whether the entries of a matrix are to be prefetched. It costs more than it saves where they are near: loops
// over the cache lines of short rows are mispredicted.
static inline bool lines_are_far(int64_t entries) {
    enum { NEAR = 1 << 20 };
    return entries > NEAR;
}

// Computes rows from … to of A @ x; `into` is the address of the result's row `from`. `type`: of data, x and the
// result: int64, a float of 32 or 64 bits, or a complex number of two such. `wide`: indices have 64 bits, not 32.
void sparse_rows(DType type, bool wide, const Lines *lines, int64_t from, int64_t to, void *into);

#endif
