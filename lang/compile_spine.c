// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Left-associated chains (`a + b + c`, `a.b(c)[d]`). They may be of any length, so a loop evaluates
// them from the innermost node outwards, with the value so far in one register.

#include <string.h>

#include "lang/compile_internal.h"

Opcode binary_opcode(BinaryOp op) {
    static const Opcode ops[] = {
        [BINARY_ADD] = OP_ADD,       [BINARY_SUB] = OP_SUB,           [BINARY_MUL] = OP_MUL,
        [BINARY_MATMUL] = OP_MATMUL, [BINARY_DIV] = OP_DIV,           [BINARY_MOD] = OP_MOD,
        [BINARY_POW] = OP_POW,       [BINARY_FLOORDIV] = OP_FLOORDIV, [BINARY_LSHIFT] = OP_LSHIFT,
        [BINARY_RSHIFT] = OP_RSHIFT, [BINARY_BITAND] = OP_AND,        [BINARY_BITOR] = OP_OR,
        [BINARY_BITXOR] = OP_XOR,
    };
    return ops[op];
}

// The left operand of the current node: a folded constant that is not in the table yet (`value`), or
// `operand`: a constant, a local or the register `carry`.
typedef struct Left {
    bool folded;
    BcConst value;
    Operand operand;
    uint32_t carry; // the last temporary
} Left;

static Operand left_operand(Fn *f, Left *left) {
    if (left->folded) left->operand = emit_const(&f->e, &left->value);
    left->folded = false;
    return left->operand;
}

static uint32_t left_register(Fn *f, Span span, Left *left) {
    Operand operand = left_operand(f, left);
    if (!(operand & CONST_BIT)) return operand;
    emit_move(&f->e, span, left->carry, operand);
    return left->operand = left->carry;
}

static void left_start(Fn *f, const Expr *leaf, Left *left) {
    left->folded = fold_expr(f, leaf, &left->value);
    if (left->folded) return;
    bool rebinds = leaf->kind == EXPR_NAME && name_may_rebind(f, leaf->name);
    if (rebinds) {
        expr_into(f, leaf, left->carry);
        left->operand = left->carry;
    } else {
        left->operand = expr_operand_in(f, leaf, left->carry);
    }
}

static void step_binary(Fn *f, const Expr *node, Left *left, uint32_t dest) {
    BcConst right, result;
    bool folded = left->folded && fold_expr(f, node->binary.right, &right) &&
                  fold_binary(node->binary.op, &left->value, &right, &result);
    if (folded) {
        left->value = result;
        return;
    }
    Operand a = left_operand(f, left);
    Operand b = expr_operand(f, node->binary.right);
    emit(&f->e, node->span, binary_opcode(node->binary.op), dest, a, b);
    left->operand = dest;
}

static void step_attribute(Fn *f, const Expr *node, Left *left, uint32_t dest) {
    uint32_t object = left_register(f, node->span, left);
    Name name = resolve_mangle(f->c->names, f->scope, node->attribute.name);
    emit(&f->e, node->span, OP_GETATTR, dest, object, emit_name(&f->e, name));
    left->operand = dest;
}

static void step_call(Fn *f, const Expr *node, Left *left, uint32_t dest) {
    emit_move(&f->e, node->span, left->carry, left_operand(f, left));
    if (call_is_plain(node->call.args)) {
        call_plain(f, node, left->carry, false, dest);
    } else {
        call_unpacked(f, node, left->carry, dest);
    }
    left->operand = dest;
}

static void step_method(Fn *f, const Expr *attribute, const Expr *call, Left *left, uint32_t dest) {
    uint32_t object = left_register(f, attribute->span, left);
    Name name = resolve_mangle(f->c->names, f->scope, attribute->attribute.name);
    emit_temp(&f->e);
    emit(&f->e, attribute->span, OP_GETMETHOD, left->carry, object, emit_name(&f->e, name));
    call_plain(f, call, left->carry, true, dest);
    left->operand = dest;
}

static void step_subscript(Fn *f, const Expr *node, Left *left, uint32_t dest) {
    Operand object = left_operand(f, left);
    Index index = index_eval(f, node->subscript.index);
    if (index.count > 0 && object & CONST_BIT) {
        // GETITEMS takes the object in a register only. The constant is moved into one above the index.
        object = operand_register(f, node->span, object);
    }
    index_get(f, node->span, dest, object, index);
    left->operand = dest;
}

static bool is_method_call(const Expr *call, const Expr *func) {
    return call->kind == EXPR_CALL && func->kind == EXPR_ATTRIBUTE &&
           call_is_plain(call->call.args);
}

static void spine_push(Compiler *c, const Expr *node) {
    c->spine = ctx_grow(c->ctx, c->spine, &c->spine_cap, c->spine_count + 1, sizeof(Expr *));
    c->spine[c->spine_count++] = node;
}

// Pushes the nodes of the chain on the stack. Returns the innermost operand: an expression that is
// no chain, or a call `super()`.
static const Expr *spine_collect(Fn *f, const Expr *expr) {
    for (const Expr *next; (next = ast_spine(expr)); expr = next) {
        if (call_is_super(f, expr)) break;
        spine_push(f->c, expr);
    }
    return expr;
}

// Pops one node, or a method call (an attribute and its call), and emits it.
static void spine_step(Fn *f, uint32_t base, Left *left, uint32_t final_dest) {
    Compiler *c = f->c;
    const Expr *node = c->spine[--c->spine_count];
    const Expr *call = NULL;
    if (c->spine_count > base && is_method_call(c->spine[c->spine_count - 1], node)) {
        call = c->spine[--c->spine_count];
    }
    uint32_t dest = c->spine_count == base ? final_dest : left->carry;
    if (call) {
        step_method(f, node, call, left, dest);
        return;
    }
    switch (node->kind) {
    case EXPR_BINARY: step_binary(f, node, left, dest); break;
    case EXPR_ATTRIBUTE: step_attribute(f, node, left, dest); break;
    case EXPR_CALL: step_call(f, node, left, dest); break;
    default: step_subscript(f, node, left, dest); break;
    }
}

void expr_spine(Fn *f, const Expr *expr, uint32_t dest) {
    Compiler *c = f->c;
    Emitter *e = &f->e;
    if (call_is_super(f, expr)) {
        call_super(f, expr, dest);
        return;
    }
    uint32_t base = c->spine_count;
    const Expr *leaf = spine_collect(f, expr);
    Left left = {.carry = expr_row(f, dest)};
    emit_temp(e);
    left_start(f, leaf, &left);
    while (c->spine_count > base) {
        e->top = left.carry + 1;
        spine_step(f, base, &left, dest);
    }
    emit_move(e, expr->span, dest, left_operand(f, &left));
}
