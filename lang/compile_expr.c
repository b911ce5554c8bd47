// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Expressions: the dispatch over their kinds, operands, and the simple kinds.

#include <string.h>

#include "lang/compile_internal.h"

// ---- operands -----------------------------------------------------------------------------------

Operand expr_none(Fn *f) {
    return emit_const_kind(&f->e, BC_NONE);
}

uint32_t operand_register(Fn *f, Span span, Operand operand) {
    if (!(operand & CONST_BIT)) return operand;
    uint32_t temp = emit_temp(&f->e);
    emit_move(&f->e, span, temp, operand);
    return temp;
}

// Returns the operand of an expression that is a constant or a local; NO_REG if it has to be computed.
static Operand operand_in_place(Fn *f, const Expr *expr) {
    BcConst value;
    if (fold_expr(f, expr, &value)) return emit_const(&f->e, &value);
    if (expr->kind != EXPR_NAME) return NO_REG;
    uint32_t reg = name_register(f, expr->name);
    if (reg != NO_REG) name_check(f, expr->span, expr->name);
    return reg;
}

Operand expr_operand_in(Fn *f, const Expr *expr, uint32_t temp) {
    Operand place = operand_in_place(f, expr);
    if (place != NO_REG) return place;
    expr_into(f, expr, temp);
    return temp;
}

Operand expr_operand(Fn *f, const Expr *expr) {
    Operand place = operand_in_place(f, expr);
    return place != NO_REG ? place : expr_next(f, expr);
}

static bool must_copy(Fn *f, const Expr *expr) {
    return expr->kind == EXPR_NAME && strcmp(expr->name, "__debug__") != 0 &&
           name_may_rebind(f, expr->name);
}

Operand expr_operand_before(Fn *f, const Expr *expr) {
    return must_copy(f, expr) ? expr_next(f, expr) : expr_operand(f, expr);
}

uint32_t expr_register(Fn *f, const Expr *expr) {
    return operand_register(f, expr->span, expr_operand(f, expr));
}

uint32_t expr_register_before(Fn *f, const Expr *expr) {
    return operand_register(f, expr->span, expr_operand_before(f, expr));
}

uint32_t expr_next(Fn *f, const Expr *expr) {
    uint32_t temp = emit_temp(&f->e);
    expr_into(f, expr, temp);
    return temp;
}

void expr_discard(Fn *f, const Expr *expr) {
    uint32_t mark = f->e.top;
    Operand value = expr_operand(f, expr);
    bool left_behind = !(value & CONST_BIT) && is_temp(f, value) && expr->kind == EXPR_CALL;
    // Releases the result now, not when the register is next overwritten.
    if (left_behind) emit(&f->e, expr->span, OP_UNDEFINE, value, 0, 0);
    f->e.top = mark;
}

uint32_t expr_row(Fn *f, uint32_t dest) {
    if (is_temp(f, dest) && dest + 1 == f->e.top) f->e.top = dest;
    return f->e.top;
}

// ---- simple kinds -------------------------------------------------------------------------------

static void expr_not(Fn *f, const Expr *expr, uint32_t dest) {
    const Expr *inner = expr->unary.operand;
    bool single = inner->kind == EXPR_COMPARE && inner->compare.rest.count == 1;
    CompareOp op = single ? inner->compare.ops[0] : COMPARE_EQ;
    if (!single || (op != COMPARE_IN && op != COMPARE_IS)) {
        emit(&f->e, expr->span, OP_NOT, dest, expr_operand(f, inner), 0);
        return;
    }
    // `not a in b` becomes `a not in b`: both operators always return a bool.
    Operand left = expr_operand_before(f, inner->compare.first);
    Operand right = expr_operand(f, inner->compare.rest.items[0]);
    emit(&f->e, inner->span, op == COMPARE_IN ? OP_NOT_IN : OP_IS_NOT, dest, left, right);
}

static void expr_unary(Fn *f, const Expr *expr, uint32_t dest) {
    static const Opcode ops[] = {
        [UNARY_NEG] = OP_NEG, [UNARY_POS] = OP_POS, [UNARY_INVERT] = OP_INVERT};
    if (expr->unary.op == UNARY_NOT) {
        expr_not(f, expr, dest);
        return;
    }
    emit(&f->e, expr->span, ops[expr->unary.op], dest, expr_operand(f, expr->unary.operand), 0);
}

static void expr_slice(Fn *f, const Expr *expr, uint32_t dest) {
    const Expr *parts[] = {expr->slice.lower, expr->slice.upper, expr->slice.step};
    uint32_t row = expr_row(f, dest);
    for (int i = 0; i < 3; i++) {
        uint32_t temp = emit_temp(&f->e);
        if (parts[i]) {
            expr_into(f, parts[i], temp);
        } else {
            emit_move(&f->e, expr->span, temp, expr_none(f));
        }
    }
    emit(&f->e, expr->span, OP_SLICE, dest, row, 0);
}

static void expr_walrus(Fn *f, const Expr *expr, uint32_t dest) {
    const Expr *target = expr->walrus.target;
    uint32_t reg = name_register(f, target->name);
    if (reg != NO_REG) {
        expr_into(f, expr->walrus.value, reg);
        emit_move(&f->e, expr->span, dest, reg);
        return;
    }
    Operand value = expr_operand(f, expr->walrus.value);
    name_store(f, target->span, target->name, value);
    emit_move(&f->e, expr->span, dest, value);
}

static void check_yield(Fn *f, const Expr *expr) {
    if (f->frame->kind == SCOPE_FUNCTION) return;
    ctx_fail(f->c->ctx, expr->span, "'yield' outside function");
}

static void expr_yield(Fn *f, const Expr *expr, uint32_t dest) {
    check_yield(f, expr);
    Operand value = expr->operand ? expr_operand(f, expr->operand) : expr_none(f);
    emit(&f->e, expr->span, OP_YIELD, dest, value, 0);
}

static void expr_yield_from(Fn *f, const Expr *expr, uint32_t dest) {
    check_yield(f, expr);
    Operand value = expr_operand(f, expr->operand);
    uint32_t iterator = emit_temp(&f->e);
    emit(&f->e, expr->span, OP_ITER, iterator, value, 0);
    emit(&f->e, expr->span, OP_YIELD_FROM, dest, iterator, 0);
}

// ---- dispatch -----------------------------------------------------------------------------------

// Returns whether the expression's code writes its result before it has read all operands.
static bool writes_early(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_COMPARE: return expr->compare.rest.count > 1;
    case EXPR_BOOL:
    case EXPR_LIST_COMP:
    case EXPR_SET_COMP:
    case EXPR_DICT_COMP: return true;
    default: return false;
    }
}

static void compute(Fn *f, const Expr *expr, uint32_t dest) {
    switch (expr->kind) {
    case EXPR_NAME: name_load(f, expr->span, expr->name, dest); break;
    case EXPR_FSTRING: expr_fstring(f, expr, dest); break;
    case EXPR_TUPLE: expr_tuple(f, expr, dest); break;
    case EXPR_LIST: expr_list(f, expr, dest); break;
    case EXPR_SET: expr_set(f, expr, dest); break;
    case EXPR_DICT: expr_dict(f, expr, dest); break;
    case EXPR_LIST_COMP:
    case EXPR_SET_COMP:
    case EXPR_DICT_COMP:
    case EXPR_GENERATOR: expr_comprehension(f, expr, dest); break;
    case EXPR_LAMBDA: expr_lambda(f, expr, dest); break;
    case EXPR_TERNARY: expr_ternary(f, expr, dest); break;
    case EXPR_BOOL: expr_bool(f, expr, dest); break;
    case EXPR_COMPARE: expr_compare(f, expr, dest); break;
    case EXPR_UNARY: expr_unary(f, expr, dest); break;
    case EXPR_BINARY:
    case EXPR_CALL:
    case EXPR_ATTRIBUTE:
    case EXPR_SUBSCRIPT: expr_spine(f, expr, dest); break;
    case EXPR_SLICE: expr_slice(f, expr, dest); break;
    case EXPR_WALRUS: expr_walrus(f, expr, dest); break;
    case EXPR_YIELD: expr_yield(f, expr, dest); break;
    case EXPR_YIELD_FROM: expr_yield_from(f, expr, dest); break;
    case EXPR_STARRED: ctx_fail(f->c->ctx, expr->span, "can't use starred expression here");
    default: break; // the rest are constants
    }
}

void expr_into(Fn *f, const Expr *expr, uint32_t dest) {
    Emitter *e = &f->e;
    uint32_t mark = e->top;
    BcConst value;
    if (fold_expr(f, expr, &value)) {
        emit_move(e, expr->span, dest, emit_const(e, &value));
    } else if (!is_temp(f, dest) && writes_early(expr)) {
        uint32_t temp = emit_temp(e);
        compute(f, expr, temp);
        emit_move(e, expr->span, dest, temp);
    } else {
        compute(f, expr, dest);
    }
    e->top = mark;
}
