// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions a kernel over the ranks: a loop, or a library call with a partition rule. The iteration space is cut along
// one dimension so that each rank computes the elements that it owns (owner computes). Elements of operands that this
// rank's part reads and that it does not hold are brought. Reductions along the cut dimension give partial results,
// which are combined.

#ifndef NACRE_VM_SCHED_SPLIT_H
#define NACRE_VM_SCHED_SPLIT_H

#include "vm/kernel/kernel.h"
#include "vm/sched/blocks.h"

// A result that needs work after the kernel: partial results, or elements that other ranks own. Describes the result as
// it was before the kernel was simplified, since simplification may depend on the part.
typedef struct SplitResult {
    KernAccess to;           // strides are 0 along reduced dimensions
    KernReduction reduction; // with `sums`: the reduction that combines partial results
    bool sums;               // each rank has a partial result for every element
    Storage *box;            // this rank's part, to be sent to owners (boxes.h); NULL: it is in `to`, on every rank
    int owners;              // with a box: the dimension along which owners differ
} SplitResult;

// How a kernel is partitioned: rank r has the indices link->ranges[r] along `dim`.
typedef struct Split {
    bool apart;      // the fused kernel cannot be partitioned over the grid of ranks: its nodes run one by one
    bool is_empty;   // this rank has no part of the kernel
    bool flags;      // the kernel's flags have to be agreed on
    int site_count;
    int first;       // the first rank that has a part
    int dim, ndim;
    int64_t shape[NDIM_MAX];
    int result_count;
    SplitResult results[KERN_STORES];
    bool scans;      // each part has to be continued from those before it: split_scan.c
    bool sorts;      // parts are sorted, and have to be merged: split_sort.c
    KernAccess target; // with `sorts`: where the sorted row goes
} Split;

// Partitions a kernel that has not been simplified: reduces it to this rank's part, brings operands, allocates memory
// for results, and sets kernel->split. If kernel->split stays NULL, the kernel is as it was, and every rank runs all of
// it; with distributed operands this is a detour (engine.h) of `node`. Collective.
Status split_kernel(Vm *vm, Kernel *kernel, const Node *node, Split *split);
// Sets *everywhere to whether `is_so` is true on every rank that has a part. Collective.
Status split_agree(Vm *vm, const Split *split, bool is_so, bool *everywhere);
// Called after the kernel has run: agrees on its float flags, combines partial results, and sends boxes to the
// elements' owners. Collective.
Status split_finish(Vm *vm, const Kernel *kernel, uint32_t *flags);

// Finds which indices along an axis of a view over a cut storage lie in each rank's block. Returns false if some lie in
// two blocks.
bool split_ranges(const struct Link *link, const View *view, int axis, Extent *ranges);

#endif
