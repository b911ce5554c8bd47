// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Appending instructions; labels, ranges and temporaries.

#include "lang/emit.h"

void emit_init(Emitter *e, Context *ctx, Arena *out, Span where, uint32_t local_count) {
    *e = (Emitter){.ctx = ctx, .out = out, .where = where, .reachable = true};
    emit_temps(e, local_count);
}

uint32_t emit_temps(Emitter *e, uint32_t count) {
    if (count > MAX_REGS - e->top) {
        ctx_fail(e->ctx, e->where, "too many local variables in function");
    }
    uint32_t first = e->top;
    e->top += count;
    if (e->top > e->reg_count) e->reg_count = e->top;
    return first;
}

static void append_word(Emitter *e, Span span, Instr word) {
    uint32_t need = e->len + 1;
    if (need > MAX_CODE) ctx_fail(e->ctx, e->where, "code of the function is too large");
    e->code = ctx_grow(e->ctx, e->code, &e->code_cap, need, sizeof *e->code);
    e->spans = ctx_grow(e->ctx, e->spans, &e->span_cap, need, sizeof *e->spans);
    e->marks = ctx_grow(e->ctx, e->marks, &e->mark_cap, need, sizeof *e->marks);
    e->code[e->len] = word;
    e->spans[e->len] = (BcSpan){span.line, span.col, span.end_line, span.end_col};
    e->marks[e->len] = 0;
    e->len++;
}

static void append(Emitter *e, Span span, Instr instr) {
    if (!e->reachable) return;
    uint32_t at = e->len;
    append_word(e, span, instr);
    if (e->statement) e->marks[at] = BC_MARK_STATEMENT;
    e->statement = false;
    for (int i = 1; i < bc_op_info[instr.op].words; i++)
        append_word(e, span, (Instr){.op = OP_EXT});
}

// Turns an operator whose right operand is a small int constant into its _INT form.
static Instr with_small_int(const Emitter *e, Instr instr) {
    bool form = instr.op >= OP_ADD && instr.op <= OP_GE && !(instr.b & CONST_BIT);
    if (!form || !(instr.c & CONST_BIT)) return instr;
    const BcConst *right = &e->consts.items[instr.c & ~CONST_BIT];
    if (right->kind != BC_INT || right->i < INT16_MIN || right->i > INT16_MAX) return instr;
    instr.op = (uint8_t)(instr.op - OP_ADD + OP_ADD_INT);
    instr.c = (uint16_t)right->i;
    return instr;
}

static void append_fields(Emitter *e, Span span, Opcode op, uint8_t flags, const uint32_t abc[3]) {
    const Instr instr = {(uint8_t)op, flags, (uint16_t)abc[0], (uint16_t)abc[1], (uint16_t)abc[2]};
    append(e, span, with_small_int(e, instr));
    switch (op) {
    case OP_RETURN:
    case OP_RAISE:
    case OP_RAISE_AGAIN:
    case OP_RERAISE:
    case OP_ASSERT_FAIL: e->reachable = false; break;
    default: break;
    }
}

void emit(Emitter *e, Span span, Opcode op, uint32_t a, uint32_t b, uint32_t c) {
    append_fields(e, span, op, 0, (uint32_t[]){a, b, c});
}

void emit_alt(Emitter *e, Span span, Opcode op, uint32_t a, uint32_t b, uint32_t c) {
    append_fields(e, span, op, FLAG_ALT, (uint32_t[]){a, b, c});
}

void emit_wide(Emitter *e, Span span, Opcode op, uint32_t a, uint32_t number) {
    append(e, span, instr_with_wide((Instr){.op = (uint8_t)op, .a = (uint16_t)a}, number));
}

void emit_extension(Emitter *e, uint32_t number) {
    if (e->reachable) e->code[e->len - 1] = instr_with_wide(e->code[e->len - 1], number);
}

void emit_move(Emitter *e, Span span, uint32_t dest, Operand source) {
    if (dest != source) emit(e, span, OP_MOVE, dest, source, 0);
}

Label emit_label(Emitter *e) {
    e->labels = ctx_grow(e->ctx, e->labels, &e->label_cap, e->label_count + 1, sizeof *e->labels);
    e->labels[e->label_count] = (LabelState){NO_LABEL, false};
    return e->label_count++;
}

void emit_bind(Emitter *e, Label label) {
    LabelState *state = &e->labels[label];
    state->position = e->len;
    if (state->used) e->reachable = true;
}

void emit_expect(Emitter *e, Label label) {
    if (e->reachable) e->labels[label].used = true;
}

void emit_jump(Emitter *e, Span span, Opcode op, uint32_t reg, Label label) {
    if (!e->reachable) return;
    e->labels[label].used = true;
    emit_wide(e, span, op, reg, label);
    if (op == OP_JUMP) e->reachable = false;
}

void emit_for(Emitter *e, Span span, uint32_t iterator, uint32_t dest, Label body) {
    if (!e->reachable) return;
    e->labels[body].used = true;
    emit(e, span, OP_FOR, iterator, dest, 0);
    emit_extension(e, body);
}

void emit_protect(Emitter *e, uint32_t start, Label handler, uint32_t reg, uint32_t depth) {
    if (start == e->len) return;
    e->labels[handler].used = true;
    e->handlers =
        ctx_grow(e->ctx, e->handlers, &e->handler_cap, e->handler_count + 1, sizeof *e->handlers);
    e->handlers[e->handler_count++] = (EmitHandler){{start, e->len, handler, reg}, depth};
}
