// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parallel loops of machine code on ranks: each rank makes the iterations that write elements of its own
// (vm/sched/loop_parts.h). Where one of them fails on some rank, all put back what they have written and leave: the
// iterations are made again on arrays that every rank has, up to the very statement.

#ifndef NACRE_VM_JIT_PARTS_H
#define NACRE_VM_JIT_PARTS_H

#include "vm/jit/away.h"

// Before code is entered, with its arrays in place. Collective.
Status parts_open(AwayRun *run);
// Makes the iterations of a loop, on all ranks together, and returns how many: all; or none, and then code leaves where its
// arrays are distributed. *went is increased by the iterations of all loops within. Collective.
int64_t parts_make(AwayRun *run, const ParallelRun *loop, RegionSlot *state, int64_t *went);

#endif
