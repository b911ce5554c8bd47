// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parts of sharing a kernel out (split.c) for operations with a way of their own.

#ifndef NACRE_VM_SCHED_SPLIT_IMPL_H
#define NACRE_VM_SCHED_SPLIT_IMPL_H

#include "vm/sched/rule.h"
#include "vm/sched/split.h"
#include "vm/sched/split_cost.h"

struct Link;

// Finds the dimension to cut, link->ranges, and what that costs. -1: every rank does all of it.
int split_choose(const struct Link *link, const Kernel *k, const Limits *limits, Cost *cost);
// Collective: brings what each rank's part reads. Loads that come packed become accesses of their boxes.
Status split_bring(Vm *vm, Kernel *k, int dim, const Cost *cost);
// Cuts new results as link->ranges has it.
Status split_cut(Vm *vm, const Kernel *k, int dim, const Cost *cost);
// A split of a kernel without results that are not just written.
void split_begin(Split *split, const Kernel *k);
// The same, of parts link->ranges along a dimension.
void split_keep(const struct Link *link, const Kernel *k, int dim, Split *split);
// This rank's part; of one that is not run, something that is well formed.
Extent split_part(const struct Link *link);
// Makes a reduction start from the op's identity. An op without one is idempotent (maximum): it starts from the first
// value, or accumulates into what the result holds on every rank.
void split_start_afresh(KernReduction *reduction, DType type);
// Adds another rank's flags of a site to this one's. An interrupt of one rank interrupts all.
void split_join_flags(Vm *vm, uint32_t *flags, uint32_t theirs);

// Whether a store reaches over most of its storage. One into a row or a corner of a whole array does not decide how all
// of it is cut: that row would be shared out, and the rest be with one rank.
bool split_is_of_most(const Kernel *k, const KernAccess *to);
bool split_is_nothing(const Kernel *k); // it has no elements

// The ranges of indices along a dimension so that each rank touches its own block alone of an access's storage, which
// is cut. False: some index touches two blocks.
bool split_follows(const struct Link *link, const Kernel *k, const KernAccess *access, int dim, Extent *ranges);
// Where to cut a storage that is whole, for even ranges of indices. False: it cannot be cut so.
bool split_cuts_evenly(const struct Link *link, const Kernel *k, const KernAccess *access, int dim, int64_t *cuts);
bool split_is_new(const View *view); // all of an array that has no memory yet

// split_scan.c: continues each rank's part of a scan from the parts before it.
Status split_scan_finish(Vm *vm, const Kernel *k, uint32_t *flags);
Status split_sort_finish(Vm *vm, const Kernel *k); // split_sort.c

// Ways of sharing a call out. They set k->split, as split_kernel does.
Status split_along(Vm *vm, Kernel *k, CallSpace *space, Split *split); // a dimension of its space
Status split_masked(Vm *vm, Kernel *k, Split *split); // split_mask.c: COMPRESS, EXPAND, NONZERO
Status split_sorted(Vm *vm, Kernel *k, Split *split); // split_sort.c: a single row
Status split_places(Vm *vm, Kernel *k, Split *split); // split_places.c: TAKE, PUT
Status split_window(Vm *vm, Kernel *k, Split *split); // split_window.c: CONVOLVE
Status split_lines(Vm *vm, Kernel *k, Split *split); // split_lines.c: SPARSE_PRODUCT
// split_extreme.c: ARGMAX and ARGMIN along a dimension that is cut.
bool split_extreme_fits(Vm *vm, const Kernel *k, const CallSpace *space);
Status split_extreme(Vm *vm, Kernel *k, const CallSpace *space, Split *split);

#endif
