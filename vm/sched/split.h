// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Partitions a kernel over the ranks: a loop, or a library call with a partition rule. The iteration space is cut along
// one dimension so that each rank computes the elements that it owns (owner computes). Operands are brought as far as
// this rank's part reads them and it does not hold them. Reductions along the cut dimension give partial results, which
// are combined.

#ifndef NACRE_VM_SCHED_SPLIT_H
#define NACRE_VM_SCHED_SPLIT_H

#include "vm/kernel/kernel.h"
#include "vm/sched/blocks.h"

// A result that is not just written where it belongs. Its form is kept from before simplification, which may depend on
// the part.
typedef struct SplitResult {
    KernAccess to;           // strides are 0 along reduced dimensions
    KernReduction reduction; // if parts are combined
    bool sums;               // they are: each rank has a value for every element
    Storage *box;            // where this rank's part is made, to be sent to owners (boxes.h); NULL: in `to`, on every rank
    int owners;              // with a box: the dimension along which owners differ
} SplitResult;

// How a kernel is shared out: parts are the indices link->ranges[rank] along `dim`.
typedef struct Split {
    bool apart;      // its nodes are to be run one by one: together they do not fit the grids of ranks that results lie on
    bool is_empty;   // this rank has no part of it
    bool flags;      // the kernel's flags have to be agreed on
    int site_count;
    int first;       // the first rank that has a part
    int dim, ndim;
    int64_t shape[NDIM_MAX];
    int result_count;
    SplitResult results[KERN_STORES];
    bool scans;      // each part has to be continued from those before it: split_scan.c
    bool sorts;      // parts are sorted, and have to become one: split_sort.c
    KernAccess target; // of that: where the row goes
} Split;

// Cuts a kernel that has not been simplified, and leaves this rank's part of it. Collective if it returns ST_OK and
// sets kernel->split: operands and memory for results are there then. With kernel->split NULL the kernel is as it was,
// and every rank does all of it; if operands are distributed that is a detour (engine.h) of `node`.
Status split_kernel(Vm *vm, Kernel *kernel, const Node *node, Split *split);
// Collective: whether something is so on every rank that has a part.
Status split_agree(Vm *vm, const Split *split, bool is_so, bool *everywhere);
// Collective, after the kernel has run: agrees on its flags, combines partial results and sends others to their owners.
Status split_finish(Vm *vm, const Kernel *kernel, uint32_t *flags);

// Which indices along an axis of a view over a cut storage lie in each rank's block. False: some lie in two.
bool split_ranges(const struct Link *link, const View *view, int axis, Extent *ranges);

#endif
