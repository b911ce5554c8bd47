// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Common parts of every device language's launch: how a kernel is cut into work items, and the numbers among its
// arguments (backends/emit/emit_grid.h).

#ifndef NACRE_BACKENDS_GRID_CALL_H
#define NACRE_BACKENDS_GRID_CALL_H

#include "backends/emit/emit_grid.h"
#include "vm/value/vm.h"

enum { GRID_NUMBERS = GRID_DIMS + GRID_ACCESSES * (1 + GRID_DIMS) + 2 * (KERN_PARAMS + KERN_STORES) + GRID_CUT };

typedef struct GridCall {
    const Kernel *kernel;
    const Grid *grid;
    int64_t numbers[GRID_NUMBERS];
    // Reductions: number of results, elements per result, elements per part, parts per result. A result of one part
    // needs no memory for parts, and no GRID_JOIN.
    int64_t results, count, each, parts;
    bool tall; // elements of several rows of one array are read: items of neighbouring rows share a group, and what it reads
} GridCall;

// A kernel of one element has a dimension, too: returns the kernel, or a copy of it in `own` that has one.
const Kernel *grid_kernel(const Kernel *kernel, Kernel *own);
// Returns whether a device may run a kernel in the VM's state: not if underflow is reported, since devices may flush
// denormals to zero.
bool grid_may_run(const Vm *vm, const Kernel *kernel);

// Cuts the kernel (of grid_kernel) into work items and collects its numeric arguments. The number of parts of a
// result follows from the kernel and the dialect, not from the device, so sums are reproducible.
void grid_call(GridCall *call, const Dialect *dialect, const Kernel *kernel, const Grid *grid);
// Number of work items: for an elementwise kernel along the last dimension, and its rows; for a reduction those of
// GRID_NAME (which has `lanes` for each), or of GRID_JOIN.
typedef struct GridSize {
    size_t items, rows;
} GridSize;
GridSize grid_size(const GridCall *call);
GridSize grid_join_size(const GridCall *call);
// Bytes of the partial results of reduction number r.
size_t grid_part_bytes(const GridCall *call, int r);
// Shape of a group of at most `most` work items, so that short rows share one: work items along the last dimension, and
// along rows, both powers of 2.
GridSize grid_group(GridSize size, size_t most);
// The same for groups that should have several rows.
GridSize grid_group_tall(GridSize size, size_t most);
// One of four shapes for groups of `most` work items: that in which the fewest, or nearly, lie beyond the size; wide ones first.
GridSize grid_group_few(GridSize size, size_t most, bool tall);

// A scalar as 8 bytes that begin with its own, as an element of the type.
int64_t grid_word(DType type, Scalar scalar);

// Access number i: loads first, then stores.
const KernAccess *grid_access(const Kernel *kernel, int i);
static inline int grid_access_count(const Kernel *kernel) {
    return kernel->load_count + kernel->store_count;
}

#endif
