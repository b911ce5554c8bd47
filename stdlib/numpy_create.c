// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// numpy: making arrays.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stdlib/numpy.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

Status with_array(Vm *vm, Value v, ArrayFn f, Value *out) {
    Value array;
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = f(vm, array, out);
    release(vm, array);
    return st;
}

static Status good_shape(Vm *vm, Value v, int64_t *shape, int *ndim) {
    Status st = shape_from(vm, v, shape, ndim);
    for (int i = 0; st == ST_OK && i < *ndim; i++)
        if (shape[i] < 0) st = vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    return st;
}

// --- array, asarray ----------------------------------------------------------------------------

static Status with_ndmin(Vm *vm, Value *v, int64_t ndmin) {
    int64_t shape[NDIM_MAX];
    int missing = (int)ndmin - v->array->ndim;
    if (missing <= 0) return ST_OK;
    if (ndmin > NDIM_MAX) return vm_raise(vm, EXC_ValueError, "ndmin is too large");
    for (int d = 0; d < (int)ndmin; d++)
        shape[d] = d < missing ? 1 : array_shape(v->array)[d - missing];
    Value wide;
    Status st = array_reshape(vm, *v, shape, (int)ndmin, &wide);
    if (st == ST_OK) replace(vm, v, wide);
    return st;
}

static Status fn_array(Vm *vm, const Value *args, Value *out) {
    DType t;
    int64_t ndmin;
    Value v;
    if (op_index(vm, args[3], &ndmin) != ST_OK) return op_refused(vm);
    Status st = dtype_from(vm, args[1], DT_NONE, &t);
    if (st != ST_OK) return st;
    bool copy = args[2].kind != K_NONE && !(args[2].kind == K_BOOL && !args[2].i);
    if (copy && args[0].kind == K_ARRAY)
        st = array_copy(vm, args[0], t == DT_NONE ? args[0].array->dtype : t, &v);
    else st = array_from(vm, args[0], t, &v);
    if (st != ST_OK) return st;
    st = with_ndmin(vm, &v, ndmin);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

static Status fn_asarray(Vm *vm, const Value *args, Value *out) {
    DType t;
    Status st = dtype_from(vm, args[1], DT_NONE, &t);
    return st == ST_OK ? array_from(vm, args[0], t, out) : st;
}

static Status contiguous(Vm *vm, Value array, Value *out) {
    return array_contiguous(vm, array, out);
}

static Status fn_ascontiguous(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = fn_asarray(vm, args, &v);
    if (st != ST_OK) return st;
    // At least one axis, as in NumPy.
    if (v.array->ndim == 0) st = array_ravel(vm, v, false, out);
    else st = contiguous(vm, v, out);
    release(vm, v);
    return st;
}

// --- zeros, ones, full -------------------------------------------------------------------------

static Status filled(Vm *vm, DType t, const int64_t *shape, int ndim, Value fill, Value *out) {
    View view;
    Value v;
    bool zero = fill.kind == K_UNDEF;
    Status st = array_new(vm, t, ndim, shape, zero ? ROOM_ZEROED : ROOM_PLACED, &v);
    if (st != ST_OK || zero) {
        if (st == ST_OK) *out = v;
        return st;
    }
    array_view(v.array, &view);
    st = array_assign(vm, &view, fill);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

static Status new_filled(Vm *vm, Value shape_arg, Value dtype, Value fill, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim;
    DType t;
    Status st = good_shape(vm, shape_arg, shape, &ndim);
    if (st == ST_OK) st = dtype_from(vm, dtype, DT_FLOAT64, &t);
    return st == ST_OK ? filled(vm, t, shape, ndim, fill, out) : st;
}

static Status fn_zeros(Vm *vm, const Value *args, Value *out) {
    return new_filled(vm, args[0], args[1], V_UNDEF, out);
}
static Status fn_ones(Vm *vm, const Value *args, Value *out) {
    return new_filled(vm, args[0], args[1], v_int(1), out);
}

static Status fn_full(Vm *vm, const Value *args, Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim;
    DType t;
    Value fill;
    Status st = good_shape(vm, args[0], shape, &ndim);
    if (st == ST_OK) st = dtype_from(vm, args[2], DT_NONE, &t);
    if (st == ST_OK) st = array_from(vm, args[1], DT_NONE, &fill);
    if (st != ST_OK) return st;
    st = filled(vm, t == DT_NONE ? fill.array->dtype : t, shape, ndim, fill, out);
    release(vm, fill);
    return st;
}

static Status like(Vm *vm, Value a, Value dtype, Value shape_arg, Value fill, Value *out) {
    Value array;
    DType t;
    int64_t shape[NDIM_MAX];
    int ndim;
    Status st = array_from(vm, a, DT_NONE, &array);
    if (st != ST_OK) return st;
    ndim = array.array->ndim;
    memcpy(shape, array_shape(array.array), (size_t)ndim * sizeof *shape);
    st = dtype_from(vm, dtype, array.array->dtype, &t);
    if (st == ST_OK && shape_arg.kind != K_NONE) st = good_shape(vm, shape_arg, shape, &ndim);
    if (st == ST_OK) st = filled(vm, t, shape, ndim, fill, out);
    release(vm, array);
    return st;
}

static Status fn_zeros_like(Vm *vm, const Value *args, Value *out) {
    return like(vm, args[0], args[1], args[2], V_UNDEF, out);
}
static Status fn_ones_like(Vm *vm, const Value *args, Value *out) {
    return like(vm, args[0], args[1], args[2], v_int(1), out);
}
static Status fn_full_like(Vm *vm, const Value *args, Value *out) {
    return like(vm, args[0], args[2], args[3], args[1], out);
}

// --- eye, arange, linspace ---------------------------------------------------------------------

static Status fn_eye(Vm *vm, const Value *args, Value *out) {
    int64_t shape[2], k;
    DType t;
    if (op_index(vm, args[0], &shape[0]) != ST_OK || op_index(vm, args[2], &k) != ST_OK)
        return op_refused(vm);
    shape[1] = shape[0];
    if (args[1].kind != K_NONE && op_index(vm, args[1], &shape[1]) != ST_OK) return op_refused(vm);
    if (shape[0] < 0 || shape[1] < 0)
        return vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    Status st = dtype_from(vm, args[3], DT_FLOAT64, &t);
    if (st == ST_OK) st = array_new(vm, t, 2, shape, ROOM_ZEROED, out);
    if (st != ST_OK) return st;
    View diagonal;
    array_view(out->array, &diagonal);
    int64_t size = (int64_t)dtype_size(t), rows = shape[0], cols = shape[1];
    int64_t row = k < 0 ? -k : 0, col = k < 0 ? 0 : k;
    if (k <= -rows || k >= cols) return ST_OK;
    diagonal.ndim = 1;
    diagonal.shape[0] = rows - row < cols - col ? rows - row : cols - col;
    diagonal.strides[0] = (cols + 1) * size;
    diagonal.offset += (row * cols + col) * size;
    st = array_fill(vm, &diagonal, DT_INT64, (Scalar){.i = 1});
    if (st != ST_OK) release(vm, *out);
    return st;
}

// A new array of n elements that begins with the two given and goes on by their difference.
static Status sequence(Vm *vm, DType t, DType given, Scalar first, Scalar second, int64_t n,
                       Value *out) {
    View view;
    Value made;
    if (t == DT_BOOL && n > 2)
        return vm_raise(vm, EXC_TypeError, "arange() is only supported for booleans when the result "
                        "has at most length 2.");
    Status st = array_new(vm, t, 1, &n, ROOM_PLACED, &made);
    Node *node = st == ST_OK ? graph_node(vm, AOP_ARANGE) : NULL;
    if (st != ST_OK) return st;
    if (!node) {
        release(vm, made);
        return vm_no_memory(vm);
    }
    node_input_scalar(node, given, first);
    node_input_scalar(node, given, second);
    array_view(made.array, &view);
    node_output(node, &view);
    node->attrs.loop = t;
    st = graph_record(vm, node);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

static bool is_integral(Value v) {
    return is_int(v) || (v.kind == K_SCALAR && dtype_kind((DType)v.aux) != DK_FLOAT) ||
           v.kind == K_UNDEF;
}

static Status arange_ints(Vm *vm, const Value *args, DType t, Value *out) {
    int64_t start, stop, step;
    if (op_index(vm, args[0], &start) != ST_OK || op_index(vm, args[1], &stop) != ST_OK ||
        op_index(vm, args[2], &step) != ST_OK)
        return op_refused(vm);
    if (step == 0) return vm_raise(vm, EXC_ZeroDivisionError, "division by zero");
    bool up = step > 0, any = up ? start < stop : start > stop;
    uint64_t span = up ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t stride = up ? (uint64_t)step : 0 - (uint64_t)step, count = (span - 1) / stride + 1;
    if (any && count > INT64_MAX)
        return vm_raise(vm, EXC_ValueError, "Maximum allowed size exceeded");
    int64_t n = any ? (int64_t)count : 0;
    Scalar first = {.i = start}, second = {.i = (int64_t)((uint64_t)start + (uint64_t)step)};
    return sequence(vm, t, DT_INT64, first, second, n, out);
}

static Status arange_floats(Vm *vm, const Value *args, DType t, Value *out) {
    double start, stop, step;
    if (op_as_double(vm, args[0], &start) != ST_OK || op_as_double(vm, args[1], &stop) != ST_OK ||
        op_as_double(vm, args[2], &step) != ST_OK)
        return op_refused(vm);
    if (step == 0) return vm_raise(vm, EXC_ZeroDivisionError, "float division by zero");
    double span = ceil((stop - start) / step);
    if (isnan(span)) return vm_raise(vm, EXC_ValueError, "arange: cannot compute length");
    if (span > 9e18) return vm_raise(vm, EXC_ValueError, "Maximum allowed size exceeded");
    int64_t n = span > 0 ? (int64_t)span : 0;
    return sequence(vm, t, DT_FLOAT64, (Scalar){.f = start}, (Scalar){.f = start + step}, n, out);
}

static Status fn_arange(Vm *vm, const Value *args, Value *out) {
    Value range[3] = {args[0], args[1], args[2]};
    DType t;
    if (args[1].kind == K_NONE) {
        range[0] = v_int(0);
        range[1] = args[0];
    }
    if (args[2].kind == K_NONE) range[2] = v_int(1);
    bool ints = is_integral(range[0]) && is_integral(range[1]) && is_integral(range[2]);
    Status st = dtype_from(vm, args[3], ints ? DT_INT64 : DT_FLOAT64, &t);
    if (st != ST_OK) return st;
    return ints ? arange_ints(vm, range, t, out) : arange_floats(vm, range, t, out);
}

// y = y op number, in place.
static Status apply_number(Vm *vm, OpId op, Value y, double number) {
    Value out;
    const Value args[2] = {y, v_float(number)};
    Status st = array_apply(vm, op, args, 2, y, DT_NONE, &out);
    if (st == ST_OK) release(vm, out);
    return st;
}

// 0 … n-1 spread from start to stop, in NumPy's order of operations.
static Status spread(Vm *vm, Value y, double start, double stop, double parts) {
    double delta = stop - start, step = delta / parts;
    Status st = ST_OK;
    if (parts > 0 && step == 0) {
        st = apply_number(vm, AOP_DIVIDE, y, parts);
        step = delta;
    }
    if (st == ST_OK) st = apply_number(vm, AOP_MULTIPLY, y, parts > 0 ? step : delta);
    return st == ST_OK ? apply_number(vm, AOP_ADD, y, start) : st;
}

static Status set_last(Vm *vm, Value y, double stop) {
    View last;
    array_view(y.array, &last);
    last.offset += (last.shape[0] - 1) * last.strides[0];
    last.shape[0] = 1;
    return array_fill(vm, &last, DT_FLOAT64, (Scalar){.f = stop});
}

static Status in_type(Vm *vm, Value y, DType t, Value *out) {
    Value floored;
    if (!dtype_is_integer(t)) return array_copy(vm, y, t, out);
    Status st = array_apply(vm, AOP_FLOOR, &y, 1, y, DT_NONE, &floored);
    if (st != ST_OK) return st;
    st = array_copy(vm, floored, t, out);
    release(vm, floored);
    return st;
}

static bool is_real(Value v) {
    return is_int(v) || v.kind == K_FLOAT || (v.kind == K_SCALAR && v.aux == DT_FLOAT64);
}

// Between numbers; of arrays, complex numbers and what is not as wide, the slow path.
static Status fn_linspace(Vm *vm, const Value *args, Value *out) {
    double start, stop;
    int64_t n;
    DType t;
    if (!is_real(args[0]) || !is_real(args[1])) return ST_DEFER;
    if (op_as_double(vm, args[0], &start) != ST_OK || op_as_double(vm, args[1], &stop) != ST_OK ||
        op_index(vm, args[2], &n) != ST_OK)
        return op_refused(vm);
    if (n < 0)
        return vm_raise(vm, EXC_ValueError, "Number of samples, %" PRId64 ", must be non-negative.",
                        n);
    bool endpoint = args[3].kind != K_BOOL || args[3].i, pair = args[4].kind == K_BOOL && args[4].i;
    double parts = (double)(endpoint ? n - 1 : n);
    Value y, made = V_UNDEF;
    Status st = dtype_from(vm, args[5], DT_FLOAT64, &t);
    if (st == ST_OK)
        st = sequence(vm, DT_FLOAT64, DT_FLOAT64, (Scalar){.f = 0}, (Scalar){.f = 1}, n, &y);
    if (st != ST_OK) return st;
    st = spread(vm, y, start, stop, parts);
    if (st == ST_OK && endpoint && n > 1) st = set_last(vm, y, stop);
    if (st == ST_OK && t == DT_FLOAT64) made = retain(y);
    else if (st == ST_OK) st = in_type(vm, y, t, &made);
    release(vm, y);
    if (st == ST_OK) *out = made;
    if (st != ST_OK || !pair) return st;
    double step = parts > 0 ? (stop - start) / parts : NAN;
    Value both[2] = {made, v_scalar(DT_FLOAT64, (Scalar){.f = step})};
    return tuple_steal(vm, both, 2, out);
}

const NativeDef numpy_creation[] = {
    {"array", "object, dtype=None, *, copy=True, ndmin=0", fn_array, NULL, PURE},
    {"asarray", "a, dtype=None", fn_asarray, NULL, PURE},
    {"asanyarray", "a, dtype=None", fn_asarray, NULL, PURE},
    {"ascontiguousarray", "a, dtype=None", fn_ascontiguous, NULL, PURE},
    {"zeros", "shape, dtype=None", fn_zeros, NULL, PURE},
    {"empty", "shape, dtype=None", fn_zeros, NULL, PURE},
    {"ones", "shape, dtype=None", fn_ones, NULL, PURE},
    {"full", "shape, fill_value, dtype=None", fn_full, NULL, PURE},
    {"zeros_like", "a, dtype=None, *, shape=None", fn_zeros_like, NULL, PURE},
    {"empty_like", "prototype, dtype=None, *, shape=None", fn_zeros_like, NULL, PURE},
    {"ones_like", "a, dtype=None, *, shape=None", fn_ones_like, NULL, PURE},
    {"full_like", "a, fill_value, dtype=None, *, shape=None", fn_full_like, NULL, PURE},
    {"eye", "N, M=None, k=0, dtype=None", fn_eye, NULL, PURE},
    {"identity", "n, _M=None, _k=0, dtype=None", fn_eye, NULL, PURE},
    {"arange", "start, stop=None, step=None, dtype=None", fn_arange, NULL, PURE},
    {"linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
     fn_linspace, "numpy_linspace", PURE},
    {0},
};
