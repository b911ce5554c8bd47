// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Conditions, as jumps and as values: comparisons, and/or, conditional expressions.

#include "lang/compile_internal.h"

Opcode compare_opcode(CompareOp op) {
    static const Opcode ops[] = {
        [COMPARE_EQ] = OP_EQ,         [COMPARE_NE] = OP_NE,         [COMPARE_LT] = OP_LT,
        [COMPARE_LE] = OP_LE,         [COMPARE_GT] = OP_GT,         [COMPARE_GE] = OP_GE,
        [COMPARE_IS] = OP_IS,         [COMPARE_IS_NOT] = OP_IS_NOT, [COMPARE_IN] = OP_IN,
        [COMPARE_NOT_IN] = OP_NOT_IN,
    };
    return ops[op];
}

static Opcode jump_op(bool sense) {
    return sense ? OP_JUMP_IF : OP_JUMP_IFNOT;
}

// ---- comparisons --------------------------------------------------------------------------------

// Evaluates an operand of a comparison. The list of `x in [1, 2]` becomes a constant tuple: nothing
// else refers to it.
static Operand compare_operand(Fn *f, const Expr *expr, CompareOp op, uint32_t temp, bool last) {
    BcConst value;
    bool in = op == COMPARE_IN || op == COMPARE_NOT_IN;
    if (in && last && expr->kind == EXPR_LIST && fold_items(f, expr->items, &value)) {
        return emit_const(&f->e, &value);
    }
    bool copy = !last && expr->kind == EXPR_NAME && name_may_rebind(f, expr->name);
    if (!copy) return expr_operand_in(f, expr, temp);
    expr_into(f, expr, temp);
    return temp;
}

// Emits the comparisons one by one into `dest`, and after each but the last a jump to `fail` if it
// is false. The operands alternate between two temporaries, as each middle one is used twice.
static void compare_chain(Fn *f, const Expr *expr, uint32_t dest, Label fail) {
    Emitter *e = &f->e;
    uint32_t temps = emit_temps(e, 2), last = expr->compare.rest.count - 1;
    if (last == 0 && expr->compare.ops[0] <= COMPARE_GE &&
        display_pair(f, expr->compare.first, expr->compare.rest.items[0], temps)) {
        emit(e, expr->span, compare_opcode(expr->compare.ops[0]), dest, temps, temps + 1);
        return;
    }
    Operand left = compare_operand(f, expr->compare.first, COMPARE_EQ, temps, false);
    for (uint32_t i = 0; i <= last; i++) {
        CompareOp op = expr->compare.ops[i];
        Operand right =
            compare_operand(f, expr->compare.rest.items[i], op, temps + (i + 1) % 2, i == last);
        emit(e, expr->span, compare_opcode(op), dest, left, right);
        if (i < last) emit_jump(e, expr->span, OP_JUMP_IFNOT, dest, fail);
        left = right;
    }
}

void expr_compare(Fn *f, const Expr *expr, uint32_t dest) {
    Label end = emit_label(&f->e);
    compare_chain(f, expr, dest, end);
    emit_bind(&f->e, end);
}

static void jump_compare(Fn *f, const Expr *expr, Label label, bool sense) {
    Emitter *e = &f->e;
    uint32_t result = emit_temp(e);
    Label skip = emit_label(e);
    compare_chain(f, expr, result, sense ? skip : label);
    emit_jump(e, expr->span, jump_op(sense), result, label);
    emit_bind(e, skip);
}

// ---- and, or, conditional -----------------------------------------------------------------------

void expr_bool(Fn *f, const Expr *expr, uint32_t dest) {
    Emitter *e = &f->e;
    Label end = emit_label(e);
    ExprList operands = expr->boolean.operands;
    for (uint32_t i = 0; i < operands.count; i++) {
        expr_into(f, operands.items[i], dest);
        if (i + 1 == operands.count) break;
        emit_jump(e, operands.items[i]->span, jump_op(expr->boolean.is_or), dest, end);
    }
    emit_bind(e, end);
}

// Jumps to `label` if the truth of an `and` or `or` is `sense`. An operand that settles the result
// (true for `or`, false for `and`) jumps to `label` if it has that sense, else past the expression.
static void jump_bool(Fn *f, const Expr *expr, Label label, bool sense) {
    Label skip = emit_label(&f->e);
    ExprList operands = expr->boolean.operands;
    bool settles = expr->boolean.is_or;
    for (uint32_t i = 0; i + 1 < operands.count; i++) {
        expr_jump(f, operands.items[i], sense == settles ? label : skip, settles);
    }
    expr_jump(f, operands.items[operands.count - 1], label, sense);
    emit_bind(&f->e, skip);
}

void expr_ternary(Fn *f, const Expr *expr, uint32_t dest) {
    Emitter *e = &f->e;
    Label otherwise = emit_label(e), end = emit_label(e);
    expr_jump(f, expr->ternary.test, otherwise, false);
    expr_into(f, expr->ternary.then, dest);
    emit_jump(e, expr->span, OP_JUMP, 0, end);
    emit_bind(e, otherwise);
    expr_into(f, expr->ternary.otherwise, dest);
    emit_bind(e, end);
}

void expr_jump(Fn *f, const Expr *expr, Label label, bool sense) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    BcConst value;
    if (fold_expr(f, expr, &value)) {
        if (fold_truth(&value) == sense) emit_jump(e, expr->span, OP_JUMP, 0, label);
    } else if (expr->kind == EXPR_UNARY && expr->unary.op == UNARY_NOT) {
        expr_jump(f, expr->unary.operand, label, !sense);
    } else if (expr->kind == EXPR_BOOL) {
        jump_bool(f, expr, label, sense);
    } else if (expr->kind == EXPR_COMPARE) {
        jump_compare(f, expr, label, sense);
    } else {
        emit_jump(e, expr->span, jump_op(sense), expr_register(f, expr), label);
    }
    e->top = mark;
}
