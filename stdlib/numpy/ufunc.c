// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Makes numpy's elementwise functions (ufuncs) from the op table.

#include "stdlib/numpy/numpy.h"
#include "vm/array/ufunc.h"
#include "vm/value/class.h"
#include "vm/value/seq.h"

// Reads order= and signature=.
static Status other_keywords(Vm *vm, const char *name, Value order, Value signature, UfuncCall *call) {
    Status st = order_from(vm, order, ORDER_K, &call->order);
    call->ordered = call->order != ORDER_K;
    if (st != ST_OK || signature.kind == K_UNDEF) return st;
    if (signature.kind != K_STR && signature.kind != K_TUPLE)
        return vm_raise(vm, EXC_TypeError, "the signature object to ufunc must be a string or a tuple.");
    return vm_raise(vm, EXC_NotImplementedError, "signature= of numpy.%s", name);
}

// Returns whether a call is power(integers, 2), which is run as a square: the same products, without a test of each
// exponent.
static bool is_square(OpId op, const Value *args) {
    return op == AOP_POWER && args[0].kind == K_ARRAY && dtype_is_integer(args[0].array->dtype) &&
           args[0].array->dtype != DT_BOOL && args[1].kind == K_INT && args[1].i == 2;
}

// Warns about where= without out=: elements where it is false are uninitialised.
static Status check_masked(Vm *vm, const UfuncCall *call, Value out) {
    if (out.kind != K_UNDEF || !ufunc_is_masked(call)) return ST_OK;
    return vm_warn(vm, EXC_UserWarning, "'where' used without 'out', expect unitialized memory in output. If this is "
                   "intentional, use out=None.");
}

// With out=..., a result without dimensions is returned as an array, not as a scalar.
static Status as_array(Vm *vm, Value given, Status st, Value *out) {
    Value made;
    if (st != ST_OK || given.kind != K_ELLIPSIS || out->kind == K_ARRAY) return st;
    st = array_from(vm, *out, DT_NONE, &made);
    release(vm, *out);
    if (st == ST_OK) *out = made;
    return st;
}

static Value room_of(Value out) {
    return out.kind == K_ELLIPSIS ? V_NONE : out;
}

static Status called(Vm *vm, OpId op, const Value *args, Value *out) {
    int arity = op_info[op].arity;
    const Value *more = args + arity; // out, where, casting, order, dtype, subok, signature
    UfuncCall call = {.op = op, .args = args, .count = arity, .where = more[1],
                      .casting = CAST_SAME_KIND, .called = more[0].kind == K_UNDEF ? args : NULL};
    Status st = dtype_from(vm, more[4], DT_NONE, &call.dtype);
    if (st == ST_OK) st = check_masked(vm, &call, more[0]);
    if (st == ST_OK) st = ufunc_output(vm, room_of(more[0]), &call.into);
    if (st == ST_OK && more[2].kind != K_UNDEF) st = casting_from(vm, more[2], &call.casting);
    if (st == ST_OK) st = other_keywords(vm, op_info[op].name, more[3], more[6], &call);
    bool plain = call.into.kind == K_UNDEF && call.dtype == DT_NONE && more[2].kind == K_UNDEF;
    if (st == ST_OK && plain && is_square(op, args)) {
        call.op = AOP_SQUARE;
        call.count = 1;
    }
    if (st == ST_OK) st = ufunc_apply(vm, &call, out);
    if (st != ST_NOTIMPL) return as_array(vm, more[0], st, out);
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

#define KEYWORDS "out=?, *, where=True, casting=?, order='K', dtype=None, subok=True, signature=?"
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

// --- Two results ---------------------------------------------------------------------------------

// A row is name, signature of the operands, number of operands, op of each result, documentation.
#define PAIRS(ROW)                                                                                     \
    ROW(frexp, "x", 1, AOP_FREXP, AOP_FREXP_EXPONENT,                                                  \
        "x as a mantissa of 1/2 to 1 and a power of 2: the mantissa, and the exponent.\n\n"            \
        ">>> np.frexp([1, 6])\n(array([0.5 , 0.75]), array([1, 3], dtype=int32))")                     \
    ROW(modf, "x", 1, AOP_MODF, AOP_MODF_WHOLE,                                                        \
        "The parts of x behind the point and before it.\n\n"                                           \
        ">>> np.modf([1.5, -2.25])\n(array([ 0.5 , -0.25]), array([ 1., -2.]))")                       \
    ROW(divmod, "x1, x2", 2, AOP_FLOOR_DIVIDE, AOP_REMAINDER,                                          \
        "Quotient rounded towards minus infinity, and remainder with the sign of the divisor.\n\n"     \
        ">>> np.divmod([7, -7], 3)\n(array([ 2, -3]), array([1, 2]))")

// Calls a function with two results. As an output may share memory with an operand, both results are computed before
// one is written to its output.
static Status called_twice(Vm *vm, const char *name, const OpId *ops, int arity, const Value *args, Value *out) {
    const Value *more = args + arity; // out, where, casting, order, dtype, subok, signature, outputs
    const Tuple *outputs = more[7].tuple;
    Value made[2] = {V_UNDEF, V_UNDEF}, into[2];
    if (outputs->len > 2)
        return vm_raise(vm, EXC_TypeError, "%s() takes from %d to %d positional arguments but %d were given",
                        name, arity, arity + 2, arity + (int)outputs->len);
    UfuncCall call = {.args = args, .count = arity, .where = more[1], .casting = CAST_SAME_KIND,
                       .result_of = name};
    LoopTypes unknown = {.result_of = name};
    Status st = dtype_from(vm, more[4], DT_NONE, &call.dtype);
    if (st == ST_OK && outputs->len > 0 && more[0].kind != K_UNDEF)
        st = vm_raise(vm, EXC_TypeError, "cannot specify 'out' as both a positional and keyword argument");
    for (int i = 0; st == ST_OK && i < 2; i++)
        st = outputs->len > 0 ? ufunc_output(vm, (size_t)i < outputs->len ? outputs->items[i] : V_NONE, &into[i])
                              : ufunc_output_of(vm, room_of(more[0]), 2, i, &into[i]);
    if (st == ST_OK && more[2].kind != K_UNDEF) st = casting_from(vm, more[2], &call.casting);
    if (st == ST_OK) st = other_keywords(vm, name, more[3], more[6], &call);
    if (st == ST_OK && call.dtype != DT_NONE && ops[1] == AOP_FREXP_EXPONENT) // its results have different types
        st = no_matching_loop(vm, ops[0]);
    for (int i = 0; st == ST_OK && i < 2; i++) {
        call.op = ops[i];
        st = ufunc_apply(vm, &call, &made[i]);
        if (st == ST_NOTIMPL) st = no_loop(vm, ops[i], DT_NONE, &unknown);
    }
    for (int i = 0; st == ST_OK && i < 2; i++) {
        if (into[i].kind == K_UNDEF) continue;
        UfuncCall copy = {.op = AOP_POSITIVE, .args = &made[i], .count = 1, .where = more[1],
                          .casting = call.casting, .dtype = DT_NONE, .into = into[i],
                          .result_of = name, .which = arity + i};
        Value written;
        st = ufunc_apply(vm, &copy, &written);
        if (st == ST_OK) replace(vm, &made[i], written);
    }
    for (int i = 0; i < 2; i++) st = as_array(vm, more[0], st, &made[i]);
    if (st == ST_OK) st = tuple_of(vm, made, 2, out);
    release(vm, made[0]);
    release(vm, made[1]);
    return st;
}

#define FUNCTION_PAIR(name, operands, arity, first, second, doc)                 \
    static Status fn_##name(Vm *vm, const Value *args, Value *out) {          \
        return called_twice(vm, #name, (const OpId[]){first, second}, arity, args, out); \
    }
PAIRS(FUNCTION_PAIR)

#define PAIR_KEYWORDS "/, *outputs, out=?, where=True, casting=?, order='K', dtype=None, " \
                      "subok=True, signature=?"
static const struct {
    NativeDef def;
    OpId first, second;
} pairs[] = {
#define ROW_PAIR(name, operands, arity, first, second, doc) \
    {{#name, operands ", " PAIR_KEYWORDS "\n" doc, fn_##name, NULL, PURE}, first, second},
    PAIRS(ROW_PAIR)
};

// --- Names ---------------------------------------------------------------------------------------

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

// Returns whether an op is only a part of other functions, and not a function of module numpy.
static bool is_part_of_other(OpId op) {
    return op == AOP_BYTESWAP || op == AOP_FREXP || op == AOP_FREXP_EXPONENT || op == AOP_MODF || op == AOP_MODF_WHOLE;
}

Status numpy_ufuncs_init(Vm *vm, Module *module) {
    Status st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < sizeof pairs / sizeof *pairs; i++) {
        Value ufunc;
        st = ufunc_new(vm, pairs[i].first, pairs[i].second, &pairs[i].def, v_obj(module), &ufunc);
        if (st == ST_OK) st = module_set(vm, module, pairs[i].def.name, ufunc);
    }
    for (int op = 0; st == ST_OK && op < AOP_COUNT; op++) {
        Value ufunc;
        if (!op_is_ufunc((OpId)op) || is_part_of_other((OpId)op)) continue;
        st = ufunc_new(vm, (OpId)op, OP_NO_SECOND, &functions[op], v_obj(module), &ufunc);
        if (st != ST_OK) return st;
        for (size_t i = 0; st == ST_OK && i < sizeof aliases / sizeof *aliases; i++)
            if (aliases[i].op == (OpId)op)
                st = module_set(vm, module, aliases[i].name, retain(ufunc));
        if (st == ST_OK) st = module_set(vm, module, op_info[op].name, ufunc);
        else release(vm, ufunc);
    }
    return st;
}
