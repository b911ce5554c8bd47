// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _numpy_fft: records the nodes of Fourier transforms along one axis. stdlib/numpy/fft.ncr has
// checked lengths and norms.
//
// As in NumPy, complex64 operands (and float32 ones of rfft) are transformed in single precision, all
// others in double precision. The result is rounded to the precision of the operand's type.

#include <string.h>

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/value/ops.h"

// The arguments of a transform, and what follows from them.
typedef struct Transform {
    OpId op;
    int64_t points;
    int axis;
    double factor;
    Value array, into;          // array: the operand, owned; into: out=, borrowed, or V_UNDEF
    int ndim;
    int64_t shape[NDIM_MAX];    // of the result
    DType operand, work, result; // types of the cast operand, the node's output, the returned array
} Transform;

// Returns NumPy's name of the transform, for messages.
static const char *name_of(const Transform *t) {
    if (t->op != AOP_RFFT) return op_info[t->op].name;
    return t->points % 2 ? "rfft_n_odd" : "rfft_n_even";
}

// --- Arguments ---------------------------------------------------------------------------------

static Status points_from(Vm *vm, Value v, int64_t *out) {
    Status st = v.kind == K_BIGINT ? ST_OK : array_long(vm, v, out);
    if (st == ST_OK && (v.kind == K_BIGINT || *out > INT64_MAX / DTYPE_SIZE_MAX))
        return vm_raise(vm, EXC_ValueError, "Maximum allowed dimension exceeded");
    return st;
}

static Status find_types(Vm *vm, Transform *t) {
    DType type = t->array.array->dtype;
    bool complex = dtype_kind(type) == DK_COMPLEX, single = type == DT_COMPLEX64;
    if (t->op == AOP_RFFT && complex)
        return vm_raise(vm, EXC_TypeError, "ufunc '%s' not supported for the input types, and the "
                        "inputs could not be safely coerced to any supported types according to "
                        "the casting rule ''safe''", name_of(t));
    if (t->op == AOP_RFFT) single = type == DT_FLOAT32;
    DType real = single ? DT_FLOAT32 : DT_FLOAT64;
    DType wanted = dtype_is_inexact(type) ? dtype_real(type) : DT_FLOAT64;
    t->operand = complex || t->op == AOP_IRFFT ? dtype_complex(real) : real;
    t->work = t->op == AOP_IRFFT ? real : dtype_complex(real);
    t->result = t->op == AOP_IRFFT        ? wanted
                : wanted == DT_FLOAT64    ? DT_COMPLEX128
                                          : DT_COMPLEX64;
    return ST_OK;
}

static void find_shape(Transform *t) {
    Array *array = t->array.array;
    t->ndim = array->ndim;
    memcpy(t->shape, array_shape(array), (size_t)t->ndim * sizeof *t->shape);
    t->shape[t->axis] = t->op == AOP_RFFT ? t->points / 2 + 1 : t->points;
}

static Status wrong_shape(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "output array has wrong shape.");
}

// Checks out=. Except along the transformed axis, an extent of 1 may be broadcast to that of out=.
static Status check_output(Vm *vm, const Transform *t) {
    Array *into = t->into.array;
    const int64_t *shape = array_shape(into);
    if (into->ndim != t->ndim) return wrong_shape(vm);
    for (int d = 0; d < t->ndim; d++)
        if (shape[d] != t->shape[d] && (d == t->axis || t->shape[d] != 1)) return wrong_shape(vm);
    if (!dtype_can_cast(t->work, into->dtype, CAST_SAME_KIND))
        return vm_raise(vm, EXC_TypeError, "Cannot cast ufunc '%s' output from dtype('%s') to "
                        "dtype('%s') with casting rule 'same_kind'", name_of(t),
                        dtype_info[t->work].name, dtype_info[into->dtype].name);
    return array_check_writeable(vm, into, "output array");
}

// --- Recording ---------------------------------------------------------------------------------

// Records the node, with output to a view of type t->work.
static Status record(Vm *vm, const Transform *t, const View *to) {
    Value operand;
    Status st = array_from(vm, t->array, t->operand, &operand);
    if (st != ST_OK) return st;
    Node *node = graph_node(vm, t->op);
    if (!node) {
        release(vm, operand);
        return vm_no_memory(vm);
    }
    node_input_array(node, operand.array);
    node_input_scalar(node, DT_FLOAT64, (Scalar){.f = t->factor});
    node_output(node, to);
    node->attrs.axes = axis_bit(t->axis);
    node->attrs.points = t->points;
    node->attrs.loop = DT_FLOAT64;
    st = graph_record(vm, node);
    release(vm, operand);
    return st;
}

// Makes a new array for the result, with its axes in the operand's memory order, and records the node.
static Status new_result(Vm *vm, const Transform *t, Value *out) {
    View like;
    int axes[NDIM_MAX];
    Value made, rounded;
    array_view(t->array.array, &like);
    axes_in_order(&like, ORDER_K, axes);
    Status st = array_new_arranged(vm, t->work, t->ndim, t->shape, axes, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &like);
    st = record(vm, t, &like);
    if (st == ST_OK && t->into.kind == K_UNDEF && t->result != t->work) {
        st = array_copy_ordered(vm, made, t->result, ORDER_K, &rounded);
        if (st == ST_OK) replace(vm, &made, rounded);
    }
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static Status write_output(Vm *vm, const Transform *t) {
    Array *into = t->into.array;
    View to;
    Value made;
    array_view(into, &to);
    if (into->dtype == t->work &&
        memcmp(to.shape, t->shape, (size_t)t->ndim * sizeof *t->shape) == 0)
        return record(vm, t, &to);
    Status st = new_result(vm, t, &made);
    if (st != ST_OK) return st;
    st = array_assign(vm, &to, made);
    release(vm, made);
    return st;
}

// Does one of the transforms. args: a, n, axis, factor, out.
static Status transform(Vm *vm, OpId op, const Value *args, Value *out) {
    Transform t = {.op = op};
    Status st = array_from(vm, args[0], DT_NONE, &t.array);
    if (st != ST_OK) return st;
    st = points_from(vm, args[1], &t.points);
    if (st == ST_OK) st = axis_from(vm, args[2], t.array.array->ndim, &t.axis);
    if (st == ST_OK) st = op_as_double(vm, args[3], &t.factor);
    if (st == ST_OK) st = ufunc_output(vm, args[4], &t.into);
    if (st == ST_OK) st = find_types(vm, &t);
    if (st == ST_OK) find_shape(&t);
    if (st == ST_OK && t.into.kind != K_UNDEF) st = check_output(vm, &t);
    if (st == ST_OK && t.into.kind == K_UNDEF) st = new_result(vm, &t, out);
    else if (st == ST_OK) {
        st = write_output(vm, &t);
        if (st == ST_OK) *out = retain(t.into);
    }
    release(vm, t.array);
    return st == ST_DEFER ? op_refused(vm) : st;
}

static Status fn_fft(Vm *vm, const Value *args, Value *out) {
    return transform(vm, AOP_FFT, args, out);
}
static Status fn_ifft(Vm *vm, const Value *args, Value *out) {
    return transform(vm, AOP_IFFT, args, out);
}
static Status fn_rfft(Vm *vm, const Value *args, Value *out) {
    return transform(vm, AOP_RFFT, args, out);
}
static Status fn_irfft(Vm *vm, const Value *args, Value *out) {
    return transform(vm, AOP_IRFFT, args, out);
}

static Status fn_deprecated(Vm *vm, const Value *args, Value *out) {
    if (args[0].kind != K_STR) return vm_raise(vm, EXC_TypeError, "a text is required");
    *out = V_NONE;
    return vm_warn(vm, EXC_DeprecationWarning, "%s", args[0].str->data);
}

// --- The module --------------------------------------------------------------------------------

const NativeDef numpy_fft_functions[] = {
    {"fft", "a, n, axis, factor, out, /", fn_fft, NULL, PURE},
    {"ifft", "a, n, axis, factor, out, /", fn_ifft, NULL, PURE},
    {"rfft", "a, n, axis, factor, out, /", fn_rfft, NULL, PURE},
    {"irfft", "a, n, axis, factor, out, /", fn_irfft, NULL, PURE},
    {"deprecated", "text, /", fn_deprecated, NULL, PURE},
    {0},
};
