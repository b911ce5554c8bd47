// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Builds the basic blocks of a code object and the edges between them, including those to exception
// handlers; solves which registers hold a value.

#include "lang/flow.h"

#include <string.h>

static uint32_t *words(Arena *arena, size_t count) {
    return arena_alloc(arena, (count + 1) * sizeof(uint32_t));
}

// ---- blocks -------------------------------------------------------------------------------------

// Sets starts[i] to 1 for each instruction i at which a block begins.
static void mark_starts(const Flow *flow, const BcHandler *handlers, uint32_t count,
                        uint32_t *starts) {
    starts[0] = 1;
    for (uint32_t i = 0; i < flow->len; i += bc_op_info[flow->code[i].op].words) {
        Instr *at = &flow->code[i];
        Instr *target = instr_target(at);
        if (target) starts[instr_wide(*target)] = 1;
        if (target || op_ends_path(at->op)) starts[i + bc_op_info[at->op].words] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        starts[handlers[i].start] = starts[handlers[i].end] = starts[handlers[i].handler] = 1;
    }
    starts[flow->len] = 1;
}

// Numbers the blocks and fills in their bounds. Each mark in `starts` becomes its block's number.
static bool make_blocks(Flow *flow, Arena *arena, uint32_t *starts) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < flow->len; i++) count += starts[i];
    flow->blocks = arena_alloc(arena, (count + 1) * sizeof *flow->blocks);
    if (!flow->blocks) return false;
    for (uint32_t i = 0; i < flow->len; i += bc_op_info[flow->code[i].op].words) {
        if (starts[i]) {
            starts[i] = flow->count++;
            flow->blocks[starts[i]].start = i;
        }
        FlowBlock *block = &flow->blocks[flow->count - 1];
        block->last = i;
        block->end = i + bc_op_info[flow->code[i].op].words;
    }
    return true;
}

static void link_blocks(Flow *flow, const uint32_t *number) {
    for (uint32_t i = 0; i < flow->count; i++) {
        FlowBlock *block = &flow->blocks[i];
        Instr *last = &flow->code[block->last];
        Instr *target = instr_target(last);
        block->jump = target ? number[instr_wide(*target)] : NO_BLOCK;
        bool falls = !op_ends_path(last->op) && i + 1 < flow->count;
        block->next = falls ? i + 1 : NO_BLOCK;
        block->handler = NO_BLOCK;
    }
}

// Gives each block the handler of the first row that covers it. `skip` finds the next block that has
// no handler yet (union-find with path halving), so that nested ranges take near-linear time.
static bool link_handlers(Flow *flow, Arena *arena, const BcHandler *rows, uint32_t count,
                          const uint32_t *number) {
    uint32_t *skip = words(arena, flow->count + 1u);
    if (!skip) return false;
    for (uint32_t i = 0; i <= flow->count; i++) skip[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = rows[i].end == flow->len ? flow->count : number[rows[i].end];
        uint32_t at = number[rows[i].start];
        for (;;) {
            while (skip[at] != at) at = skip[at] = skip[skip[at]];
            if (at >= end) break;
            flow->blocks[at].handler = number[rows[i].handler];
            flow->blocks[at].handler_reg = rows[i].reg;
            skip[at] = at + 1;
        }
    }
    return true;
}

static void push_unreached(Flow *flow, uint32_t *stack, uint32_t *depth, uint32_t block) {
    if (block == NO_BLOCK || flow->blocks[block].reachable) return;
    flow->blocks[block].reachable = true;
    stack[(*depth)++] = block;
}

static bool mark_reachable(Flow *flow, Arena *arena) {
    uint32_t *stack = words(arena, flow->count), depth = 0;
    if (!stack) return false;
    push_unreached(flow, stack, &depth, 0);
    while (depth > 0) {
        const FlowBlock *block = &flow->blocks[stack[--depth]];
        push_unreached(flow, stack, &depth, block->next);
        push_unreached(flow, stack, &depth, block->jump);
        push_unreached(flow, stack, &depth, block->handler);
    }
    return true;
}

bool flow_build(Flow *flow, Arena *arena, Instr *code, uint32_t len, const BcHandler *handlers,
                uint32_t handler_count) {
    *flow = (Flow){.code = code, .len = len};
    uint32_t *starts = words(arena, len + 1u);
    if (!starts) return false;
    mark_starts(flow, handlers, handler_count, starts);
    if (!make_blocks(flow, arena, starts)) return false;
    link_blocks(flow, starts);
    return link_handlers(flow, arena, handlers, handler_count, starts) &&
           mark_reachable(flow, arena);
}

// ---- bits ---------------------------------------------------------------------------------------

uint64_t flow_below(uint32_t reg, uint32_t base) {
    if (reg <= base) return 0;
    return reg - base >= FLOW_CHUNK ? UINT64_MAX : ((uint64_t)1 << (reg - base)) - 1;
}

uint64_t flow_bits(RegRun run, uint32_t base) {
    if (run.count == 0) return 0;
    return flow_below(run.first + run.count, base) & ~flow_below(run.first, base);
}

// ---- registers that hold a value ----------------------------------------------------------------

static uint64_t flagged_bits(const Instr *at, const Effects *effects, uint32_t base) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < effects->read_count; i++) {
        if (at->flags & effects->read_flags[i]) bits |= flow_bit(effects->reads[i], base);
    }
    return bits;
}

void defined_step(const Instr *at, uint32_t base, uint64_t *state) {
    Effects effects;
    instr_effects(at, &effects);
    uint64_t lost = flow_bits(effects.consumed, base) | flow_bits(effects.dropped, base) |
                    flagged_bits(at, &effects, base);
    uint64_t gained = flow_bits(effects.defined, base) | flow_bits(effects.updated, base);
    // After a CHECK its register holds a value, as it would have raised otherwise.
    for (uint32_t i = 0; at->op == OP_CHECK && i < effects.read_count; i++) {
        gained |= flow_bit(effects.reads[i], base);
    }
    *state = (*state & ~lost) | gained;
}

// The transfer function of a block: out = (in & ~lost) | gained. The registers in & ~lost_inside hold
// a value before every instruction of the block; a handler can rely on those.
typedef struct Transfer {
    uint64_t lost, gained, lost_inside;
} Transfer;

static Transfer block_transfer(const Flow *flow, const FlowBlock *block, uint32_t base) {
    Transfer t = {0, 0, 0};
    uint64_t all = UINT64_MAX, none = 0;
    for (uint32_t i = block->start; i < block->end; i += bc_op_info[flow->code[i].op].words) {
        t.lost_inside |= ~all;
        if (flow->code[i].op == OP_FOR) break; // the last one; its effects depend on the edge (flow_out)
        defined_step(&flow->code[i], base, &all);
        defined_step(&flow->code[i], base, &none);
    }
    t.lost = ~all;
    t.gained = none;
    return t;
}

typedef struct Solver {
    const Flow *flow;
    uint64_t *in;
    Transfer *transfers;
    uint32_t *stack, depth;
    bool *queued;
} Solver;

static void flow_into(Solver *s, uint32_t block, uint64_t bits, bool *first_seen) {
    if (block == NO_BLOCK) return;
    uint64_t merged = s->in[block] & bits;
    bool news = merged != s->in[block] || !first_seen[block];
    s->in[block] = merged;
    first_seen[block] = true;
    if (!news || s->queued[block]) return;
    s->queued[block] = true;
    s->stack[s->depth++] = block;
}

static void flow_out(Solver *s, uint32_t number, uint32_t base, bool *seen) {
    const FlowBlock *block = &s->flow->blocks[number];
    const Transfer *t = &s->transfers[number];
    uint64_t in = s->in[number], out = (in & ~t->lost) | t->gained;
    uint64_t next = out, jump = out;
    const Instr *last = &s->flow->code[block->last];
    if (last->op == OP_FOR) {
        jump |= flow_bit(last->b, base);
        next &= ~flow_bit(last->a, base);
    }
    flow_into(s, block->next, next, seen);
    flow_into(s, block->jump, jump, seen);
    uint64_t kept = in & ~t->lost_inside & flow_below(block->handler_reg, base);
    flow_into(s, block->handler, kept | flow_bit(block->handler_reg, base), seen);
}

uint64_t *defined_solve(const Flow *flow, Arena *arena, uint32_t base, uint64_t entry) {
    Solver s = {.flow = flow};
    s.in = arena_alloc(arena, flow->count * sizeof *s.in);
    s.transfers = arena_alloc(arena, flow->count * sizeof *s.transfers);
    s.stack = words(arena, flow->count);
    s.queued = arena_alloc(arena, flow->count);
    bool *seen = arena_alloc(arena, flow->count);
    if (!s.in || !s.transfers || !s.stack || !s.queued || !seen) return NULL;
    for (uint32_t i = 0; i < flow->count; i++) {
        s.in[i] = UINT64_MAX;
        s.transfers[i] = block_transfer(flow, &flow->blocks[i], base);
    }
    flow_into(&s, 0, entry, seen);
    while (s.depth > 0) {
        uint32_t block = s.stack[--s.depth];
        s.queued[block] = false;
        flow_out(&s, block, base, seen);
    }
    return s.in;
}
