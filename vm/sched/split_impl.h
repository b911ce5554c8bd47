// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parts of sharing a kernel out (split.c) for operations with a way of their own.

#ifndef NACRE_VM_SCHED_SPLIT_IMPL_H
#define NACRE_VM_SCHED_SPLIT_IMPL_H

#include "vm/sched/split.h"

struct Link;

// Finds the dimension to cut, and link->ranges. -1: every rank does all of it.
int split_choose(const struct Link *link, const Kernel *k, AxisSet whole);
// Collective: brings what each rank's part reads.
Status split_bring(Vm *vm, const Kernel *k, int dim);
// Cuts new results as link->ranges has it.
Status split_cut(Vm *vm, const Kernel *k, int dim);
// Notes in the split what it is of.
void split_keep(Split *split, const Kernel *k);
// Makes a reduction start from the op's identity. An op without one is idempotent (maximum): it starts from the first
// value, or accumulates into what the result holds on every rank.
void split_start_afresh(KernReduction *reduction, DType type);

// split_mask.c: COMPRESS and EXPAND. Sets k->split, as split_kernel.
Status split_masked(Vm *vm, Kernel *k, Split *split);

#endif
