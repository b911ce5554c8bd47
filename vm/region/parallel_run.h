// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Rounds of parallel loops, shared out to the backend's threads. What a chunk of rounds writes is
// kept before; where something comes up in one of them, it is put back, and the loop as it was makes
// these rounds one after the other, up to the very statement.

#ifndef NACRE_VM_REGION_PARALLEL_RUN_H
#define NACRE_VM_REGION_PARALLEL_RUN_H

#include "lang/support/mem.h"
#include "vm/region/region.h"

// What has become of a parallel loop so far.
typedef struct ParallelTally {
    uint64_t rounds; // made in threads
    uint32_t failed; // chunks that were given up
    int threads;     // that they were shared by, at most
} ParallelTally;

// Memory for one loop at a time.
typedef struct ParallelRoom {
    char *kept;
    size_t kept_room;
    RegionSlot *states;
    size_t state_room;
    RegionCalls *calls; // of each worker, with a scratch of its own
    size_t calls_room;
    char *scratch;
    size_t scratch_room;
    char *folded;
    size_t folded_room;
} ParallelRoom;
void parallel_room_free(Mem *mem, ParallelRoom *room);

typedef struct ParallelRun {
    Mem *mem;
    ParallelRoom *room;
    const Region *region;
    const RegionParallel *loop;
    ParallelTally *tally;
    RegionRoundsFn rounds;
    const RegionSlot *slots;
    const volatile size_t *stop;
    const RegionCalls *calls;
    const int64_t *values;
} ParallelRun;

// As RegionCalls.parallel. Where there is no memory, none.
int64_t parallel_run(const ParallelRun *run, RegionSlot *state, int64_t *went);

#endif
