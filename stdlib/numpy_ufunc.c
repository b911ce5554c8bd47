// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// numpy's elementwise functions, made from the op table.

#include "stdlib/numpy.h"

static Status ufunc(Vm *vm, OpId op, const Value *args, Value *out) {
    int arity = op_info[op].arity;
    DType type;
    Value into = args[arity];
    if (into.kind == K_TUPLE && into.tuple->len == 1) into = into.tuple->items[0];
    if (into.kind != K_NONE && into.kind != K_ARRAY)
        return vm_raise(vm, EXC_TypeError, "return arrays must be of ArrayType");
    if (args[arity + 1].kind != K_BOOL || !args[arity + 1].i)
        return vm_raise(vm, EXC_NotImplementedError, "where= of numpy.%s", op_info[op].name);
    Status st = dtype_from(vm, args[arity + 2], DT_NONE, &type);
    if (st == ST_OK) st = array_apply(vm, op, args, arity, into, type, out);
    if (st != ST_NOTIMPL) return st;
    return vm_raise(vm, EXC_TypeError,
                    "ufunc '%s' not supported for the input types, and the inputs "
                    "could not be safely coerced to any supported types according to the casting "
                    "rule ''safe''",
                    op_info[op].name);
}

#define FUNCTION_SAME(ID) FUNCTION(ID)
#define FUNCTION_SIZE(ID) FUNCTION(ID)
#define FUNCTION_DIVIDE(ID) FUNCTION(ID)
#define FUNCTION_FLOAT(ID) FUNCTION(ID)
#define FUNCTION_COMPARE(ID) FUNCTION(ID)
#define FUNCTION_LOGICAL(ID) FUNCTION(ID)
#define FUNCTION_BITS(ID) FUNCTION(ID)
#define FUNCTION_SHIFT(ID) FUNCTION(ID)
#define FUNCTION_SELECT(ID)
#define FUNCTION_CAST(ID)
#define FUNCTION(ID)                                               \
    static Status fn_##ID(Vm *vm, const Value *args, Value *out) { \
        return ufunc(vm, AOP_##ID, args, out);                      \
    }
#define CLASS_FUNCTION_ELEMENTWISE(ID, rule) FUNCTION_##rule(ID)
#define CLASS_FUNCTION_REDUCTION(ID, rule)
#define CLASS_FUNCTION_SCAN(ID, rule)
#define CLASS_FUNCTION_CREATION(ID, rule)
#define CLASS_FUNCTION_LIBRARY(ID, rule)
#define OP(ID, name, arity, CLASS, rule, ...) CLASS_FUNCTION_##CLASS(ID, rule)
#include "vm/graph/ops.def"

#define SIGNATURE_1 "x, /, out=None, *, where=True, dtype=None"
#define SIGNATURE_2 "x1, x2, /, out=None, *, where=True, dtype=None"

#define ROW_SAME(ID, name, arity) ROW(ID, name, arity)
#define ROW_SIZE(ID, name, arity) ROW(ID, name, arity)
#define ROW_DIVIDE(ID, name, arity) ROW(ID, name, arity)
#define ROW_FLOAT(ID, name, arity) ROW(ID, name, arity)
#define ROW_COMPARE(ID, name, arity) ROW(ID, name, arity)
#define ROW_LOGICAL(ID, name, arity) ROW(ID, name, arity)
#define ROW_BITS(ID, name, arity) ROW(ID, name, arity)
#define ROW_SHIFT(ID, name, arity) ROW(ID, name, arity)
#define ROW_SELECT(ID, name, arity)
#define ROW_CAST(ID, name, arity)
#define ROW(ID, name, arity) {name, SIGNATURE_##arity, fn_##ID, NULL, PURE},
#define CLASS_ROW_ELEMENTWISE(ID, name, arity, rule) ROW_##rule(ID, name, arity)
#define CLASS_ROW_REDUCTION(ID, name, arity, rule)
#define CLASS_ROW_SCAN(ID, name, arity, rule)
#define CLASS_ROW_CREATION(ID, name, arity, rule)
#define CLASS_ROW_LIBRARY(ID, name, arity, rule)

const NativeDef numpy_ufuncs[] = {
#define OP(ID, name, arity, CLASS, rule, ...) CLASS_ROW_##CLASS(ID, name, arity, rule)
#include "vm/graph/ops.def"
    // Other names of the same.
    ROW(ABSOLUTE, "abs", 1) ROW(CONJUGATE, "conj", 1) ROW(POWER, "pow", 2) ROW(REMAINDER, "mod", 2)
    ROW(DIVIDE, "true_divide", 2) ROW(INVERT, "bitwise_not", 1) ROW(INVERT, "bitwise_invert", 1)
    ROW(ARCSIN, "asin", 1) ROW(ARCCOS, "acos", 1) ROW(ARCTAN, "atan", 1) ROW(ARCTAN2, "atan2", 2)
    ROW(ARCSINH, "asinh", 1) ROW(ARCCOSH, "acosh", 1) ROW(ARCTANH, "atanh", 1)
    ROW(DEG2RAD, "radians", 1) ROW(RAD2DEG, "degrees", 1)
    ROW(LEFT_SHIFT, "bitwise_left_shift", 2) ROW(RIGHT_SHIFT, "bitwise_right_shift", 2)
    {0},
};
