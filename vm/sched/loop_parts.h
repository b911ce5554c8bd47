// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parallel loops of the program on ranks: finds which iterations each rank runs, and brings what they read. The rank
// that owns the elements that an iteration writes runs it (owner computes), as with kernels (split.h). Functions whose
// comment says so are collective. What they decide follows from the program alone, so it is the same on all ranks.

#ifndef NACRE_VM_SCHED_LOOP_PARTS_H
#define NACRE_VM_SCHED_LOOP_PARTS_H

#include "vm/sched/blocks.h"
#include "vm/value/kind.h"

// One access to a storage by the iterations of a loop.
typedef struct LoopUse {
    Storage *storage;
    Extent all;   // contains all bytes that iterations touch
    Extent at;    // the bytes that iteration 0 touches; each further iteration touches those `step` further
    int64_t step; // 0: all iterations touch the same bytes
    bool written;
} LoopUse;

// Costs and gains so far of sharing out the loops of some code, over all ranks: bytes sent, and instructions saved.
typedef struct LoopBalance {
    double sent, saved;
} LoopBalance;

enum { LOOP_USES = 64 };
typedef struct LoopParts {
    int64_t rounds; // iterations
    double work;    // instructions of all iterations
    LoopBalance *balance;
    int use_count;
    LoopUse uses[LOOP_USES];
    const char *why; // why the loop is not shared out, for people; NULL: it may be
    // Set by engine_loop_begin:
    bool is_cut;          // some array is distributed
    int64_t first, count; // iterations of this rank, which may be none
    int last;             // the rank that has the last iteration
    bool flags_raise;     // float flags may become exceptions
} LoopParts;

// Returns whether loops may be shared out over ranks.
bool engine_has_loop_parts(const Vm *vm);
// Called for each array before code is entered, after the pending nodes for all its arrays have run. Leaves a
// distributed array as it is, distributes a large one without memory, and brings others to the host. Collective.
Status engine_loop_open(Vm *vm, const View *view, bool written);
// Shares a loop out, and brings what this rank's iterations read. Arrays may be at other addresses afterwards.
// Collective.
Status engine_loop_begin(Vm *vm, LoopParts *parts);
// Collects `bytes` from each rank, in the order of ranks. Collective.
Status engine_loop_agree(Vm *vm, const void *own, void *all, size_t bytes);
// Called after the iterations: notes that arrays were written, whose halos are stale now.
void engine_loop_end(Vm *vm, const LoopParts *parts);
int engine_rank_count(const Vm *vm);

#endif
