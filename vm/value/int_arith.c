// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Arithmetic of ints: in 64 bits where that is enough, in big digits otherwise.

#include <math.h>
#include <stdlib.h>

#include "vm/value/int.h"

// --- 64 and 128 bits ----------------------------------------------------------------------------

// Computes in 64 bits. False: the result does not fit, or the operator is none of these.
static bool small_binary(BinaryOp op, int64_t a, int64_t b, int64_t *out) {
    switch (op) {
    case BIN_ADD: return !__builtin_add_overflow(a, b, out);
    case BIN_SUB: return !__builtin_sub_overflow(a, b, out);
    case BIN_MUL: return !__builtin_mul_overflow(a, b, out);
    case BIN_AND: *out = a & b; return true;
    case BIN_OR: *out = a | b; return true;
    case BIN_XOR: *out = a ^ b; return true;
    default: return false;
    }
}

// Computes sums and products of 64-bit operands in 128 bits.
static I128 wide_binary(BinaryOp op, I128 a, I128 b) {
    return op == BIN_ADD ? a + b : op == BIN_SUB ? a - b : a * b;
}

static I128 wide_bits(BinaryOp op, I128 a, I128 b) {
    return op == BIN_AND ? a & b : op == BIN_OR ? a | b : a ^ b;
}

static BigOp big_op(BinaryOp op) {
    switch (op) {
    case BIN_MUL: return BIG_MUL;
    case BIN_AND: return BIG_AND;
    case BIN_OR: return BIG_OR;
    default: return BIG_XOR;
    }
}

// Computes sums, products and bit operations where an operand is a BigInt.
static Status ring_big(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    if (op == BIN_ADD || op == BIN_SUB) return school_add(vm, a, b, op == BIN_SUB, out);
    if (op == BIN_MUL && school_multiplies(a, b)) return school_mul(vm, a, b, out);
    I128 x, y;
    if (op != BIN_MUL && int_to_i128(a, &x) && int_to_i128(b, &y))
        return int_from_i128(vm, wide_bits(op, x, y), out);
    return big_binary(vm, big_op(op), a, b, out);
}

static Status ring(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    if (a.kind == K_BIGINT || b.kind == K_BIGINT) return ring_big(vm, op, a, b, out);
    int64_t small;
    if (small_binary(op, a.i, b.i, &small)) {
        *out = v_int(small);
        return ST_OK;
    }
    return int_from_i128(vm, wide_binary(op, a.i, b.i), out);
}

// --- Division -----------------------------------------------------------------------------------

static void floor_divide64(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder) {
    int64_t q = a / b, r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q--;
        r += b;
    }
    *quotient = q;
    *remainder = r;
}

Status int_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *remainder) {
    if (a.kind != K_BIGINT && b.kind != K_BIGINT && b.i != -1) {
        int64_t q, r;
        floor_divide64(a.i, b.i, &q, &r);
        if (quotient) *quotient = v_int(q);
        if (remainder) *remainder = v_int(r);
        return ST_OK;
    }
    if (school_divides(a, b)) return school_divmod(vm, a, b, quotient, remainder);
    return big_divmod(vm, a, b, quotient, remainder);
}

static Status zero_division(Vm *vm, BinaryOp op) {
    const char *text = op == BIN_DIV   ? "division by zero"
                       : op == BIN_MOD ? "integer modulo by zero"
                                       : "integer division or modulo by zero";
    return vm_raise(vm, EXC_ZeroDivisionError, "%s", text);
}

static Status divide(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    if (int_sign(b) == 0) return zero_division(vm, op);
    if (op == BIN_FLOORDIV) return int_divmod(vm, a, b, out, NULL);
    if (op == BIN_MOD) return int_divmod(vm, a, b, NULL, out);
    double d;
    Status st = int_true_divide(vm, a, b, &d);
    if (st == ST_OK) *out = v_float(d);
    return st;
}

// --- Powers and shifts --------------------------------------------------------------------------

static Status power(Vm *vm, Value a, Value b, Value *out) {
    if (int_sign(b) >= 0) return int_power(vm, a, b, out);
    double x, y;
    if (int_to_double(vm, a, &x) != ST_OK || int_to_double(vm, b, &y) != ST_OK) return ST_ERROR;
    return num_binary(vm, BIN_POW, v_float(x), v_float(y), out);
}

static Status shift(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    int sign = int_sign(b);
    if (sign < 0) return vm_raise(vm, EXC_ValueError, "negative shift count");
    if (int_sign(a) == 0) {
        *out = v_int(0);
        return ST_OK;
    }
    if (b.kind != K_BIGINT) return int_shift(vm, a, op == BIN_LSHIFT ? b.i : -b.i, out);
    if (op == BIN_LSHIFT) return vm_raise(vm, EXC_OverflowError, "too many digits in integer");
    *out = v_int(int_sign(a) < 0 ? -1 : 0);
    return ST_OK;
}

Status int_binary(Vm *vm, BinaryOp op, Value a, Value b, Value *out) {
    switch (op) {
    case BIN_ADD:
    case BIN_SUB:
    case BIN_MUL:
    case BIN_AND:
    case BIN_OR:
    case BIN_XOR: return ring(vm, op, a, b, out);
    case BIN_DIV:
    case BIN_FLOORDIV:
    case BIN_MOD: return divide(vm, op, a, b, out);
    case BIN_POW: return power(vm, a, b, out);
    case BIN_LSHIFT:
    case BIN_RSHIFT: return shift(vm, op, a, b, out);
    default: return ST_NOTIMPL;
    }
}

static Status negate(Vm *vm, Value a, Value *out) {
    if (a.kind != K_BIGINT) return int_from_i128(vm, -(I128)a.i, out);
    return int_from_magnitude(vm, a.big->digits, a.big->used, !a.big->negative, out);
}

Status int_unary(Vm *vm, UnaryOp op, Value a, Value *out) {
    if (op == UN_INVERT) return int_sub(vm, v_int(-1), a, out); // ~a == -a - 1
    if (op == UN_NEG || (op == UN_ABS && int_sign(a) < 0)) return negate(vm, a, out);
    *out = a.kind == K_BIGINT ? retain(a) : v_int(a.i);
    return ST_OK;
}

// Rounds v to the nearest multiple of the unit, ties to an even one: round(v, digits), unit 10^-digits, for digits < 0.
static Status round_to_multiple(Vm *vm, Value v, Value unit, Value *out) {
    Value quotient = V_UNDEF, rest = V_UNDEF, twice = V_UNDEF, result = V_UNDEF;
    Status st = int_divmod(vm, v, unit, &quotient, &rest);
    if (st == ST_OK) st = int_add(vm, rest, rest, &twice);
    if (st == ST_OK) {
        int order = int_compare(twice, unit);
        Value odd = V_UNDEF;
        st = int_binary(vm, BIN_AND, quotient, v_int(1), &odd);
        bool up = order > 0 || (order == 0 && odd.i);
        if (st == ST_OK) st = int_sub(vm, v, rest, &result);
        if (st == ST_OK && up) {
            Value floor = result;
            result = V_UNDEF;
            st = int_add(vm, floor, unit, &result);
            release(vm, floor);
        }
    }
    release(vm, quotient);
    release(vm, rest);
    release(vm, twice);
    if (st == ST_OK) *out = result;
    return st;
}

Status int_round(Vm *vm, Value v, int64_t digits, Value *out) {
    if (digits >= 0) return int_unary(vm, UN_POS, v, out);
    if (digits < -(int_bits(v) / 3 + 1)) { // 10^-digits > 2 |v|
        *out = v_int(0);
        return ST_OK;
    }
    Value unit;
    Status st = int_power(vm, v_int(10), v_int(-digits), &unit);
    if (st != ST_OK) return st;
    st = round_to_multiple(vm, v, unit, out);
    release(vm, unit);
    return st;
}
