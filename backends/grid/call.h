// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What launches have in common in all device languages: kernels are cut into work items, and their numeric arguments
// are collected (backends/emit/emit_grid.h).

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
    bool tall; // a stencil: work items of neighbouring rows share a group, so that they share what they read
} GridCall;

// Gives a loop without dimensions one of extent 1: returns `own`, a copy that has it. Other kernels are returned.
const Kernel *grid_kernel(const Kernel *kernel, Kernel *own);
// Returns whether a device may run a kernel in the VM's state: not if underflow is reported, since devices may flush
// denormals to zero.
bool grid_may_run(const Vm *vm, const Kernel *kernel);

// Cuts the kernel (of grid_kernel) into work items and collects its numeric arguments. The number of parts of a
// result follows from the kernel and the dialect, not from the device, so sums are reproducible.
void grid_call(GridCall *call, const Dialect *dialect, const Kernel *kernel, const Grid *grid);
// Numbers of work items. Of an elementwise kernel: `items` along the last dimension, and `rows`. Of a reduction:
// `items` is the number of parts for GRID_NAME, of results for GRID_JOIN; each of them takes `lanes` work items.
typedef struct GridSize {
    size_t items, rows;
} GridSize;
GridSize grid_size(const GridCall *call);
GridSize grid_join_size(const GridCall *call);
// Bytes of the partial results of reduction number r.
size_t grid_part_bytes(const GridCall *call, int r);
// Returns the shape of a group of at most `most` work items: as many as possible along the last dimension, then as many
// rows as fit, so that short rows share a group. Both are powers of 2.
GridSize grid_group(GridSize size, size_t most);
// Returns the shape of a group that prefers several rows.
GridSize grid_group_tall(GridSize size, size_t most);
// Returns one of four shapes for groups of `most` work items: the widest one that launches at most twice as many work
// items as the best; several rows of them if `tall` and rows are long enough.
GridSize grid_group_few(GridSize size, size_t most, bool tall);

// Returns a real scalar as an argument word of 8 bytes, which begins with the bytes of an element of the type.
int64_t grid_word(DType type, Scalar scalar);

// Returns access number i: loads are numbered first, then stores.
const KernAccess *grid_access(const Kernel *kernel, int i);
static inline int grid_access_count(const Kernel *kernel) {
    return kernel->load_count + kernel->store_count;
}

#endif
