// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Dominators by iterating set intersection to a fixed point. Each block with a back edge from a
// block that it dominates heads a natural loop; a loop whose two parts only meet at that block is
// also split into two.

#include "vm/region/loops.h"

#include <string.h>

int block_edges(const Region *r, int32_t block, const RegionEdge *edges[2]) {
    const RegionInstr *last = &r->code[r->blocks[block].end - 1];
    if (last->op != RG_JUMP && last->op != RG_BRANCH && last->op != RG_ROUNDS) return 0;
    edges[0] = &last->edges[0];
    edges[1] = &last->edges[1];
    return last->op == RG_JUMP ? 1 : 2;
}

// --- Dominators --------------------------------------------------------------------------------

// Intersects the dominators `to` of a block with those of a predecessor, `from`; the block itself stays in them.
// Returns whether `to` changed.
static bool narrow(BlockSet *to, const BlockSet *from, int32_t block) {
    BlockSet meet = *from;
    bool changed = false;
    block_put(&meet, block);
    for (int w = 0; w < FLOW_WORDS; w++) {
        uint64_t left = to->words[w] & meet.words[w];
        changed |= left != to->words[w];
        to->words[w] = left;
    }
    return changed;
}

static void find_dominators(const Region *r, BlockSet *dominators) {
    bool changed = true;
    memset(dominators, 0xff, (size_t)r->block_count * sizeof *dominators);
    memset(dominators, 0, sizeof *dominators);
    block_put(dominators, 0);
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < r->block_count; b++) {
            const RegionEdge *edges[2];
            int count = block_edges(r, b, edges);
            for (int e = 0; e < count; e++)
                changed |= narrow(&dominators[edges[e]->block], &dominators[b], edges[e]->block);
        }
    }
}

// --- Loops -------------------------------------------------------------------------------------

static bool leads_into(const Region *r, int32_t block, const BlockSet *blocks, int32_t head) {
    const RegionEdge *edges[2];
    int count = block_edges(r, block, edges);
    for (int e = 0; e < count; e++)
        if (edges[e]->block != head && block_in(blocks, edges[e]->block)) return true;
    return false;
}

// Collects all blocks that reach the back edges without passing the head. False: the loop has a
// second entry (irreducible).
static bool fill(const Region *r, const BlockSet *dominators, FlowLoop *loop) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < r->block_count; b++) {
            if (block_in(&loop->blocks, b) || !leads_into(r, b, &loop->blocks, loop->head))
                continue;
            if (!block_in(&dominators[b], loop->head)) return false;
            block_put(&loop->blocks, b);
            changed = true;
        }
    }
    return true;
}

static bool find_natural(const Region *r, int32_t head, const Flow *flow, FlowLoop *loop) {
    bool found = false;
    *loop = (FlowLoop){.head = head, .innermost = true};
    block_put(&loop->blocks, head);
    for (int32_t b = 0; b < r->block_count; b++) {
        const RegionEdge *edges[2];
        int count = block_edges(r, b, edges);
        for (int e = 0; e < count; e++) {
            if (edges[e]->block != head || !block_in(&flow->dominators[b], head)) continue;
            block_put(&loop->blocks, b);
            found = true;
        }
    }
    return found && fill(r, flow->dominators, loop);
}

// Collects the part of a loop that is reached from its head along one edge.
static FlowLoop part_along(const Region *r, const FlowLoop *loop, int32_t block) {
    FlowLoop part = {.head = loop->head, .innermost = true};
    bool changed = true;
    block_put(&part.blocks, loop->head);
    block_put(&part.blocks, block);
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < r->block_count; b++) {
            const RegionEdge *edges[2];
            if (b == loop->head || !block_in(&part.blocks, b)) continue;
            int count = block_edges(r, b, edges);
            for (int e = 0; e < count; e++) {
                int32_t to = edges[e]->block;
                if (!block_in(&loop->blocks, to) || block_in(&part.blocks, to)) continue;
                block_put(&part.blocks, to);
                changed = true;
            }
        }
    }
    return part;
}

static void add_loop(Flow *flow, const FlowLoop *loop) {
    if (flow->loop_count < FLOW_LOOPS) flow->loops[flow->loop_count++] = *loop;
}

// Adds the natural loop with this head. If the first iteration of an outer loop is peeled, inner and outer
// loop share a head; then adds both, distinguished by which of the head's two edges leads to their blocks.
static void find_loop(const Region *r, int32_t head, Flow *flow) {
    FlowLoop loop, parts[2];
    const RegionEdge *edges[2];
    if (!find_natural(r, head, flow, &loop)) return;
    add_loop(flow, &loop);
    if (block_edges(r, head, edges) != 2 || !block_in(&loop.blocks, edges[0]->block) ||
        !block_in(&loop.blocks, edges[1]->block))
        return;
    for (int e = 0; e < 2; e++) parts[e] = part_along(r, &loop, edges[e]->block);
    for (int e = 0; e < 2; e++)
        if (!block_in(&parts[e].blocks, edges[!e]->block)) add_loop(flow, &parts[e]);
}

static bool is_within(const BlockSet *a, const BlockSet *b) {
    bool within = true;
    for (int w = 0; w < FLOW_WORDS; w++) within &= (a->words[w] & ~b->words[w]) == 0;
    return within;
}

static bool holds(const FlowLoop *a, const FlowLoop *b) {
    if (a->head != b->head) return block_in(&a->blocks, b->head);
    return is_within(&b->blocks, &a->blocks) && !is_within(&a->blocks, &b->blocks);
}

static void find_innermost(Flow *flow) {
    for (int32_t a = 0; a < flow->loop_count; a++)
        for (int32_t b = 0; b < flow->loop_count; b++)
            if (a != b && holds(&flow->loops[a], &flow->loops[b])) flow->loops[a].innermost = false;
}

bool flow_find(Mem *mem, const Region *r, Flow *out) {
    *out = (Flow){.block_count = r->block_count};
    out->dominators = mem_alloc(mem, (size_t)r->block_count * sizeof *out->dominators);
    if (!out->dominators) return false;
    find_dominators(r, out->dominators);
    for (int32_t b = 0; b < r->block_count; b++) find_loop(r, b, out);
    find_innermost(out);
    return true;
}

void flow_free(Mem *mem, Flow *flow) {
    mem_free(mem, flow->dominators, (size_t)flow->block_count * sizeof *flow->dominators);
    flow->dominators = NULL;
}

// --- Checking ----------------------------------------------------------------------------------

typedef struct Checker {
    const Region *region;
    const BlockSet *dominators;
    int32_t *block_of; // block that defines each value
} Checker;

// Tests that a value is defined on every path to instruction `at` of a block.
static bool is_there(const Checker *c, int32_t value, int32_t block, int32_t at) {
    int32_t home = c->block_of[value];
    if (c->region->code[value].op == RG_INPUT) return true;
    if (home == block) return value < at;
    return home >= 0 && block_in(&c->dominators[block], home);
}

static bool links_are_there(const Checker *c, int32_t first, int32_t count, int32_t block,
                            int32_t at) {
    for (int32_t i = 0; i < count; i++)
        if (!is_there(c, c->region->links[first + i], block, at)) return false;
    return true;
}

static bool operands_are_there(const Checker *c, int32_t block, int32_t at) {
    const Region *r = c->region;
    const RegionInstr *in = &r->code[at];
    for (int a = 0; a < 4; a++)
        if (in->args[a] != NO_VALUE && !is_there(c, in->args[a], block, at)) return false;
    if (in->exit != NO_VALUE && !in->to_block &&
        !links_are_there(c, r->exits[in->exit].first, r->exits[in->exit].count, block, at))
        return false;
    return !has_links(in->op) || links_are_there(c, in->links.first, in->links.count, block, at);
}

static const char *check_block(const Checker *c, int32_t block) {
    const Region *r = c->region;
    const RegionEdge *edges[2];
    for (int32_t i = r->blocks[block].first; i < r->blocks[block].end; i++)
        if (!operands_are_there(c, block, i)) return "an operand that is not there yet";
    int count = block_edges(r, block, edges);
    for (int e = 0; e < count; e++)
        if (!links_are_there(c, edges[e]->first, edges[e]->count, block, r->blocks[block].end))
            return "a jump with values that are not there yet";
    return NULL;
}

const char *flow_verify(Mem *mem, const Region *r) {
    size_t sets = (size_t)r->block_count * sizeof(BlockSet),
           homes = (size_t)r->code_count * sizeof(int32_t);
    BlockSet *dominators = mem_alloc(mem, sets);
    int32_t *block_of = mem_alloc(mem, homes);
    const char *wrong = NULL;
    if (dominators && block_of) {
        Checker c = {r, dominators, block_of};
        find_dominators(r, dominators);
        memset(block_of, 0xff, homes);
        for (int32_t b = 0; b < r->block_count; b++)
            for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) block_of[i] = b;
        for (int32_t b = 0; b < r->block_count && !wrong; b++) wrong = check_block(&c, b);
    }
    mem_free(mem, dominators, sets);
    mem_free(mem, block_of, homes);
    return wrong;
}
