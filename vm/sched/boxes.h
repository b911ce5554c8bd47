// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Boxes: elements that travel packed, because the range of bytes around them has too many others. An operand whose
// blocks lie across a kernel's parts (a transposed one) is brought as a box per rank. A result whose blocks lie across
// them is computed into a box, which is sent to the owners of its elements. Link.temps owns boxes until the kernel has
// run.
//
// A box is contiguous, with the dimension along which owners differ outermost, so that each message from or to a rank
// is one range of the box.

#ifndef NACRE_VM_SCHED_BOXES_H
#define NACRE_VM_SCHED_BOXES_H

#include "vm/sched/reach.h"
#include "vm/sched/split.h"

// Computes what bringing an operand as boxes of the parts link->ranges would cost, in bytes over all ranks: *missing
// would be sent, *copied would be copied into the boxes locally. Returns false if it cannot come as boxes.
bool boxes_missing(const struct Link *link, Space space, const KernAccess *load, int dim, int64_t *missing,
                   int64_t *copied);
// Lists the messages that bring every rank's box of an operand (blocks.h), as far as this rank sends or receives them,
// and makes the access `load` one of this rank's box.
Status boxes_want(Vm *vm, Space space, KernAccess *load, int dim, Extent own);

// Allocates a box for this rank's part of a result, and makes the access `store` one of the box.
Status boxes_make(Vm *vm, Space space, SplitResult *result, KernAccess *store, int dim, Extent own);
// Lists the messages that take the ranks' boxes to the elements' owners. *inbox is a new box for what this rank
// receives, contiguous in the order of ranks; a dry run leaves it unset.
Status boxes_send(Vm *vm, const Split *split, const SplitResult *result, Storage **inbox);
// Copies the elements in the inbox to this rank's block.
Status boxes_place(Vm *vm, const Split *split, const SplitResult *result, Storage *inbox);

// Partial results for the elements that this rank owns, one per rank with a part, to be combined (split_finish.c).
typedef struct Sums {
    Storage *parts;     // the inbox: partial results `apart` bytes from each other, in the order of ranks
    int64_t offset, apart;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX]; // of a partial result; dimensions with stride 0 in `to` are reduced
    KernAccess to;
} Sums;
void boxes_sums(Vm *vm, const Split *split, const SplitResult *result, Storage *inbox, Sums *sums);

// Allocates a box of at least one byte, which lives until boxes_release. NULL: out of memory.
Storage *boxes_temp(Vm *vm, int64_t bytes);
// Frees the boxes.
void boxes_release(Vm *vm);
void boxes_release_from(Vm *vm, size_t first); // frees all boxes but the `first` oldest

#endif
