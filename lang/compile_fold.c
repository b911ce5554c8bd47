// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Constants known at compile time.

#include <string.h>

#include "lang/compile_internal.h"

// ---- literals -----------------------------------------------------------------------------------

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 32) - 'a' + 10;
}

static BcConst int_literal(const Expr *expr) {
    Text digits = expr->integer.digits;
    int64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (__builtin_mul_overflow(value, expr->integer.base, &value) ||
            __builtin_add_overflow(value, digit_value(digits.bytes[i]), &value)) {
            return (BcConst){.kind = BC_BIG,
                             .len = (uint32_t)digits.len,
                             .base = expr->integer.base,
                             .text = (char *)(uintptr_t)digits.bytes};
        }
    }
    return (BcConst){.kind = BC_INT, .i = value};
}

static bool literal(const Expr *expr, BcConst *out) {
    switch (expr->kind) {
    case EXPR_INT: *out = int_literal(expr); return true;
    case EXPR_FLOAT: *out = (BcConst){.kind = BC_FLOAT, .f = expr->number}; return true;
    case EXPR_IMAG: *out = (BcConst){.kind = BC_IMAG, .f = expr->number}; return true;
    case EXPR_STR:
    case EXPR_BYTES:
        *out = (BcConst){.kind = expr->kind == EXPR_STR ? BC_STR : BC_BYTES,
                         .len = (uint32_t)expr->text.len,
                         .text = (char *)(uintptr_t)expr->text.bytes};
        return true;
    case EXPR_NONE: *out = (BcConst){.kind = BC_NONE}; return true;
    case EXPR_TRUE: *out = (BcConst){.kind = BC_TRUE}; return true;
    case EXPR_FALSE: *out = (BcConst){.kind = BC_FALSE}; return true;
    case EXPR_ELLIPSIS: *out = (BcConst){.kind = BC_ELLIPSIS}; return true;
    default: return false;
    }
}

bool fold_truth(const BcConst *value) {
    switch (value->kind) {
    case BC_NONE:
    case BC_FALSE: return false;
    case BC_INT: return value->i != 0;
    case BC_FLOAT:
    case BC_IMAG: return value->f != 0;
    case BC_STR:
    case BC_BYTES:
    case BC_TUPLE: return value->len > 0;
    default: return true;
    }
}

// ---- arithmetic ---------------------------------------------------------------------------------

// Folds `**` on ints. Returns false on overflow of 64 bits or an error: both are left to run time.
static bool int_power(int64_t base, int64_t exponent, int64_t *out) {
    if (exponent < 0 || exponent > 64) return false;
    int64_t result = 1;
    for (int64_t i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow(result, base, &result)) return false;
    }
    *out = result;
    return true;
}

static bool int_floor_divide(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return false;
    *quotient = a / b;
    *remainder = a % b;
    if (*remainder != 0 && (*remainder < 0) != (b < 0)) {
        *quotient -= 1;
        *remainder += b;
    }
    return true;
}

static bool int_shift_left(int64_t a, int64_t b, int64_t *out) {
    if (b < 0 || b > 62) return false;
    return !__builtin_mul_overflow(a, (int64_t)1 << b, out);
}

static bool fold_int(BinaryOp op, int64_t a, int64_t b, int64_t *out) {
    int64_t other;
    switch (op) {
    case BINARY_ADD: return !__builtin_add_overflow(a, b, out);
    case BINARY_SUB: return !__builtin_sub_overflow(a, b, out);
    case BINARY_MUL: return !__builtin_mul_overflow(a, b, out);
    case BINARY_FLOORDIV: return int_floor_divide(a, b, out, &other);
    case BINARY_MOD: return int_floor_divide(a, b, &other, out);
    case BINARY_POW: return int_power(a, b, out);
    case BINARY_LSHIFT: return int_shift_left(a, b, out);
    case BINARY_BITAND: *out = a & b; return true;
    case BINARY_BITOR: *out = a | b; return true;
    case BINARY_BITXOR: *out = a ^ b; return true;
    default: return false;
    }
}

static bool fold_float(BinaryOp op, double a, double b, double *out) {
    switch (op) {
    case BINARY_ADD: *out = a + b; return true;
    case BINARY_SUB: *out = a - b; return true;
    case BINARY_MUL: *out = a * b; return true;
    case BINARY_DIV: *out = a / b; return b != 0;
    default: return false;
    }
}

// Converts a float, or an int that a double represents exactly. Returns false for others.
static bool as_float(const BcConst *value, double *out) {
    if (value->kind == BC_FLOAT) {
        *out = value->f;
        return true;
    }
    *out = (double)value->i;
    const int64_t exact = INT64_C(1) << 53;
    return value->kind == BC_INT && value->i <= exact && value->i >= -exact;
}

bool fold_binary(BinaryOp op, const BcConst *left, const BcConst *right, BcConst *out) {
    bool ints = left->kind == BC_INT && right->kind == BC_INT;
    if (ints && op != BINARY_DIV) {
        out->kind = BC_INT;
        return fold_int(op, left->i, right->i, &out->i);
    }
    double a, b;
    if (!as_float(left, &a) || !as_float(right, &b)) return false;
    *out = (BcConst){.kind = BC_FLOAT};
    return fold_float(op, a, b, &out->f);
}

static bool fold_unary(Fn *f, const Expr *expr, BcConst *out) {
    if (!fold_expr(f, expr->unary.operand, out)) return false;
    switch (expr->unary.op) {
    case UNARY_NOT: *out = (BcConst){.kind = fold_truth(out) ? BC_FALSE : BC_TRUE}; return true;
    case UNARY_NEG:
        if (out->kind == BC_INT) return !__builtin_sub_overflow((int64_t)0, out->i, &out->i);
        out->f = -out->f;
        return out->kind == BC_FLOAT;
    case UNARY_POS: return out->kind == BC_INT || out->kind == BC_FLOAT;
    case UNARY_INVERT: out->i = ~out->i; return out->kind == BC_INT;
    }
    return false;
}

// ---- expressions --------------------------------------------------------------------------------

bool fold_items(Fn *f, ExprList items, BcConst *out) {
    BcConst *values = NULL;
    for (uint32_t i = 0; i < items.count; i++) {
        BcConst value = {.kind = BC_NONE};
        if (!fold_expr(f, items.items[i], &value)) return false;
        if (!values) values = ctx_alloc(f->c->ctx, items.count * sizeof *values);
        values[i] = value;
    }
    *out = (BcConst){.kind = BC_TUPLE, .len = items.count, .items = values};
    return true;
}

// Folds a single binary operator. Chains, which may be of any length, are folded operator by
// operator in compile_spine.c.
static bool fold_pair(Fn *f, const Expr *expr, BcConst *out) {
    if (expr->binary.left->kind == EXPR_BINARY) return false;
    BcConst left = {.kind = BC_NONE}, right = {.kind = BC_NONE};
    return fold_expr(f, expr->binary.right, &right) && fold_expr(f, expr->binary.left, &left) &&
           fold_binary(expr->binary.op, &left, &right, out);
}

bool fold_expr(Fn *f, const Expr *expr, BcConst *out) {
    *out = (BcConst){.kind = BC_NONE};
    switch (expr->kind) {
    case EXPR_TUPLE: return fold_items(f, expr->items, out);
    case EXPR_UNARY: return fold_unary(f, expr, out);
    case EXPR_BINARY: return fold_pair(f, expr, out);
    case EXPR_NAME:
        if (strcmp(expr->name, "__debug__") != 0) return false;
        *out = (BcConst){.kind = BC_TRUE};
        return true;
    default: return literal(expr, out);
    }
}
