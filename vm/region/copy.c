// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Copies the blocks of a loop without the checks that were hoisted in front of it. If a remaining check
// fails, the chunk is rolled back if it can be; otherwise the region is left from the copy.

#include "vm/region/fast.h"

static int32_t now(const FastLoop *f, int32_t value) {
    return value == NO_VALUE ? NO_VALUE : f->map[value];
}

// --- Edges -------------------------------------------------------------------------------------

static RegionEdge copy_edge(FastLoop *f, const RegionEdge *edge, int32_t to) {
    RegionEdge copy = {.block = to, .first = f->maker->region->link_count, .count = edge->count};
    for (int32_t i = 0; i < edge->count; i++)
        region_add_link(f->maker, now(f, f->maker->region->links[edge->first + i]));
    return copy;
}

static bool is_state(const FastLoop *f, int32_t param) {
    return f->ranges.values[f->maker->region->blocks[f->loop->head].first + param].kind !=
           VALUE_FIXED;
}

// Returns the copy of a back edge. RG_ROUNDS advances the counter, so its argument is ignored.
static RegionEdge edge_back(FastLoop *f, const RegionEdge *edge) {
    Region *r = f->maker->region;
    RegionEdge copy = {.block = f->rounds, .first = r->link_count, .count = 1};
    region_add_link(f->maker, r->blocks[f->rounds].first);
    for (int32_t p = 0; p < f->params; p++) {
        if (!is_state(f, p)) continue;
        region_add_link(f->maker, now(f, r->links[edge->first + p]));
        copy.count++;
    }
    return copy;
}

// Copies an edge out of the loop. In a speculative chunk the edge gets a block that evaluates deferred checks first.
static RegionEdge edge_out(FastLoop *f, const RegionEdge *edge) {
    if (!f->tries) return copy_edge(f, edge, edge->block);
    int32_t block = region_add_block(f->maker, f->maker->region->blocks[edge->block].pc);
    f->ways[f->way_count++] = (WayOut){block, *edge};
    return (RegionEdge){.block = block};
}

static int32_t copied_block(const FastLoop *f, int32_t block) {
    for (int32_t n = 0; n < f->block_count; n++)
        if (f->order[n] == block) return f->copies[n];
    return NO_VALUE;
}

// --- Instructions ------------------------------------------------------------------------------

static int32_t copy_exit(FastLoop *f, int32_t number) {
    if (f->exits[number] != NO_VALUE) return f->exits[number];
    RegionExit exit = f->maker->region->exits[number];
    int32_t first = f->maker->region->link_count;
    for (int32_t i = 0; i < exit.count; i++)
        region_add_link(f->maker, now(f, f->maker->region->links[exit.first + i]));
    exit.first = first;
    return f->exits[number] = region_add_exit(f->maker, exit);
}

static RegionInstr copy_instr(FastLoop *f, int32_t at) {
    RegionInstr in = f->maker->region->code[at];
    for (int a = 0; a < 4; a++) in.args[a] = now(f, in.args[a]);
    if (in.op == RG_APPLY) in.dim = f->tries;
    if (in.exit == NO_VALUE) return in;
    in.to_block = f->tries;
    in.exit = f->tries ? f->again : copy_exit(f, in.exit);
    return in;
}

static int32_t copy_sure(FastLoop *f, int32_t at) {
    RegionInstr in = f->maker->region->code[at];
    int32_t a = now(f, in.args[0]), b = now(f, in.args[1]);
    if (in.op == RG_INDEX)
        return region_add_apply(f->maker, AOP_ADD, DT_INT64, DT_INT64, a,
                                ranges_index(&f->ranges, at));
    if (in.op == RG_CHECKED)
        return region_add_apply(f->maker, (OpId)in.elementwise, (DType)in.from, (DType)in.type, a,
                                b);
    in.args[0] = a;
    in.args[1] = b;
    in.exit = NO_VALUE;
    return region_add(f->maker, in);
}

static int32_t copy_later(FastLoop *f, int32_t at) {
    RegionInstr in = f->maker->region->code[at];
    int32_t place;
    in.dim = (uint8_t)how_later(f, at, &place);
    for (int a = 0; a < 2; a++) in.args[a] = now(f, in.args[a]);
    in.exit = NO_VALUE;
    return region_add(f->maker, in);
}

static void copy_told(FastLoop *f, int32_t at) {
    const RegionInstr in = f->maker->region->code[at];
    RegionInstr told = REGION_INSTR(.op = RG_TOLD);
    int count = 0;
    for (int a = 0; a < 4 && in.args[a] != NO_VALUE; a++)
        if (!is_computed(f, in.args[a])) told.args[count++] = now(f, in.args[a]);
    if (count > 0) region_add(f->maker, told);
}

// Recognises the loop's own condition, which is known to hold within a chunk.
static bool is_counting(const FastLoop *f, int32_t at) {
    const Region *r = f->maker->region;
    const RegionBlock *head = &r->blocks[f->loop->head];
    return r->code[head->end - 1].args[0] == at && at >= head->first && at < head->end;
}

static void copy_one(FastLoop *f, int32_t at) {
    if (is_counting(f, at)) {
        f->map[at] = region_add(
            f->maker, REGION_INSTR(.op = RG_NUMBER, .type = DT_BOOL, .number = f->stay == 0));
        return;
    }
    switch (fate_of(f, at)) {
    case FATE_STAYS: f->map[at] = region_add(f->maker, copy_instr(f, at)); break;
    case FATE_SURE: f->map[at] = copy_sure(f, at); break;
    case FATE_LATER: f->map[at] = copy_later(f, at); break;
    case FATE_GONE:
        if (f->maker->region->code[at].op == RG_QUIET) copy_told(f, at);
        break;
    }
}

// --- Ends of blocks ----------------------------------------------------------------------------

// Emits the block of an early exit from an iteration: checks, counts and jumps out of the loop.
static void put_way_out(FastLoop *f, int32_t block, const RegionEdge *edge) {
    Region *r = f->maker->region;
    int32_t first = r->code_count, made = r->blocks[f->rounds].first, floats = r->link_count;
    for (int32_t i = 0; i < edge->count; i++) {
        int32_t value = now(f, r->links[edge->first + i]);
        if (dtype_kind((DType)r->code[value].type) == DK_FLOAT) region_add_link(f->maker, value);
    }
    leave_if_spoilt(f, floats);
    RegionInstr count = REGION_INSTR(.op = RG_COUNT);
    count.args[0] =
        region_add_apply(f->maker, AOP_ADD, DT_INT64, DT_INT64, made, region_add_int(f->maker, 1));
    region_add(f->maker, count);
    RegionEdge out = copy_edge(f, edge, edge->block);
    region_add(f->maker, REGION_INSTR(.op = RG_JUMP, .edges = {out}));
    if (!f->maker->failed)
        r->blocks[block] = (RegionBlock){first, r->code_count, r->blocks[edge->block].pc};
}

static RegionEdge edge_of(FastLoop *f, const RegionEdge *edge) {
    if (edge->block == f->loop->head) return edge_back(f, edge);
    if (!block_in(&f->loop->blocks, edge->block)) return edge_out(f, edge);
    return copy_edge(f, edge, copied_block(f, edge->block));
}

static void copy_end(FastLoop *f, int32_t at) {
    RegionInstr in = f->maker->region->code[at];
    if (in.op == RG_LEAVE) {
        if (f->tries)
            in = REGION_INSTR(.op = RG_JUMP, .edges = {{.block = f->again}});
        else
            in.exit = copy_exit(f, in.exit);
        region_add(f->maker, in);
        return;
    }
    bool counted = f->ranges.block_of[at] == f->loop->head;
    int count = in.op == RG_BRANCH && !counted ? 2 : 1;
    for (int e = 0; e < count; e++) {
        RegionEdge edge = in.edges[counted ? f->stay : e];
        in.edges[e] = edge_of(f, &edge);
    }
    if (counted) in.op = RG_JUMP;
    in.args[0] = count == 2 ? now(f, in.args[0]) : NO_VALUE;
    region_add(f->maker, in);
}

// --- Blocks ------------------------------------------------------------------------------------

static void copy_params(FastLoop *f, int32_t block) {
    const Region *r = f->maker->region;
    for (int32_t i = r->blocks[block].first; r->code[i].op == RG_PARAM; i++)
        f->map[i] = region_add(f->maker, REGION_INSTR(.op = RG_PARAM, .type = r->code[i].type));
}

static void count_round(FastLoop *f) {
    RegionInstr count = REGION_INSTR(.op = RG_COUNT);
    count.args[0] = region_add_int(f->maker, 1);
    region_add(f->maker, count);
}

static void copy_block(FastLoop *f, int32_t n) {
    Region *r = f->maker->region;
    RegionBlock block = r->blocks[f->order[n]];
    int32_t first = r->code_count;
    if (n > 0) copy_params(f, f->order[n]);
    if (n == 0 && !f->tries) count_round(f);
    for (int32_t i = block.first; i < block.end - 1 && !f->maker->failed; i++)
        if (r->code[i].op != RG_PARAM) copy_one(f, i);
    if (f->maker->failed) return;
    copy_end(f, block.end - 1);
    if (!f->maker->failed) r->blocks[f->copies[n]] = (RegionBlock){first, r->code_count, block.pc};
}

void copy_blocks(FastLoop *f) {
    for (int32_t p = 0; p < f->params; p++)
        f->map[f->maker->region->blocks[f->loop->head].first + p] = f->state[p];
    for (int32_t n = 0; n < f->block_count && !f->maker->failed; n++) copy_block(f, n);
    for (int32_t w = 0; w < f->way_count && !f->maker->failed; w++)
        put_way_out(f, f->ways[w].block, &f->ways[w].edge);
}
