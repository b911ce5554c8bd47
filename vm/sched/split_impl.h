// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What split.c shares with the files that partition particular operations.

#ifndef NACRE_VM_SCHED_SPLIT_IMPL_H
#define NACRE_VM_SCHED_SPLIT_IMPL_H

#include "vm/sched/rule.h"
#include "vm/sched/split.h"
#include "vm/sched/split_cost.h"

struct Link;

// Chooses the dimension to cut: returns it, and sets link->ranges and *cost. -1: every rank runs all of the kernel.
int split_choose(const struct Link *link, const Kernel *k, const Limits *limits, Cost *cost);
// Brings what each rank's part reads. Loads that come as boxes become accesses of the boxes. Collective.
Status split_bring(Vm *vm, Kernel *k, int dim, const Cost *cost);
Status split_begin_bringing(Vm *vm, Kernel *k, int dim, const Cost *cost); // the same up to blocks_post
// Cuts results that are not distributed yet, according to link->ranges.
Status split_cut(Vm *vm, const Kernel *k, int dim, const Cost *cost);
// Initialises a split without results that need work after the kernel.
void split_begin(Split *split, const Kernel *k);
// As split_begin, with the parts link->ranges along a dimension.
void split_keep(const struct Link *link, const Kernel *k, int dim, Split *split);
// Returns this rank's part. If it is empty, returns a valid range of one index, for a kernel that is not run.
Extent split_part(const struct Link *link);
// Makes a reduction start from the op's identity instead of what the result holds. An op without an identity is
// idempotent (maximum): it starts from the first value, or accumulates into what the result holds on every rank.
void split_start_afresh(KernReduction *reduction, DType type);
// Adds another rank's flags of a site to this rank's. An interrupt of one rank interrupts all.
void split_join_flags(Vm *vm, uint32_t *flags, uint32_t theirs);

// Returns whether a store spans most of its storage. A store into a row or a corner must not decide how the whole array
// is cut: the row would be distributed, and all other elements be on one rank.
bool split_is_of_most(const Kernel *k, const KernAccess *to);
bool split_is_nothing(const Kernel *k); // whether its iteration space is empty

// Finds ranges of indices along a dimension so that each rank touches only its own block of an access's storage, which
// is cut. Returns false if some index touches two blocks.
bool split_follows(const struct Link *link, const Kernel *k, const KernAccess *access, int dim, Extent *ranges);
// Computes cuts of a whole storage for even ranges of indices. Returns false if there are no such cuts.
bool split_cuts_evenly(const struct Link *link, const Kernel *k, const KernAccess *access, int dim, int64_t *cuts);
bool split_is_new(const View *view); // whether it is all of an array that has no memory yet

// split_scan.c: continues each rank's part of a scan from the parts before it.
Status split_scan_finish(Vm *vm, const Kernel *k, uint32_t *flags);
Status split_sort_finish(Vm *vm, const Kernel *k); // split_sort.c: makes one sorted row of the parts

// Partition library calls. They set k->split, as split_kernel does.
Status split_along(Vm *vm, Kernel *k, CallSpace *space, Split *split); // cuts a dimension of the call's space
Status split_masked(Vm *vm, Kernel *k, Split *split); // split_mask.c: COMPRESS, EXPAND, NONZERO
Status split_sorted(Vm *vm, Kernel *k, Split *split); // split_sort.c: sorts a single row
Status split_places(Vm *vm, Kernel *k, Split *split); // split_places.c: TAKE, PUT
Status split_window(Vm *vm, Kernel *k, Split *split); // split_window.c: CONVOLVE
Status split_lines(Vm *vm, Kernel *k, Split *split); // split_lines.c: SPARSE_PRODUCT
// split_extreme.c: ARGMAX and ARGMIN along a dimension that is cut. split_extreme_fits: whether it is for this call.
bool split_extreme_fits(Vm *vm, const Kernel *k, const CallSpace *space);
Status split_extreme(Vm *vm, Kernel *k, const CallSpace *space, Split *split);

#endif
