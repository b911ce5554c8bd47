// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// numpy's elementwise functions, made from the op table.

#include "stdlib/numpy.h"
#include "vm/value/class.h"

static Status called(Vm *vm, OpId op, const Value *args, Value *out) {
    int arity = op_info[op].arity;
    const Value *more = args + arity; // out, where, casting, order, dtype, subok, signature
    UfuncCall call = {.op = op, .args = args, .count = arity, .where = more[1],
                      .casting = CAST_SAME_KIND};
    Status st = dtype_from(vm, more[4], DT_NONE, &call.dtype);
    if (st == ST_OK) st = ufunc_output(vm, more[0], &call.into);
    if (st == ST_OK && more[2].kind != K_UNDEF) st = casting_from(vm, more[2], &call.casting);
    if (st == ST_OK && more[6].kind != K_NONE)
        return vm_raise(vm, EXC_NotImplementedError, "signature= of numpy.%s", op_info[op].name);
    if (st == ST_OK) st = ufunc_apply(vm, &call, out);
    if (st != ST_NOTIMPL) return st;
    return no_loop(vm, op, DT_NONE, NULL);
}

#define FUNCTION_ELEMENTWISE(ID)                                   \
    static Status fn_##ID(Vm *vm, const Value *args, Value *out) { \
        return called(vm, AOP_##ID, args, out);                     \
    }
#define FUNCTION_REDUCTION(ID)
#define FUNCTION_SCAN(ID)
#define FUNCTION_CREATION(ID)
#define FUNCTION_LIBRARY(ID)
#define OP(ID, name, arity, CLASS, ...) FUNCTION_##CLASS(ID)
#include "vm/graph/ops.def"

#define KEYWORDS "out=None, *, where=True, casting=?, order='K', dtype=None, subok=True, signature=None"
#define SIGNATURE_1 "x, /, " KEYWORDS
#define SIGNATURE_2 "x1, x2, /, " KEYWORDS
#define SIGNATURE_3 "x1, x2, x3, /, " KEYWORDS

#define ROW_ELEMENTWISE(ID, name, arity) \
    [AOP_##ID] = {name, SIGNATURE_##arity, fn_##ID, NULL, PURE},
#define ROW_REDUCTION(ID, name, arity)
#define ROW_SCAN(ID, name, arity)
#define ROW_CREATION(ID, name, arity)
#define ROW_LIBRARY(ID, name, arity)
static const NativeDef functions[AOP_COUNT] = {
#define OP(ID, name, arity, CLASS, ...) ROW_##CLASS(ID, name, arity)
#include "vm/graph/ops.def"
};

static const struct {
    const char *name;
    OpId op;
} aliases[] = {
    {"abs", AOP_ABSOLUTE},       {"conj", AOP_CONJUGATE},    {"pow", AOP_POWER},
    {"mod", AOP_REMAINDER},      {"true_divide", AOP_DIVIDE}, {"bitwise_not", AOP_INVERT},
    {"bitwise_invert", AOP_INVERT}, {"asin", AOP_ARCSIN},     {"acos", AOP_ARCCOS},
    {"atan", AOP_ARCTAN},        {"atan2", AOP_ARCTAN2},     {"asinh", AOP_ARCSINH},
    {"acosh", AOP_ARCCOSH},      {"atanh", AOP_ARCTANH},     {"radians", AOP_DEG2RAD},
    {"degrees", AOP_RAD2DEG},    {"bitwise_left_shift", AOP_LEFT_SHIFT},
    {"bitwise_right_shift", AOP_RIGHT_SHIFT},
};

Status numpy_ufuncs_init(Vm *vm, Module *module) {
    Status st = ST_OK;
    for (int op = 0; st == ST_OK && op < AOP_COUNT; op++) {
        Value ufunc;
        if (!op_is_ufunc((OpId)op)) continue;
        st = ufunc_new(vm, (OpId)op, &functions[op], v_obj(module), &ufunc);
        if (st != ST_OK) return st;
        for (size_t i = 0; st == ST_OK && i < sizeof aliases / sizeof *aliases; i++)
            if (aliases[i].op == (OpId)op)
                st = module_set(vm, module, aliases[i].name, retain(ufunc));
        if (st == ST_OK) st = module_set(vm, module, op_info[op].name, ufunc);
        else release(vm, ufunc);
    }
    return st;
}
