// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Completes a code object: replaces labels by instruction indexes, drops checks that cannot fail and
// unreachable code, marks last uses, and copies everything to the unit.

#include <string.h>

#include "lang/emit.h"
#include "lang/flow.h"

enum { MAX_HOPS = 8 };

static uint32_t width(const Emitter *e, uint32_t index) {
    return bc_op_info[e->code[index].op].words;
}

// ---- labels -------------------------------------------------------------------------------------

// Threads a jump: follows the JUMP instructions at its target and returns where they lead. Conditional
// jumps are not threaded backwards, because the interpreter checks for interrupts on backward JUMPs.
static uint32_t final_target(const Emitter *e, uint32_t from, uint32_t target) {
    bool plain = e->code[from].op == OP_JUMP;
    for (int hop = 0; hop < MAX_HOPS && e->code[target].op == OP_JUMP; hop++) {
        uint32_t next = instr_wide(e->code[target]);
        if (next <= from && !plain) break;
        target = next;
    }
    return target;
}

static void resolve_labels(Emitter *e) {
    for (uint32_t i = 0; i < e->len; i += width(e, i)) {
        Instr *target = instr_target(&e->code[i]);
        if (target) *target = instr_with_wide(*target, e->labels[instr_wide(*target)].position);
    }
    for (uint32_t i = 0; i < e->len; i += width(e, i)) {
        Instr *target = instr_target(&e->code[i]);
        if (target) *target = instr_with_wide(*target, final_target(e, i, instr_wide(*target)));
    }
    for (uint32_t i = 0; i < e->handler_count; i++) {
        BcHandler *row = &e->handlers[i].row;
        row->handler = e->labels[row->handler].position;
    }
}

// Returns the exception ranges sorted by depth, inner ones first; ranges of one depth never overlap.
// One pass per depth, as depths are small.
static BcHandler *sorted_handlers(Emitter *e) {
    BcHandler *rows = ctx_alloc(e->ctx, (e->handler_count + 1) * sizeof *rows);
    uint32_t deepest = 0, count = 0;
    for (uint32_t i = 0; i < e->handler_count; i++) {
        if (e->handlers[i].depth > deepest) deepest = e->handlers[i].depth;
    }
    for (uint32_t depth = deepest + 1; depth-- > 0;) {
        for (uint32_t i = 0; i < e->handler_count; i++) {
            if (e->handlers[i].depth == depth) rows[count++] = e->handlers[i].row;
        }
    }
    return rows;
}

// ---- dropping instructions ----------------------------------------------------------------------

static void drop(Emitter *e, uint32_t index) {
    for (uint32_t i = 0, n = width(e, index); i < n; i++)
        e->code[index + i] = (Instr){.op = OP_NOP};
}

static void drop_unreachable(Emitter *e, const Flow *flow) {
    for (uint32_t i = 0; i < flow->count; i++) {
        const FlowBlock *block = &flow->blocks[i];
        if (block->reachable) continue;
        for (uint32_t k = block->start; k < block->end; k++) e->code[k] = (Instr){.op = OP_NOP};
    }
}

static void drop_checks_of(Emitter *e, const Flow *flow, uint32_t base, const uint64_t *in) {
    for (uint32_t i = 0; i < flow->count; i++) {
        const FlowBlock *block = &flow->blocks[i];
        uint64_t state = in[i];
        for (uint32_t k = block->start; k < block->end; k += width(e, k)) {
            bool check = e->code[k].op == OP_CHECK;
            bool holds = check && state & flow_bit(e->code[k].a, base);
            defined_step(&e->code[k], base, &state);
            if (holds) drop(e, k);
        }
    }
}

// Drops the CHECKs of registers that hold a value on every path. At entry these are [0, params).
static void drop_checks(Emitter *e, const Flow *flow, uint32_t params, uint32_t locals) {
    for (uint32_t base = 0; base < locals; base += FLOW_CHUNK) {
        const uint64_t *in = defined_solve(flow, &e->ctx->work, base, flow_below(params, base));
        if (!in) ctx_no_memory(e->ctx);
        drop_checks_of(e, flow, base, in);
    }
}

// Drops jumps that skip only dropped instructions.
static void drop_idle_jumps(Emitter *e) {
    for (uint32_t i = e->len; i-- > 0;) {
        if (e->code[i].op != OP_JUMP) continue;
        uint32_t next = i + 1, target = instr_wide(e->code[i]);
        while (next < target && e->code[next].op == OP_NOP) next++;
        if (next == target) drop(e, i);
    }
}

// Removes dropped instructions, and adjusts jump targets, exception ranges and statement marks.
static void compact(Emitter *e, BcHandler *rows, uint32_t *row_count) {
    uint32_t *moved = ctx_alloc(e->ctx, (e->len + 1) * sizeof *moved), kept = 0;
    uint8_t mark = 0;
    for (uint32_t i = 0; i < e->len; i++) {
        moved[i] = kept;
        mark |= e->marks[i];
        if (e->code[i].op == OP_NOP) continue;
        e->code[kept] = e->code[i];
        e->spans[kept] = e->spans[i];
        e->marks[kept++] = mark;
        mark = 0;
    }
    moved[e->len] = kept;
    e->len = kept;
    for (uint32_t i = 0; i < kept; i += width(e, i)) {
        Instr *target = instr_target(&e->code[i]);
        if (target) *target = instr_with_wide(*target, moved[instr_wide(*target)]);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < *row_count; i++) {
        BcHandler row = {moved[rows[i].start], moved[rows[i].end], moved[rows[i].handler],
                         rows[i].reg};
        if (row.start < row.end) rows[count++] = row;
    }
    *row_count = count;
}

// ---- the result ---------------------------------------------------------------------------------

static void *copy_out(Emitter *e, const void *items, size_t size) {
    void *copy = arena_alloc(e->out, size + 1);
    if (!copy) ctx_no_memory(e->ctx);
    return size ? memcpy(copy, items, size) : copy;
}

static void build_flow(Emitter *e, Flow *flow, const BcHandler *rows, uint32_t count) {
    if (!flow_build(flow, &e->ctx->work, e->code, e->len, rows, count)) ctx_no_memory(e->ctx);
}

// Registers [0, kept) keep what they hold, as those with cells do.
static void mark_last_uses(Emitter *e, const BcHandler *rows, uint32_t count, uint32_t kept) {
    bool *cells = ctx_alloc(e->ctx, e->reg_count + 1);
    Flow flow;
    for (uint32_t i = 0; i < kept; i++) cells[i] = true;
    for (uint32_t i = 0; i < e->len; i += width(e, i)) {
        if (e->code[i].op == OP_CELL_NEW) cells[e->code[i].a] = true;
    }
    build_flow(e, &flow, rows, count);
    if (!liveness_mark(&flow, &e->ctx->work, e->reg_count, cells)) ctx_no_memory(e->ctx);
}

static void mark_tests(Emitter *e) {
    for (uint32_t i = 0, next; i < e->len; i = next) {
        next = i + width(e, i);
        if (next == e->len || !op_is_test(e->code[i].op)) continue;
        uint8_t op = e->code[next].op;
        bool jump = op == OP_JUMP_IF || op == OP_JUMP_IFNOT;
        if (jump && e->code[next].a == e->code[i].a) e->code[i].flags |= FLAG_ALT;
    }
}

static uint32_t param_count(const BcCode *code) {
    return code->positional + (uint32_t)code->keyword_only + !!(code->flags & BC_VARARGS) +
           !!(code->flags & BC_VARKW);
}

void emit_finish(Emitter *e, BcCode *code) {
    Flow flow;
    resolve_labels(e);
    BcHandler *rows = sorted_handlers(e);
    uint32_t row_count = e->handler_count;
    build_flow(e, &flow, rows, row_count);
    drop_checks(e, &flow, param_count(code), code->local_count);
    drop_unreachable(e, &flow);
    drop_idle_jumps(e);
    compact(e, rows, &row_count);
    mark_last_uses(e, rows, row_count, code->flags & BC_LOCALS ? code->local_count : 0);
    mark_tests(e);
    code->reg_count = (uint16_t)e->reg_count;
    code->code = copy_out(e, e->code, e->len * sizeof *e->code);
    code->spans = copy_out(e, e->spans, e->len * sizeof *e->spans);
    code->marks = copy_out(e, e->marks, e->len);
    code->code_len = e->len;
    code->consts = copy_out(e, e->consts.items, e->consts.count * sizeof *e->consts.items);
    code->const_count = e->consts.count;
    code->handlers = copy_out(e, rows, row_count * sizeof *rows);
    code->handler_count = row_count;
}
