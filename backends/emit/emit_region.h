// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Private to emit_region.c, emit_rounds.c and emit_items.c.

#ifndef NACRE_BACKENDS_EMIT_EMIT_REGION_H
#define NACRE_BACKENDS_EMIT_EMIT_REGION_H

#include "backends/emit/emit_grid.h"

char emit_slot_member(uint8_t type);
void emit_locals(const Region *region, Buf *out); // local variables that every region function has
void emit_value(const Dialect *dialect, const Region *region, int32_t at, Buf *out); // declares the value's variable
// `rounds`: the parallel loop whose function is rendered; NULL: the region's own.
void emit_block(const Dialect *dialect, const Region *region, int32_t block,
                const RegionParallel *rounds, const RegionNotes *notes, Buf *out);

// Returns whether a block is one of a set of REGION_BLOCKS bits.
static inline bool emit_block_in(const uint64_t *blocks, int32_t block) {
    return blocks[block / 64] >> block % 64 & 1;
}

// Returns the block that a jump to `block` goes to on devices, where loops have no fast copies.
static inline int32_t emit_item_block(const Region *region, int32_t block) {
    return region->plain[block] ? region->plain[block] : block;
}
// Returns whether a jump to `block` by instruction `at` enters the inner loop whose iterations are work items.
static inline bool emit_enters(const Region *region, const RegionParallel *loop, int32_t block, int32_t at) {
    if (!loop || !loop->within.head || loop->within.head != block) return false;
    for (int32_t b = 0; b < region->block_count; b++)
        if (emit_block_in(loop->within.blocks, b) && at >= region->blocks[b].first && at < region->blocks[b].end) return false;
    return true;
}

// emit_rounds.c: renders the function of a parallel loop, and RG_PARALLEL.
void emit_rounds(const Dialect *dialect, const Region *region, int number, const RegionNotes *notes,
                 Buf *out);
void emit_parallel(const Region *region, const RegionInstr *instr, int32_t at, Buf *out);

#endif
