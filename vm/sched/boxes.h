// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Boxes: elements that travel packed, because a range of bytes would have too many others in between. An operand whose
// blocks lie across a kernel's parts (a transposed one) is brought as a box per rank, and a result of that kind is made
// in a box and sent to who owns its elements. Boxes belong to the link until the kernel has run.
//
// A box is contiguous, with the dimension along which owners differ outermost, so that what comes from one rank, or goes
// to one, is one range of it.

#ifndef NACRE_VM_SCHED_BOXES_H
#define NACRE_VM_SCHED_BOXES_H

#include "vm/sched/reach.h"
#include "vm/sched/split.h"

// Bytes over all ranks, if an operand came as boxes of the parts link->ranges: those that would travel, and the others of
// the boxes, which would be copied. False: it cannot.
bool boxes_missing(const struct Link *link, Space space, const KernAccess *load, int dim, int64_t *missing,
                   int64_t *copied);
// Lists what this rank's part of an operand takes (blocks.h), sends included, and makes the access one of its box.
Status boxes_want(Vm *vm, Space space, KernAccess *load, int dim, Extent own);

// Gives a result a box to be made in: the access becomes one of it.
Status boxes_make(Vm *vm, Space space, SplitResult *result, KernAccess *store, int dim, Extent own);
// Lists the messages to who owns the elements, and those to here, behind one another at *inbox.
Status boxes_send(Vm *vm, const Split *split, const SplitResult *result, Storage **inbox);
// Writes what came to where it belongs.
Status boxes_place(Vm *vm, const Split *split, const SplitResult *result, Storage *inbox);

// Parts of the elements that this rank owns, to be combined (split_finish.c).
typedef struct Sums {
    Storage *parts;     // `apart` bytes from each other, in the order of ranks
    int64_t offset, apart;
    int64_t shape[NDIM_MAX], strides[NDIM_MAX]; // of a part; reduced dimensions, of stride 0 in `to`, do not count
    KernAccess to;
} Sums;
void boxes_sums(Vm *vm, const Split *split, const SplitResult *result, Storage *inbox, Sums *sums);

// Memory for a box, of at least one byte; it lasts as long as boxes do. NULL: out of memory.
Storage *boxes_temp(Vm *vm, int64_t bytes);
// Frees the boxes.
void boxes_release(Vm *vm);
void boxes_release_from(Vm *vm, size_t first); // but for the first ones

#endif
