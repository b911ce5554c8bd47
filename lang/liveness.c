// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Marks last uses by liveness analysis: backward data flow, where a register is live if it is read
// before it is next written. Every instruction in an exception range has an edge to its handler.

#include "lang/flow.h"

typedef struct Summary {
    uint64_t used;    // read before any write in the block
    uint64_t written; // written or dropped in the block
} Summary;

typedef struct Liveness {
    const Flow *flow;
    Arena *arena;
    uint32_t base;
    uint64_t *in;
    Summary *summaries;
    uint32_t *pred_start, *preds; // predecessors of block i: preds[pred_start[i] …]
    uint32_t *stack, depth;
    bool *queued;
    uint32_t *starts; // instructions of the block being marked
} Liveness;

// ---- predecessors -------------------------------------------------------------------------------

static void block_edges(const FlowBlock *block, uint32_t edges[3]) {
    edges[0] = block->next;
    edges[1] = block->jump;
    edges[2] = block->handler;
}

static bool link_predecessors(Liveness *l) {
    uint32_t count = l->flow->count, edges[3], total = 0;
    l->pred_start = arena_alloc(l->arena, (count + 2u) * sizeof(uint32_t));
    l->preds = arena_alloc(l->arena, (3u * count + 1u) * sizeof(uint32_t));
    if (!l->pred_start || !l->preds) return false;
    // Counting sort of the edges by target. fill[i] first counts the predecessors of block i, then is
    // the start of their list, and in the end its end, which is pred_start[i + 1].
    uint32_t *fill = l->pred_start + 1;
    for (uint32_t i = 0; i < count; i++) {
        block_edges(&l->flow->blocks[i], edges);
        for (int k = 0; k < 3; k++) {
            if (edges[k] != NO_BLOCK) fill[edges[k]]++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t here = fill[i];
        fill[i] = total;
        total += here;
    }
    for (uint32_t i = 0; i < count; i++) {
        block_edges(&l->flow->blocks[i], edges);
        for (int k = 0; k < 3; k++) {
            if (edges[k] != NO_BLOCK) l->preds[fill[edges[k]]++] = i;
        }
    }
    return true;
}

// ---- blocks -------------------------------------------------------------------------------------

static uint64_t read_bits(const Effects *effects, uint32_t base) {
    uint64_t bits = flow_bits(effects->consumed, base) | flow_bits(effects->updated, base);
    for (uint32_t i = 0; i < effects->read_count; i++) bits |= flow_bit(effects->reads[i], base);
    return bits;
}

// Returns the registers that an instruction writes. FOR writes its item on the edge into the loop
// only, so live_out accounts for that.
static uint64_t written_bits(const Instr *at, const Effects *effects, uint32_t base) {
    uint64_t bits = flow_bits(effects->dropped, base);
    return at->op == OP_FOR ? bits : bits | flow_bits(effects->defined, base);
}

static Summary summarize(const Liveness *l, const FlowBlock *block) {
    Summary s = {0, 0};
    const Instr *code = l->flow->code;
    for (uint32_t i = block->start; i < block->end; i += bc_op_info[code[i].op].words) {
        Effects effects;
        instr_effects(&code[i], &effects);
        s.used |= read_bits(&effects, l->base) & ~s.written;
        s.written |= written_bits(&code[i], &effects, l->base);
    }
    return s;
}

static uint64_t live_out(const Liveness *l, const FlowBlock *block) {
    const Instr *last = &l->flow->code[block->last];
    uint64_t out = 0;
    if (block->jump != NO_BLOCK) out = l->in[block->jump];
    if (last->op == OP_FOR) out &= ~flow_bit(last->b, l->base);
    if (block->next != NO_BLOCK) out |= l->in[block->next];
    return out;
}

// Returns the registers that are live throughout the block because its handler reads them.
static uint64_t live_in_handler(const Liveness *l, const FlowBlock *block) {
    if (block->handler == NO_BLOCK) return 0;
    return l->in[block->handler] & flow_below(block->handler_reg, l->base);
}

// ---- solving ------------------------------------------------------------------------------------

static void queue(Liveness *l, uint32_t block) {
    if (l->queued[block]) return;
    l->queued[block] = true;
    l->stack[l->depth++] = block;
}

static void solve(Liveness *l) {
    for (uint32_t i = 0; i < l->flow->count; i++) {
        l->in[i] = 0;
        l->summaries[i] = summarize(l, &l->flow->blocks[i]);
        queue(l, i); // a stack: the last block is processed first, which suits a backward analysis
    }
    while (l->depth > 0) {
        uint32_t number = l->stack[--l->depth];
        const FlowBlock *block = &l->flow->blocks[number];
        const Summary *s = &l->summaries[number];
        l->queued[number] = false;
        uint64_t in = s->used | (live_out(l, block) & ~s->written) | live_in_handler(l, block);
        if (in == l->in[number]) continue;
        l->in[number] = in;
        for (uint32_t i = l->pred_start[number]; i < l->pred_start[number + 1]; i++) {
            queue(l, l->preds[i]);
        }
    }
}

// ---- marking ------------------------------------------------------------------------------------

// Sets the last-use flags of an instruction; `live` are the registers that are read later. CHECK gets
// none: the instruction after it reads the register.
static void mark_instr(Liveness *l, Instr *at, const Effects *effects, uint64_t live) {
    if (at->op == OP_CHECK) return;
    uint64_t kept = live | flow_bits(effects->defined, l->base);
    for (uint32_t i = 0; i < effects->read_count; i++) {
        uint64_t bit = flow_bit(effects->reads[i], l->base);
        if (!bit || kept & bit) continue;
        at->flags |= effects->read_flags[i];
        kept |= bit; // one flag for a register that is read twice
    }
}

static void mark_block(Liveness *l, const FlowBlock *block, uint64_t cells) {
    Instr *code = l->flow->code;
    uint64_t always = live_in_handler(l, block) | cells;
    uint64_t live = live_out(l, block) | always;
    uint32_t count = 0;
    for (uint32_t i = block->start; i < block->end; i += bc_op_info[code[i].op].words) {
        l->starts[count++] = i;
    }
    while (count > 0) {
        Instr *at = &code[l->starts[--count]];
        Effects effects;
        instr_effects(at, &effects);
        mark_instr(l, at, &effects, live);
        live &= ~written_bits(at, &effects, l->base);
        live |= read_bits(&effects, l->base) | always;
    }
}

static bool allocate(Liveness *l) {
    uint32_t count = l->flow->count;
    l->in = arena_alloc(l->arena, count * sizeof *l->in);
    l->summaries = arena_alloc(l->arena, count * sizeof *l->summaries);
    l->stack = arena_alloc(l->arena, count * sizeof *l->stack);
    l->queued = arena_alloc(l->arena, count);
    l->starts = arena_alloc(l->arena, l->flow->len * sizeof *l->starts);
    return l->in && l->summaries && l->stack && l->queued && l->starts && link_predecessors(l);
}

bool liveness_mark(const Flow *flow, Arena *arena, uint32_t reg_count, const bool *cells) {
    Liveness l = {.flow = flow, .arena = arena};
    if (!allocate(&l)) return false;
    for (l.base = 0; l.base < reg_count; l.base += FLOW_CHUNK) {
        uint64_t cell_bits = 0;
        for (uint32_t i = 0; i < FLOW_CHUNK && l.base + i < reg_count; i++) {
            if (cells[l.base + i]) cell_bits |= (uint64_t)1 << i;
        }
        solve(&l);
        for (uint32_t i = 0; i < flow->count; i++) mark_block(&l, &flow->blocks[i], cell_bits);
    }
    return true;
}
