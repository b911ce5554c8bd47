// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parts of sharing a kernel out (split.c) for operations with a way of their own.

#ifndef NACRE_VM_SCHED_SPLIT_IMPL_H
#define NACRE_VM_SCHED_SPLIT_IMPL_H

#include "vm/sched/split.h"

struct Link;

// How a kernel would be shared out by the parts link->ranges of a dimension.
typedef struct Cost {
    int64_t bytes;   // that travel, over all ranks
    uint32_t packed; // loads that come as boxes
    uint32_t boxed;  // stores that are made in boxes, and sent to owners
} Cost;

// Finds the dimension to cut, link->ranges, and what that costs. -1: every rank does all of it.
// `scanned`: dimensions along which parts can be continued, for the last elements of each.
int split_choose(const struct Link *link, const Kernel *k, AxisSet whole, AxisSet scanned, Cost *cost);
// Collective: brings what each rank's part reads. Loads that come packed become accesses of their boxes.
Status split_bring(Vm *vm, Kernel *k, int dim, const Cost *cost);
// Cuts new results as link->ranges has it.
Status split_cut(Vm *vm, const Kernel *k, int dim, const Cost *cost);
// Notes in the split what it is of. It has no results yet that are not just written.
void split_keep(const struct Link *link, const Kernel *k, int dim, Split *split);
// This rank's part; of one that is not run, something that is well formed.
Extent split_part(const struct Link *link);
// Makes a reduction start from the op's identity. An op without one is idempotent (maximum): it starts from the first
// value, or accumulates into what the result holds on every rank.
void split_start_afresh(KernReduction *reduction, DType type);

// split_scan.c: continues each rank's part of a scan from the parts before it.
Status split_scan_finish(Vm *vm, const Kernel *k, uint32_t *flags);
// split_sort.c: a single row that is cut. Sets k->split, as split_kernel.
Status split_sorted(Vm *vm, Kernel *k, Split *split);
Status split_sort_finish(Vm *vm, const Kernel *k);
// split_mask.c: COMPRESS and EXPAND. Sets k->split, as split_kernel.
Status split_masked(Vm *vm, Kernel *k, Split *split);

#endif
