// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// NumPy's error messages for operations without a matching loop, and for forbidden casts.

#include "vm/array/array.h"

const char *const casting_names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

// Writes a text such as <class 'numpy.dtypes.Float64DType'>.
static void class_text(DType type, Strength strength, Buf *out) {
    static const char *const kinds[DK_COUNT] = {
        [DK_BOOL] = "Bool", [DK_INT] = "Int", [DK_UINT] = "UInt", [DK_FLOAT] = "Float",
        [DK_COMPLEX] = "Complex"};
    static const char *const weak[] = {
        [WEAK_INT] = "_PyLong", [WEAK_FLOAT] = "_PyFloat", [WEAK_COMPLEX] = "_PyComplex"};
    if (strength == STRONG && type == DT_NONE) {
        buf_puts(out, "None");
        return;
    }
    buf_puts(out, "<class 'numpy.dtypes.");
    buf_puts(out, strength == STRONG ? kinds[dtype_kind(type)] : weak[strength]);
    if (strength == STRONG && type != DT_BOOL) buf_printf(out, "%d", 8 * (int)dtype_size(type));
    buf_puts(out, "DType'>");
}

static Status no_signature(Vm *vm, OpId op, const LoopTypes *types) {
    Buf text;
    buf_init(&text, &vm->mem);
    if (types->count > 1) buf_putc(&text, '(');
    for (int i = 0; i < types->count; i++) {
        if (i) buf_puts(&text, ", ");
        class_text(types->types[i], types->strengths[i], &text);
    }
    buf_puts(&text, types->count > 1 ? ") -> " : " -> ");
    class_text(types->result, STRONG, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_TypeError, "ufunc '%s' did not contain a loop "
                                       "with signature matching types %s", op_info[op].name, text.data);
    buf_free(&text);
    return st;
}

Status no_loop(Vm *vm, OpId op, DType type, const LoopTypes *types) {
    const char *name = types && types->result_of ? types->result_of : op_info[op].name;
    if (type == DT_BOOL && op == AOP_SUBTRACT)
        return vm_raise(vm, EXC_TypeError, "numpy boolean subtract, the `-` operator, is not "
                        "supported, use the bitwise_xor, the `^` operator, or the logical_xor "
                        "function instead.");
    if (type == DT_BOOL && op == AOP_NEGATIVE)
        return vm_raise(vm, EXC_TypeError, "The numpy boolean negative, the `-` operator, is not "
                        "supported, use the `~` operator or the logical_not function instead.");
    if (types && (type == DT_BOOL || op == AOP_GCD || op == AOP_LCM))
        return no_signature(vm, op, types);
    return vm_raise(vm, EXC_TypeError, "ufunc '%s' not supported for the input types, and the "
                    "inputs could not be safely coerced to any supported types according to the "
                    "casting rule ''safe''", name);
}

Status no_matching_loop(Vm *vm, OpId op) {
    return vm_raise(vm, EXC_TypeError, "No loop matching the specified signature and casting was "
                    "found for ufunc %s", op_info[op].name);
}

Status cannot_cast_array(Vm *vm, Value array, DType to, Casting casting) {
    bool is_array = array.kind == K_ARRAY;
    DType from = is_array ? array.array->dtype : scalar_dtype(array);
    return vm_raise(vm, EXC_TypeError, "Cannot cast %s from dtype('%s') to dtype('%s') according to "
                    "the rule '%s'", is_array && array.array->ndim ? "array data" : "scalar",
                    dtype_info[from].name, dtype_info[to].name, casting_names[casting]);
}
