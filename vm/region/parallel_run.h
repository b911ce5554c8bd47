// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs iterations of parallel loops in the backend's threads, speculatively: elements that a chunk
// will write are saved first. If a check fails in a chunk, they are restored, and the sequential
// loop repeats its iterations, up to the exact statement.

#ifndef NACRE_VM_REGION_PARALLEL_RUN_H
#define NACRE_VM_REGION_PARALLEL_RUN_H

#include "lang/support/mem.h"
#include "vm/region/region.h"

// Statistics of a parallel loop.
typedef struct ParallelTally {
    uint64_t rounds; // run in threads
    uint32_t failed; // chunks that were rolled back
    uint64_t items;    // iterations run as work items of a device
    uint64_t parts;    // this rank's iterations when ranks shared the loop
    uint32_t given_up; // how often the device or the ranks failed to run the loop
    int threads;     // maximum that took part
} ParallelTally;

// Buffers that are reused from loop to loop.
typedef struct ParallelRoom {
    char *kept;
    size_t kept_room;
    RegionSlot *states;
    size_t state_room;
    RegionCalls *calls; // one per worker, each with its own scratch buffer
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
    int64_t skipped; // iterations of the loop before this run; `state` is the state after them
    bool apart; // it is known that no written array aliases itself or another one
} ParallelRun;

// Implements RegionCalls.parallel. Returns 0 iterations when out of memory.
int64_t parallel_run(const ParallelRun *run, RegionSlot *state, int64_t *went);

#endif
