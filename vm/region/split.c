// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Makes loops reducible. The first iteration of a loop is often peeled, because a variable changes
// its type in it, and then jumps into the middle of the loop that follows. The blocks from there to
// the loop's head are copied, so that the loop has one entry (node splitting; Hecht, "Flow Analysis
// of Computer Programs", 1977).

#include "vm/region/split.h"

#include <string.h>

#include "vm/region/loops.h"

typedef struct Split {
    RegionMaker *maker;
    int32_t head, block_count, exit_count;
    BlockSet heads;  // heads of all loops
    BlockSet rounds; // blocks of an iteration that starts at the head
    BlockSet copied;
    int32_t copies[REGION_BLOCKS];
    int32_t *exits; // copies of exits
} Split;

// --- Finding -----------------------------------------------------------------------------------

static void find_heads(Split *s) {
    const Region *r = s->maker->region;
    for (int32_t b = 0; b < s->block_count; b++)
        for (int32_t i = r->blocks[b].first; i < r->blocks[b].end; i++)
            if (r->code[i].op == RG_POLL) block_put(&s->heads, b);
}

// Adds the blocks reachable from a set without passing a head.
static void go_on(const Split *s, BlockSet *set) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < s->block_count; b++) {
            const RegionEdge *edges[2];
            if (!block_in(set, b)) continue;
            int count = block_edges(s->maker->region, b, edges);
            for (int e = 0; e < count; e++) {
                if (block_in(&s->heads, edges[e]->block) || block_in(set, edges[e]->block))
                    continue;
                block_put(set, edges[e]->block);
                changed = true;
            }
        }
    }
}

static bool leads_to_head(const Split *s, int32_t block, const BlockSet *before) {
    const RegionEdge *edges[2];
    int count = block_edges(s->maker->region, block, edges);
    for (int e = 0; e < count; e++)
        if (edges[e]->block == s->head || block_in(before, edges[e]->block)) return true;
    return false;
}

static void find_rounds(Split *s) {
    BlockSet from = {0}, to = {0};
    bool changed = true;
    block_put(&from, s->head);
    go_on(s, &from);
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < s->block_count; b++) {
            if (block_in(&to, b) || block_in(&s->heads, b) || !leads_to_head(s, b, &to)) continue;
            block_put(&to, b);
            changed = true;
        }
    }
    for (int w = 0; w < FLOW_WORDS; w++) s->rounds.words[w] = from.words[w] & to.words[w];
}

// Returns whether an edge leads from outside into the middle of an iteration.
static bool is_odd(const Split *s, int32_t block, const RegionEdge *edge) {
    return block != s->head && !block_in(&s->rounds, block) && block_in(&s->rounds, edge->block);
}

static bool find_copied(Split *s) {
    bool any = false;
    for (int32_t b = 0; b < s->block_count; b++) {
        const RegionEdge *edges[2];
        int count = block_edges(s->maker->region, b, edges);
        for (int e = 0; e < count; e++) {
            if (!is_odd(s, b, edges[e])) continue;
            block_put(&s->copied, edges[e]->block);
            any = true;
        }
    }
    if (!any) return false;
    go_on(s, &s->copied);
    for (int w = 0; w < FLOW_WORDS; w++) s->copied.words[w] &= s->rounds.words[w];
    return true;
}

// --- Copying -----------------------------------------------------------------------------------

static bool are_within(const Region *r, const RegionBlock *block, int32_t first, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (r->links[first + i] < block->first || r->links[first + i] >= block->end) return false;
    return true;
}

static bool is_within(const Region *r, const RegionBlock *block, int32_t at) {
    const RegionInstr *in = &r->code[at];
    bool nest = in->op == RG_NEST || in->op == RG_SPREAD;
    if (nest || has_links(in->op) || in->to_block) return false;
    for (int a = 0; a < 4; a++)
        if (in->args[a] != NO_VALUE && (in->args[a] < block->first || in->args[a] >= block->end))
            return false;
    return in->exit == NO_VALUE ||
           are_within(r, block, r->exits[in->exit].first, r->exits[in->exit].count);
}

// Tests that the block uses no values of other blocks.
static bool is_closed(const Region *r, int32_t number) {
    const RegionBlock *block = &r->blocks[number];
    const RegionEdge *edges[2];
    for (int32_t i = block->first; i < block->end; i++)
        if (!is_within(r, block, i)) return false;
    int count = block_edges(r, number, edges);
    for (int e = 0; e < count; e++)
        if (!are_within(r, block, edges[e]->first, edges[e]->count)) return false;
    return true;
}

static bool can_copy(const Split *s) {
    for (int32_t b = 0; b < s->block_count; b++)
        if (block_in(&s->copied, b) && !is_closed(s->maker->region, b)) return false;
    return true;
}

static int32_t copy_links(Split *s, int32_t first, int32_t count, int32_t shift) {
    int32_t copy = s->maker->region->link_count;
    for (int32_t i = 0; i < count; i++)
        region_add_link(s->maker, s->maker->region->links[first + i] + shift);
    return copy;
}

static int32_t copy_exit(Split *s, int32_t number, int32_t shift) {
    if (s->exits[number] != NO_VALUE) return s->exits[number];
    RegionExit exit = s->maker->region->exits[number];
    exit.first = copy_links(s, exit.first, exit.count, shift);
    return s->exits[number] = region_add_exit(s->maker, exit);
}

static void copy_edge(Split *s, RegionEdge *edge, int32_t shift) {
    edge->first = copy_links(s, edge->first, edge->count, shift);
    if (block_in(&s->copied, edge->block)) edge->block = s->copies[edge->block];
}

static void copy_block(Split *s, int32_t number) {
    Region *r = s->maker->region;
    const RegionBlock block = r->blocks[number];
    int32_t first = r->code_count, shift = first - block.first;
    for (int32_t i = block.first; i < block.end && !s->maker->failed; i++) {
        RegionInstr in = r->code[i];
        for (int a = 0; a < 4; a++) in.args[a] += in.args[a] == NO_VALUE ? 0 : shift;
        if (in.exit != NO_VALUE) in.exit = copy_exit(s, in.exit, shift);
        if (in.op == RG_JUMP || in.op == RG_BRANCH) copy_edge(s, &in.edges[0], shift);
        if (in.op == RG_BRANCH) copy_edge(s, &in.edges[1], shift);
        region_add(s->maker, in);
    }
    if (!s->maker->failed)
        r->blocks[s->copies[number]] = (RegionBlock){first, r->code_count, block.pc};
}

static void redirect(Split *s) {
    Region *r = s->maker->region;
    for (int32_t b = 0; b < s->block_count; b++) {
        RegionInstr *end = &r->code[r->blocks[b].end - 1];
        int count = end->op == RG_JUMP ? 1 : end->op == RG_BRANCH ? 2 : 0;
        for (int e = 0; e < count; e++)
            if (is_odd(s, b, &end->edges[e])) end->edges[e].block = s->copies[end->edges[e].block];
    }
}

static void copy_all(Split *s) {
    for (int32_t b = 0; b < s->block_count; b++)
        if (block_in(&s->copied, b))
            s->copies[b] = region_add_block(s->maker, s->maker->region->blocks[b].pc);
    for (int32_t b = 0; b < s->block_count && !s->maker->failed; b++)
        if (block_in(&s->copied, b)) copy_block(s, b);
    if (!s->maker->failed) redirect(s);
}

static void split_at(RegionMaker *m, int32_t head, Split *s) {
    const RegionMark mark = region_mark(m);
    size_t exits = (size_t)m->region->exit_count * sizeof(int32_t);
    *s = (Split){.maker = m, .head = head, .block_count = m->region->block_count};
    find_heads(s);
    if (!block_in(&s->heads, head)) return;
    find_rounds(s);
    if (!find_copied(s) || !can_copy(s)) return;
    s->exits = mem_alloc(m->mem, exits + 1);
    if (!s->exits) return;
    memset(s->exits, 0xff, exits);
    copy_all(s);
    mem_free(m->mem, s->exits, exits + 1);
    if (m->failed) region_go_back(m, mark);
}

void region_split(RegionMaker *m) {
    int32_t count = m->region->block_count;
    Split *s = mem_alloc(m->mem, sizeof *s);
    for (int32_t b = 0; s && b < count; b++) split_at(m, b, s);
    mem_free(m->mem, s, sizeof *s);
}
