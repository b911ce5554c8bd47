// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The operators of arrays and NumPy scalars.

#include "vm/array/array.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

static const OpId binary_ops[BINARY_COUNT] = {
    [BIN_ADD] = AOP_ADD,           [BIN_SUB] = AOP_SUBTRACT,     [BIN_MUL] = AOP_MULTIPLY,
    [BIN_DIV] = AOP_DIVIDE,        [BIN_FLOORDIV] = AOP_FLOOR_DIVIDE, [BIN_MOD] = AOP_REMAINDER,
    [BIN_POW] = AOP_POWER,         [BIN_LSHIFT] = AOP_LEFT_SHIFT, [BIN_RSHIFT] = AOP_RIGHT_SHIFT,
    [BIN_AND] = AOP_BITWISE_AND,   [BIN_OR] = AOP_BITWISE_OR,    [BIN_XOR] = AOP_BITWISE_XOR,
    [BIN_MATMUL] = AOP_MATMUL,     [BIN_DIVMOD] = AOP_NONE,
};
static const OpId compare_ops[COMPARE_COUNT] = {
    [CMP_LT] = AOP_LESS, [CMP_LE] = AOP_LESS_EQUAL, [CMP_EQ] = AOP_EQUAL,
    [CMP_NE] = AOP_NOT_EQUAL, [CMP_GT] = AOP_GREATER, [CMP_GE] = AOP_GREATER_EQUAL,
};

static bool usable(Value v) {
    return v.kind == K_ARRAY || is_numpy_scalar(v) || v.kind == K_FLATITER || is_number(v) ||
           is_array_like(v);
}

// Replaces operands by what stands for them as arrays (array_stand_in), except for objects whose __array_ufunc__ is
// None.
static Status stand_ins(Vm *vm, Value *a, Value *b) {
    Value *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        if (!has_stand_in(*both[i]) || op_forbidden(vm, *both[i], NAME_array_ufunc)) continue;
        Status st = array_stand_in(vm, both[i]);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

// Returns the op for `array ** number`. NumPy has short cuts for some numbers, whose last digits differ from power's.
static OpId power_op(Value base, Value exponent) {
    bool inexact = dtype_is_inexact(base.array->dtype);
    if (exponent.kind == K_FLOAT) return inexact && exponent.f == 0.5 ? AOP_SQRT : AOP_POWER;
    if (exponent.kind != K_INT) return AOP_POWER;
    if (exponent.i == 2) return AOP_SQUARE;
    return inexact && exponent.i == -1 ? AOP_RECIPROCAL : AOP_POWER;
}

static Status power_of_array(Vm *vm, bool in_place, Value base, Value exponent, Value *out) {
    OpId op = power_op(base, exponent);
    return array_operator(vm, op, (Value[]){base, exponent}, op == AOP_POWER ? 2 : 1, in_place ? base : V_UNDEF, out);
}

static bool is_complex(Value v) {
    if (v.kind == K_ARRAY) return dtype_kind(v.array->dtype) == DK_COMPLEX;
    return v.kind == K_COMPLEX || v.kind == K_COMPLEX_SCALAR;
}

static Status divmod_pair(Vm *vm, Value a, Value b, Value *out) {
    if ((is_complex(a) || is_complex(b)) && (a.kind == K_ARRAY || b.kind == K_ARRAY))
        return vm_raise(vm, EXC_TypeError, "ufunc 'divmod' not supported for the input types, and the "
                        "inputs could not be safely coerced to any supported types according to the "
                        "casting rule ''safe''");
    Value pair[2] = {V_UNDEF, V_UNDEF};
    UfuncCall call = {.op = AOP_FLOOR_DIVIDE, .args = (Value[]){a, b}, .count = 2, .into = V_UNDEF, .dtype = DT_NONE,
                      .casting = CAST_SAME_KIND, .operator = true, .result_of = "divmod"};
    Status st = ufunc_apply(vm, &call, &pair[0]);
    call.op = AOP_REMAINDER;
    if (st == ST_OK) st = ufunc_apply(vm, &call, &pair[1]);
    if (st == ST_OK) return tuple_steal(vm, pair, 2, out);
    release(vm, pair[0]);
    return st;
}

Status array_binary(Vm *vm, BinaryOp bin, bool in_place, Value a, Value b, Value *out) {
    Status held = stand_ins(vm, &a, &b);
    if (held != ST_OK) return held;
    if (!usable(a) || !usable(b)) return ST_NOTIMPL;
    if (bin == BIN_DIVMOD) return divmod_pair(vm, a, b, out);
    OpId op = binary_ops[bin];
    Value into = in_place && a.kind == K_ARRAY ? a : V_UNDEF;
    if (op == AOP_MATMUL)
        return into.kind == K_ARRAY ? array_matmul_in_place(vm, a, b, out) : array_matmul(vm, a, b, out);
    if (op == AOP_POWER && a.kind == K_ARRAY) return power_of_array(vm, in_place, a, b, out);
    return array_operator(vm, op, (Value[]){a, b}, 2, into, out);
}

Status array_compare(Vm *vm, CompareOp cmp, Value a, Value b, Value *out) {
    Status held = stand_ins(vm, &a, &b);
    if (held != ST_OK) return held;
    if (!usable(a) || !usable(b)) {
        if ((cmp != CMP_EQ && cmp != CMP_NE) || a.kind != K_ARRAY) return ST_NOTIMPL;
        View view; // no element equals, say, a string
        Status st = array_new(vm, DT_BOOL, a.array->ndim, array_shape(a.array), ROOM_ZEROED, out);
        if (st != ST_OK || cmp == CMP_EQ) return st;
        array_view(out->array, &view);
        return array_fill(vm, &view, DT_BOOL, (Scalar){.i = 1});
    }
    return array_apply(vm, compare_ops[cmp], (Value[]){a, b}, 2, V_UNDEF, DT_NONE, out);
}

Status array_unary(Vm *vm, UnaryOp un, Value a, Value *out) {
    static const OpId ops[UNARY_COUNT] = {[UN_NEG] = AOP_NEGATIVE, [UN_POS] = AOP_POSITIVE,
                                          [UN_INVERT] = AOP_INVERT, [UN_ABS] = AOP_ABSOLUTE};
    return array_apply(vm, ops[un], &a, 1, V_UNDEF, DT_NONE, out);
}
