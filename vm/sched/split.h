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

// Operands that were made for this rank's part alone; NULL where there is none.
typedef struct Copies {
    Storage *list[2];
} Copies;

// How a kernel is shared out. The form of its results is kept from before simplification, which may depend on the part.
typedef struct Split {
    bool is_empty;   // this rank has no part of it
    bool is_partial; // the cut dimension is reduced: results are combined
    int first;       // the first rank that has a part
    int ndim;
    int64_t shape[NDIM_MAX];
    AxisSet reduced;
    int site_count, result_count;
    bool flags;      // the kernel's flags have to be agreed on
    KernReduction reductions[KERN_STORES];
    KernAccess results[KERN_STORES];
    Copies copies;
} Split;

// Cuts a kernel that has not been simplified, and leaves this rank's part of it. Collective if it returns ST_OK and
// sets kernel->split: operands and memory for results are there then. With kernel->split NULL the kernel is as it was,
// and every rank does all of it; if operands are distributed that is a detour (engine.h) of `node`.
Status split_kernel(Vm *vm, Kernel *kernel, const Node *node, Split *split);
// Collective: whether something is so on every rank that has a part.
Status split_agree(Vm *vm, const Split *split, bool is_so, bool *everywhere);
// When the kernel has run, or could not be.
void split_drop(Vm *vm, const Split *split);
// Collective, after the kernel has run: agrees on its flags and combines partial results.
Status split_finish(Vm *vm, const Split *split, uint32_t *flags);

#endif
