// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parallel loops of compiled code on ranks: each rank runs the iterations that write elements of its own
// (vm/sched/loop_parts.h). If an iteration fails on some rank, all ranks restore what they have written and leave. The
// iterations are then repeated on gathered arrays, up to the statement that fails.

#ifndef NACRE_VM_JIT_PARTS_H
#define NACRE_VM_JIT_PARTS_H

#include "vm/jit/away.h"

// Prepares the arrays in run->arrays before code is entered. Collective.
Status parts_open(AwayRun *run);
// Runs the iterations of a loop, each rank its part. Returns how many the ranks ran together: all, or 0, and then code
// leaves if its arrays are distributed. Adds to *went the iterations of all loops within. Collective.
int64_t parts_make(AwayRun *run, const ParallelRun *loop, RegionSlot *state, int64_t *went);

#endif
