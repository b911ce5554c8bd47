// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The control flow of a region: which blocks lie on every way to another one, and the loops that
// the blocks make.

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

// A natural loop: a block that all of its rounds begin with, and what jumps back to it.
typedef struct FlowLoop {
    int32_t head;
    bool innermost;
    BlockSet blocks;
} FlowLoop;

typedef struct Flow {
    BlockSet *dominators; // of each block: those on every way to it, itself among them
    int32_t block_count, loop_count;
    FlowLoop loops[FLOW_LOOPS]; // those that there is room for
} Flow;

bool flow_find(Mem *mem, const Region *region, Flow *out); // false: no memory
void flow_free(Mem *mem, Flow *flow);

// The edges of the instruction that ends a block, at most two; how many.
int block_edges(const Region *region, int32_t block, const RegionEdge *edges[2]);

// What is wrong with where values are used; NULL: nothing, or no memory to find out.
const char *flow_verify(Mem *mem, const Region *region);

#endif
