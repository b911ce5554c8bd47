// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Inside of region_version.c, region_checks.c, region_tries.c and region_copy.c: a loop, and what
// is made of it.

#ifndef NACRE_VM_REGION_FAST_H
#define NACRE_VM_REGION_FAST_H

#include "vm/region/range.h"

// What becomes of an instruction in the copy.
typedef enum Fate {
    FATE_STAYS,
    FATE_SURE,  // it does not have to look where it might leave
    FATE_LATER, // what it looks at is looked at behind the chunk
    FATE_GONE,
} Fate;

// Rounds are made while `varying` compares with `fixed`; it grows by `step`, which is not 0.
typedef struct Counting {
    int32_t varying, fixed;
    OpId op;
    int64_t step;
} Counting;

// Elements that a chunk writes.
typedef struct Kept {
    int32_t store; // the instruction
    int32_t address, stride, count;
} Kept;

// An edge out of the loop, and the block that it goes through.
typedef struct WayOut {
    int32_t block;
    RegionEdge edge;
} WayOut;

typedef struct FastLoop {
    RegionMaker *maker;
    const Flow *flow;
    const FlowLoop *loop;
    LoopRanges ranges;
    int32_t params;  // of the head
    int32_t stay;    // its edge that stays in the loop: 0 or 1
    BlockSet always; // blocks that every round that comes to its end has been through
    bool looks;      // float conditions have to be looked for
    bool tries;      // chunks are made again where something came up
    bool guards;     // something is compared with what grows with the rounds
    bool parts;      // rounds may end before they are done
    bool later;      // sums are looked at behind the chunk
    Counting counting;
    int32_t block_count;
    int32_t order[REGION_BLOCKS]; // the loop's blocks, the head first, each behind what leads to it
    int32_t copies[REGION_BLOCKS]; // of each of these
    Kept kept[KEPT_PLACES];
    int kept_count;
    // Blocks: in front of the loop; of a chunk; before its rounds, their head, behind them; where
    // a chunk is given up.
    int32_t gate, check, chunk, keep, rounds, done, again;
    int32_t left, chunk_rounds; // values: rounds that are to be made, of the chunk
    int32_t *map;               // what each of the loop's values is in the copy
    int32_t *state;             // what the head's parameters are in the copy, between rounds
    int32_t *exits;             // copies of exits
    WayOut ways[2 * REGION_BLOCKS];
    int32_t way_count;
} FastLoop;

// --- region_checks.c: what needs not be looked at in each round --------------------------------
bool has_guards(FastLoop *f); // for `guards`
// All that could leave in the middle of a round can be looked at later, and there is one way
// through it only: so it may become vectors.
bool leaves_later(FastLoop *f);
// How a sum that is looked at later is; where that is CHECK_SMALL, to which of the head's
// parameters something is added.
CheckLater how_later(FastLoop *f, int32_t instr, int32_t *place);
Fate fate_of(FastLoop *f, int32_t instr);
// Wants what makes it so, in front of the loop.
void want_fate(FastLoop *f, int32_t instr);

// --- region_tries.c: what has to be put back where a chunk is given up -------------------------
// Whether everything that the loop writes can be; lists it.
bool can_put_back(FastLoop *f);
bool is_stored_index(const FastLoop *f, int32_t index); // of a store that is put back
void keep_elements(FastLoop *f);                        // in block `keep`
void begin_checks(FastLoop *f);                         // likewise: of what is looked at later
// Leaves for `again` where something came up; conditions in the floats among the links from
// `floats` on, or before.
void leave_if_spoilt(FastLoop *f, int32_t floats);
void put_elements_back(FastLoop *f);
// Whether a float that conditions may have come up in is computed in the copy, as what is made of
// it is stored or comes back in the next round.
bool is_computed(FastLoop *f, int32_t value);

// --- region_copy.c -----------------------------------------------------------------------------
void copy_blocks(FastLoop *f);

#endif
