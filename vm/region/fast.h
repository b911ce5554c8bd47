// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to version.c, checks.c, tries.c and copy.c of this folder: a loop and its fast copy.

#ifndef NACRE_VM_REGION_FAST_H
#define NACRE_VM_REGION_FAST_H

#include "vm/region/range.h"

// Disposition of an instruction's check in the copy.
typedef enum Fate {
    FATE_STAYS,
    FATE_SURE,  // the check is proved in front of the loop, and dropped
    FATE_LATER, // the check is deferred to the end of the chunk
    FATE_GONE,
} Fate;

// A loop that runs while comparison `op` of `varying` with `fixed` holds. `varying` grows by `step`, which is not 0.
typedef struct Counting {
    int32_t varying, fixed;
    OpId op;
    int64_t step;
} Counting;

// Elements that a chunk writes, saved for rollback.
typedef struct Kept {
    int32_t store; // the store instruction
    int32_t address, stride, count;
} Kept;

// An edge out of the loop, and the block inserted on it.
typedef struct WayOut {
    int32_t block;
    RegionEdge edge;
} WayOut;

typedef struct FastLoop {
    RegionMaker *maker;
    const Flow *flow;
    const FlowLoop *loop;
    LoopRanges ranges;
    int32_t params;  // number of the head's parameters
    int32_t stay;    // which of the head's edges stays in the loop: 0 or 1
    BlockSet always; // blocks that every complete iteration passes through
    bool looks;      // float flags must be checked after each chunk
    bool tries;      // chunks are speculative: rolled back and repeated if a deferred check fails
    bool guards;     // some comparison depends on the iteration number
    bool parts;      // an iteration may leave the loop before its end
    bool later;      // overflow of sums is checked after the chunk
    Counting counting;
    int32_t block_count;
    int32_t order[REGION_BLOCKS]; // blocks of the loop in topological order, the head first
    int32_t copies[REGION_BLOCKS]; // the copy of each block in `order`
    Kept kept[KEPT_PLACES];
    int kept_count;
    int32_t gate, check, chunk, keep, rounds, done, again; // blocks, described in version.c
    int32_t left, chunk_rounds; // values: remaining iterations, and iterations of the chunk
    int32_t *map;               // maps each value of the loop to its value in the copy
    int32_t *state;             // the head's parameters in the copy, between iterations
    int32_t *exits;             // copies of exits
    WayOut ways[2 * REGION_BLOCKS];
    int32_t way_count;
} FastLoop;

// --- checks.c: checks that need not be made in each iteration ----------------------------------
bool has_guards(FastLoop *f); // computes `guards`
// Returns whether all exits within an iteration can be deferred and the body is straight-line code,
// so that the C compiler may vectorise it.
bool leaves_later(FastLoop *f);
// Chooses how the check of a sum is deferred. For CHECK_SMALL, `place` receives the head's
// parameter that accumulates.
CheckLater how_later(FastLoop *f, int32_t instr, int32_t *place);
Fate fate_of(FastLoop *f, int32_t instr);
// Adds to the check in front of the loop the conditions that an instruction's disposition relies on.
void want_fate(FastLoop *f, int32_t instr);

// --- tries.c: elements to restore when a chunk is rolled back ----------------------------------
// Returns whether every store of the loop can be rolled back, and lists the stores.
bool can_put_back(FastLoop *f);
bool is_stored_index(const FastLoop *f, int32_t index); // whether a store in the same block uses
                                                        // the index
void keep_elements(FastLoop *f);                        // emits the saving of elements, in block
                                                        // `keep`
void begin_checks(FastLoop *f);                         // in block `keep`, resets the deferred
                                                        // checks
// Emits a jump to `again` if a deferred check failed, or if a float flag was raised: by the values in
// the links from `floats` on, or earlier.
void leave_if_spoilt(FastLoop *f, int32_t floats);
void put_elements_back(FastLoop *f);
// Returns whether a float that may raise flags is certainly computed in the copy, because its
// result is stored or carried into the next iteration.
bool is_computed(FastLoop *f, int32_t value);

// --- copy.c ------------------------------------------------------------------------------------
void copy_blocks(FastLoop *f);

#endif
