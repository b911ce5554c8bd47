// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Emits the block in front of a parallel loop. All entries to the loop are redirected to it; it
// runs as many iterations as possible in threads, then enters the loop with the remaining ones.

#include <string.h>

#include "vm/region/parallel.h"

typedef struct Making {
    RegionMaker *maker;
    const ParallelPlan *plan;
    int32_t entry;   // block: the loop's head, or the gate of its fast copy
    BlockSet blocks; // all blocks of an iteration
} Making;

// --- Blocks ------------------------------------------------------------------------------------

static bool put_block(Making *k, int32_t block) {
    bool added = !block_in(&k->blocks, block);
    block_put(&k->blocks, block);
    return added;
}

// Adds the successors of a block within the iteration. True: some were new.
static bool put_next(Making *k, int32_t block) {
    const Region *r = k->maker->region;
    const RegionParallel *p = &k->plan->loop;
    const RegionEdge *edges[2];
    bool changed = false;
    int count = block_edges(r, block, edges);
    for (int e = 0; e < count; e++)
        if (block != p->head || edges[e]->block != p->end) changed |= put_block(k, edges[e]->block);
    for (int32_t i = r->blocks[block].first; i < r->blocks[block].end; i++)
        if (r->code[i].exit != NO_VALUE && r->code[i].to_block)
            changed |= put_block(k, r->code[i].exit);
    return changed;
}

static void fill(Making *k) {
    bool changed = true;
    block_put(&k->blocks, k->entry);
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < k->maker->region->block_count; b++)
            if (block_in(&k->blocks, b)) changed |= put_next(k, b);
    }
}

typedef struct Homes {
    const Making *making;
    int32_t *block_of; // block that defines each value
} Homes;

static bool is_foreign(const void *homes, int32_t value) {
    const Making *k = ((const Homes *)homes)->making;
    int32_t home = ((const Homes *)homes)->block_of[value];
    return k->maker->region->code[value].op != RG_INPUT &&
           (home == NO_VALUE || !block_in(&k->blocks, home));
}

static bool block_is_own(const Homes *homes, int32_t block) {
    const Region *r = homes->making->maker->region;
    const RegionEdge *edges[2];
    for (int32_t i = r->blocks[block].first; i < r->blocks[block].end; i++)
        if (any_operand(r, &r->code[i], is_foreign, homes)) return false;
    int count = block_edges(r, block, edges);
    for (int e = 0; e < count; e++)
        for (int32_t i = 0; i < edges[e]->count; i++)
            if (is_foreign(homes, r->links[edges[e]->first + i])) return false;
    return true;
}

// Checks that the blocks use no values defined outside them.
static bool is_closed(const Making *k) {
    const Region *r = k->maker->region;
    size_t bytes = (size_t)r->code_count * sizeof(int32_t);
    int32_t *block_of = mem_alloc(k->maker->mem, bytes);
    bool closed = block_of && !block_in(&k->blocks, k->plan->loop.end);
    if (block_of) memset(block_of, 0xff, bytes);
    for (int32_t b = 0; block_of && b < r->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++) block_of[i] = b;
    for (int32_t b = 0; b < r->block_count && closed; b++)
        if (block_in(&k->blocks, b)) closed = block_is_own(&(Homes){k, block_of}, b);
    mem_free(k->maker->mem, block_of, bytes);
    return closed;
}

// --- The block in front ------------------------------------------------------------------------

static int32_t named(Making *k, int32_t first, int32_t name) {
    const Region *r = k->maker->region;
    if (name >= NAME_EXTENT)
        return region_add(k->maker, REGION_INSTR(.op = RG_EXTENT, .type = DT_INT64,
                                                 .array = (uint8_t)((name - NAME_EXTENT) >> 3),
                                                 .dim = (uint8_t)(name & 7)));
    if (name >= NAME_INPUT)
        return region_add(k->maker, REGION_INSTR(.op = RG_INPUT, .type = DT_INT64,
                                                 .number = (uint64_t)(name - NAME_INPUT)));
    return first + name - r->blocks[k->plan->loop.head].first;
}

static void add_call(Making *k, int32_t first, int32_t number) {
    const RegionParallel *p = &k->plan->loop;
    Region *r = k->maker->region;
    int32_t values[PARALLEL_LINKS];
    for (int i = 0; i < p->link_count; i++) values[i] = named(k, first, k->plan->names[i]);
    RegionInstr call =
        REGION_INSTR(.op = RG_PARALLEL, .type = DT_INT64, .number = (uint64_t)number);
    call.line = p->line;
    call.links.first = r->link_count;
    call.links.count = p->param_count + p->link_count;
    for (int i = 0; i < p->param_count; i++) region_add_link(k->maker, first + i);
    for (int i = 0; i < p->link_count; i++) region_add_link(k->maker, values[i]);
    int32_t made = region_add(k->maker, call), after = r->code_count;
    for (int i = 0; i < p->param_count; i++) {
        RegionInstr value =
            REGION_INSTR(.op = RG_AFTER, .type = p->params[i].type, .number = (uint64_t)i);
        value.args[0] = made;
        region_add(k->maker, value);
    }
    RegionEdge on = {.block = k->entry, .first = r->link_count, .count = p->param_count};
    for (int i = 0; i < p->param_count; i++) region_add_link(k->maker, after + i);
    region_add(k->maker, REGION_INSTR(.op = RG_JUMP, .edges = {on}));
}

static void make_front(Making *k, int32_t block, int32_t number) {
    const RegionParallel *p = &k->plan->loop;
    Region *r = k->maker->region;
    int32_t first = r->code_count;
    for (int i = 0; i < p->param_count; i++)
        region_add(k->maker, REGION_INSTR(.op = RG_PARAM, .type = p->params[i].type));
    add_call(k, first, number);
    if (!k->maker->failed)
        r->blocks[block] = (RegionBlock){first, r->code_count, r->blocks[p->head].pc};
}

static void redirect(const Making *k, int32_t blocks_before, int32_t front) {
    Region *r = k->maker->region;
    for (int32_t b = 0; b < blocks_before; b++) {
        RegionInstr *end = &r->code[r->blocks[b].end - 1];
        if (block_in(&k->blocks, b)) continue;
        int count = end->op == RG_JUMP ? 1 : end->op == RG_BRANCH || end->op == RG_ROUNDS ? 2 : 0;
        for (int e = 0; e < count; e++)
            if (end->edges[e].block == k->entry) end->edges[e].block = front;
    }
}

// Emits the block of one loop. Leaves the region unchanged if capacity runs out.
static void make(Making *k) {
    Region *r = k->maker->region;
    const RegionMark mark = region_mark(k->maker);
    const int32_t number = r->parallel_count;
    fill(k);
    if (!is_closed(k)) return;
    RegionParallel *p = region_add_parallel(k->maker);
    int32_t front = region_add_block(k->maker, r->blocks[k->entry].pc);
    if (!k->maker->failed) make_front(k, front, number);
    if (k->maker->failed) {
        region_go_back(k->maker, mark);
        r->parallel_count = number;
        return;
    }
    *p = k->plan->loop;
    p->entry = k->entry;
    memcpy(p->blocks, k->blocks.words, sizeof p->blocks);
    redirect(k, mark.block_count, front);
}

void parallel_make(RegionMaker *m, const ParallelPlans *plans) {
    for (int i = 0; i < plans->count && !m->failed; i++) {
        int32_t head = plans->plans[i]->loop.head, gate = plans->gates[head];
        Making k = {.maker = m, .plan = plans->plans[i], .entry = gate == NO_VALUE ? head : gate};
        make(&k);
    }
}
