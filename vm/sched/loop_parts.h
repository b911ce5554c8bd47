// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parallel loops of the program on ranks: which iterations each rank makes, and bringing what they read. Who owns the
// elements that an iteration writes makes it (owner computes), as with kernels (split.h). All functions that say so are
// collective; what they decide follows from the program alone, so it is the same on all ranks.

#ifndef NACRE_VM_SCHED_LOOP_PARTS_H
#define NACRE_VM_SCHED_LOOP_PARTS_H

#include "vm/sched/blocks.h"
#include "vm/value/kind.h"

// What iterations touch of a storage.
typedef struct LoopUse {
    Storage *storage;
    Extent all;   // no byte outside of these
    Extent at;    // the bytes that iteration 0 touches; each one is `step` further
    int64_t step; // 0: all iterations touch the same
    bool written;
} LoopUse;

// What sharing loops of some code out has cost so far, in bytes, and what it has saved, in instructions, over all
// ranks.
typedef struct LoopBalance {
    double sent, saved;
} LoopBalance;

enum { LOOP_USES = 64 };
typedef struct LoopParts {
    int64_t rounds; // iterations
    double work;    // instructions of all of them
    LoopBalance *balance;
    int use_count;
    LoopUse uses[LOOP_USES];
    const char *why; // why it is not shared out, for people; NULL: it may be
    // Found by engine_loop_begin.
    bool is_cut;          // some array is distributed
    int64_t first, count; // iterations of this rank, which may be none
    int last;             // the rank that has the last one
    bool flags_raise;     // float flags may become exceptions
} LoopParts;

// Whether ranks share loops.
bool engine_has_loop_parts(const Vm *vm);
// Before code is entered, once what is pending for all its arrays has run: leaves a distributed array as it is,
// distributes one without elements that is large enough, and brings others to the host. Collective.
Status engine_loop_open(Vm *vm, const View *view, bool written);
// Shares a loop out, and brings what this rank's iterations read. Memory of the host may be at another address
// afterwards. Collective.
Status engine_loop_begin(Vm *vm, LoopParts *parts);
// Collects `bytes` from each rank, in the order of ranks. Collective.
Status engine_loop_agree(Vm *vm, const void *own, void *all, size_t bytes);
// Behind the iterations: halos of what was written are stale.
void engine_loop_end(Vm *vm, const LoopParts *parts);
int engine_rank_count(const Vm *vm);

#endif
