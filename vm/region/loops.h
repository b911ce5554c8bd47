// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Control flow of a region: dominators and natural loops.

#ifndef NACRE_VM_REGION_LOOPS_H
#define NACRE_VM_REGION_LOOPS_H

#include "vm/region/builder.h"

enum { FLOW_LOOPS = 64, FLOW_WORDS = REGION_BLOCKS / 64 };

typedef struct BlockSet {
    uint64_t words[FLOW_WORDS];
} BlockSet;

static inline bool block_in(const BlockSet *set, int32_t block) {
    return set->words[block / 64] >> block % 64 & 1;
}
static inline void block_put(BlockSet *set, int32_t block) {
    set->words[block / 64] |= (uint64_t)1 << block % 64;
}

// A natural loop: its head, and the blocks that reach a back edge to it.
typedef struct FlowLoop {
    int32_t head;
    bool innermost;
    BlockSet blocks;
} FlowLoop;

typedef struct Flow {
    BlockSet *dominators; // the dominators of each block, including itself
    int32_t block_count, loop_count;
    FlowLoop loops[FLOW_LOOPS]; // as many as fit
} Flow;

bool flow_find(Mem *mem, const Region *region, Flow *out); // false: out of memory
void flow_free(Mem *mem, Flow *flow);

// Gets the outgoing edges of a block, at most two. Returns their number.
int block_edges(const Region *region, int32_t block, const RegionEdge *edges[2]);

// Checks that each value is defined before its uses (SSA). Returns what is wrong; NULL: nothing, or
// out of memory.
const char *flow_verify(Mem *mem, const Region *region);

#endif
