// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of module numpy that make arrays.

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "stdlib/numpy/numpy.h"
#include "vm/graph/fill.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq_impl.h"
#include "vm/value/str.h"

Status with_array(Vm *vm, Value v, ArrayFn f, Value *out) {
    Value array;
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = f(vm, array, out);
    release(vm, array);
    return st;
}

// --- array, asarray ----------------------------------------------------------------------------

static Status with_ndmin(Vm *vm, Value *v, int64_t ndmin) {
    View view, wide;
    array_view(v->array, &view);
    if (ndmin <= view.ndim) return ST_OK;
    if (ndmin > NDIM_MAX)
        return vm_raise(vm, EXC_ValueError, "ndmin bigger than allowable number of dimensions "
                        "NPY_MAXDIMS (=%d)", NDIM_MAX);
    int missing = (int)ndmin - view.ndim;
    bool fortran = view_is_f_contiguous(&view) && !view_is_contiguous(&view);
    int64_t stride = view.ndim > 0 && !fortran ? view.shape[0] * view.strides[0]
                                               : (int64_t)dtype_size(view.dtype);
    wide = view;
    wide.ndim = (int)ndmin;
    for (int d = 0; d < wide.ndim; d++) {
        wide.shape[d] = d < missing ? 1 : view.shape[d - missing];
        wide.strides[d] = d < missing ? stride : view.strides[d - missing];
    }
    Value made;
    Status st = array_of_view(vm, &wide, *v, &made);
    if (st == ST_OK) replace(vm, v, made);
    return st;
}

typedef enum CopyRule { COPY_NEVER, COPY_ALWAYS, COPY_IF_NEEDED } CopyRule;

static Status copy_rule(Vm *vm, Value v, CopyRule *out) {
    bool always;
    *out = COPY_IF_NEEDED;
    if (v.kind == K_NONE) return ST_OK;
    Status st = op_truth(vm, v, &always);
    if (st == ST_OK) *out = always ? COPY_ALWAYS : COPY_NEVER;
    return st;
}

static Status no_copy(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "Unable to avoid copy while creating an array as "
                    "requested.\nIf using `np.array(obj, copy=False)` replace it with "
                    "`np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy "
                    "1.x).\nFor more details, see https://numpy.org/devdocs/"
                    "numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-keyword.");
}

// Makes an array from v of type t (DT_NONE: v's) with the given memory order. Copies as the rule says.
static Status made_array(Vm *vm, Value v, DType t, Order order, CopyRule rule, Value *out) {
    if (v.kind != K_ARRAY) {
        Value made;
        if (rule == COPY_NEVER) return no_copy(vm);
        Status st = array_from(vm, v, t, &made);
        if (st != ST_OK || array_is_in_order(made.array, order)) {
            if (st == ST_OK) *out = made;
            return st;
        }
        st = array_copy_ordered(vm, made, made.array->dtype, order, out);
        release(vm, made);
        return st;
    }
    if (t == DT_NONE) t = v.array->dtype;
    bool fits = t == v.array->dtype && array_is_in_order(v.array, order);
    if (fits && rule != COPY_ALWAYS) {
        *out = retain(v);
        return ST_OK;
    }
    return rule == COPY_NEVER ? no_copy(vm) : array_copy_ordered(vm, v, t, order, out);
}

static Status array_of_args(Vm *vm, const Value *args, Value *out) { // object, dtype, order, copy
    DType t;
    Order order;
    CopyRule rule;
    Status st = dtype_from(vm, args[1], DT_NONE, &t);
    if (st == ST_OK) st = order_from(vm, args[2], ORDER_K, &order);
    if (st == ST_OK) st = copy_rule(vm, args[3], &rule);
    return st == ST_OK ? made_array(vm, args[0], t, order, rule, out) : st;
}

// Checks device= and like=: the only device is "cpu", and `like` must be an array of this library.
static Status check_place(Vm *vm, Value device, Value like) {
    if (device.kind != K_NONE && !(device.kind == K_STR && str_is(device.str, "cpu")))
        return vm_raise(vm, EXC_ValueError, "Device not understood. Only \"cpu\" is allowed, but "
                        "received: %s", device.kind == K_STR ? device.str->data : type_name(vm, device));
    if (like.kind != K_NONE && like.kind != K_ARRAY)
        return vm_raise(vm, EXC_TypeError, "The `like` argument must be an array-like that implements "
                        "the `__array_function__` protocol.");
    return ST_OK;
}

static Status fn_array(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, V_NONE, args[7]) != ST_OK) return ST_ERROR;
    int64_t ndmin, ndmax;
    Value v;
    if (array_long(vm, args[5], &ndmin) != ST_OK || array_long(vm, args[6], &ndmax) != ST_OK) return op_refused(vm);
    if (ndmax < 0 || ndmax > NDIM_MAX)
        return vm_raise(vm, EXC_ValueError, "ndmax must be in the range [0, NPY_MAXDIMS (%d)] ", NDIM_MAX);
    if (ndmin > ndmax && ndmax < NDIM_MAX)
        return vm_raise(vm, EXC_ValueError, "ndmin must be <= ndmax (%" PRId64 ")", ndmax);
    Status st = array_of_args(vm, (Value[]){args[0], args[1], args[3], args[2]}, &v);
    if (st != ST_OK) return st;
    if (v.array->ndim > ndmax && args[0].kind != K_ARRAY)
        st = vm_raise(vm, EXC_ValueError, "setting an array element with a sequence. The requested array would exceed "
                      "the maximum number of dimension of %" PRId64 ".", ndmax);
    if (st == ST_OK) st = with_ndmin(vm, &v, ndmin);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

static Status fn_asarray(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[4], args[5]) != ST_OK) return ST_ERROR;
    return array_of_args(vm, args, out);
}

static Status fn_copy(Vm *vm, const Value *args, Value *out) {
    return array_of_args(vm, (Value[]){args[0], V_NONE, args[1], v_bool(true)}, out);
}

static Status dense(Vm *vm, const Value *args, Order order, Value *out) {
    DType t;
    Value v;
    Status st = dtype_from(vm, args[1], DT_NONE, &t);
    if (st == ST_OK) st = made_array(vm, args[0], t, order, COPY_IF_NEEDED, &v);
    if (st != ST_OK) return st;
    st = with_ndmin(vm, &v, 1);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

static Status fn_ascontiguous(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, V_NONE, args[2]) != ST_OK) return ST_ERROR;
    return dense(vm, args, ORDER_C, out);
}
static Status fn_asfortran(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, V_NONE, args[2]) != ST_OK) return ST_ERROR;
    return dense(vm, args, ORDER_F, out);
}

// --- Numbers of iterators ----------------------------------------------------------------------

static bool are_numbers(const Value *items, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!is_numpy_scalar(items[i]) && !(is_number(items[i]) && items[i].kind != K_BIGINT)) return false;
    return true;
}

// fromiter of a range, list or tuple of numbers without a count, which can be read as an array. The slow path handles
// iterators.
static Status fn_fromiter(Vm *vm, const Value *args, Value *out) { // iter, dtype, count, like
    DType t;
    Value from = args[0];
    bool known = args[1].kind == K_CLASS || args[1].kind == K_DTYPE;
    bool all = args[2].kind == K_INT && args[2].i < 0;
    if (!known || !all || (from.kind != K_RANGE && from.kind != K_LIST && from.kind != K_TUPLE)) return ST_DEFER;
    if (from.kind == K_LIST && !are_numbers(from.list->items, from.list->len)) return ST_DEFER;
    if (from.kind == K_TUPLE && !are_numbers(from.tuple->items, from.tuple->len)) return ST_DEFER;
    Status st = dtype_from(vm, args[1], DT_FLOAT64, &t);
    return st == ST_OK ? array_from(vm, from, t, out) : st;
}

// --- zeros, ones, full -------------------------------------------------------------------------

// Writes `fill` to all elements. A Python int must fit the type; other values are cast, as by copyto.
static Status spread_fill(Vm *vm, const View *view, Value fill) {
    Value array;
    Scalar s;
    if (is_int(fill)) {
        DType type = view->dtype == DT_BOOL && fill.kind != K_BOOL ? DT_INT64 : view->dtype;
        Status st = scalar_from(vm, fill, type, &s);
        return st == ST_OK ? array_fill(vm, view, type, s) : st;
    }
    Status st = array_from(vm, fill, DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_assign(vm, view, array);
    release(vm, array);
    return st;
}

static size_t bytes_of(DType t, const int64_t *shape, int ndim) { // 0: empty, or overflow
    int64_t bytes = (int64_t)dtype_size(t);
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(bytes, shape[d], &bytes)) return 0;
    return (size_t)bytes;
}

// Finds the value of all elements of a new array. *known: it is known without running nodes or a cast.
static Status value_of_all(Vm *vm, DType t, Room room, Value fill, Scalar *value, bool *known) {
    *known = true;
    *value = (Scalar){.re = 0, .im = 0}; // zeroes the whole union, for any type
    if (room != ROOM_PLACED) return ST_OK;
    if (is_int(fill) && (t != DT_BOOL || fill.kind == K_BOOL)) return scalar_from(vm, fill, t, value);
    *known = fill.kind == K_FLOAT && t == DT_FLOAT64;
    if (*known) value->f = fill.f;
    if (fill.kind != K_ARRAY || fill.array->ndim > 0 || fill.array->dtype != t) return ST_OK;
    const char *at = array_read(vm, fill.array);
    if (!at) return ST_ERROR;
    *known = true;
    *value = dtype_load(t, at);
    return ST_OK;
}

// Makes a large array that records its fill value and gets memory when it is first needed. ST_NOTIMPL: the value is
// not known.
static Status filled_later(Vm *vm, DType t, const int64_t *shape, int ndim, const int *axes, Room room, Value fill, Value *out) {
    Scalar value;
    bool known;
    Value v;
    View view;
    Status st = value_of_all(vm, t, room, fill, &value, &known);
    if (st != ST_OK || !known) return st != ST_OK ? st : ST_NOTIMPL;
    st = array_new_arranged(vm, t, ndim, shape, axes, ROOM_LATER, &v);
    if (st != ST_OK) return st;
    array_view(v.array, &view);
    st = fill_new(vm, &view, value, room == ROOM_EMPTY && t != DT_BOOL);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

// Makes an array and, for ROOM_PLACED, writes `fill` to all elements.
static Status filled(Vm *vm, DType t, const int64_t *shape, int ndim, const int *axes, Room room, Value fill,
                     Value *out) {
    View view;
    Value v;
    Status st = fill_pays(vm, bytes_of(t, shape, ndim))
                    ? filled_later(vm, t, shape, ndim, axes, room, fill, out) : ST_NOTIMPL;
    if (st != ST_NOTIMPL) return st;
    st = array_new_arranged(vm, t, ndim, shape, axes, room, &v);
    if (st != ST_OK || room != ROOM_PLACED) {
        if (st == ST_OK) *out = v;
        return st;
    }
    array_view(v.array, &view);
    st = spread_fill(vm, &view, fill);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

static Status new_filled(Vm *vm, Value shape_arg, Value dtype, Value order_arg, Room room, Value fill,
                         Value *out) {
    int64_t shape[NDIM_MAX];
    int ndim, axes[NDIM_MAX];
    DType t;
    Order order;
    Status st = shape_argument(vm, shape_arg, shape, &ndim);
    if (st == ST_OK) st = dtype_from(vm, dtype, DT_FLOAT64, &t);
    if (st == ST_OK) st = shape_of_new(vm, shape, ndim);
    if (st == ST_OK) st = order_of_new(vm, order_arg, &order);
    if (st != ST_OK) return st;
    axes_straight(ndim, order == ORDER_F, axes);
    return filled(vm, t, shape, ndim, axes, room, fill, out);
}

static Status fn_zeros(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[3], args[4]) != ST_OK) return ST_ERROR;
    return new_filled(vm, args[0], args[1], args[2], ROOM_ZEROED, V_UNDEF, out);
}
static Status fn_empty(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[3], args[4]) != ST_OK) return ST_ERROR;
    return new_filled(vm, args[0], args[1], args[2], ROOM_EMPTY, V_UNDEF, out);
}
static Status fn_ones(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[3], args[4]) != ST_OK) return ST_ERROR;
    return new_filled(vm, args[0], args[1], args[2], ROOM_PLACED, v_int(1), out);
}

static Status fn_full(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[4], args[5]) != ST_OK) return ST_ERROR;
    Value fill, dtype;
    if (args[2].kind != K_NONE) return new_filled(vm, args[0], args[2], args[3], ROOM_PLACED, args[1], out);
    Status st = array_from(vm, args[1], DT_NONE, &fill);
    if (st != ST_OK) return st;
    st = dtype_out(vm, fill.array->dtype, &dtype);
    if (st == ST_OK) {
        st = new_filled(vm, args[0], dtype, args[3], ROOM_PLACED, fill, out);
        release(vm, dtype);
    }
    release(vm, fill);
    return st;
}

// Makes an array like another one. args: a, dtype, order, subok, shape.
static Status like(Vm *vm, const Value *args, Room room, Value fill, Value *out) {
    Value array;
    DType t;
    View view;
    Order order;
    int64_t shape[NDIM_MAX];
    int ndim, axes[NDIM_MAX];
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    array_view(array.array, &view);
    ndim = view.ndim;
    memcpy(shape, view.shape, (size_t)ndim * sizeof *shape);
    st = dtype_from(vm, args[1], view.dtype, &t);
    if (st == ST_OK) st = order_from(vm, args[2], ORDER_K, &order);
    if (st == ST_OK && args[4].kind != K_NONE) st = shape_argument(vm, args[4], shape, &ndim);
    if (st == ST_OK) st = shape_of_new(vm, shape, ndim);
    if (st == ST_OK) {
        axes_in_order(&view, order, axes);
        if (ndim != view.ndim)
            axes_straight(ndim, order == ORDER_F ||
                          (order == ORDER_A && !array_is_in_order(array.array, ORDER_C) &&
                           array_is_in_order(array.array, ORDER_F)), axes);
        st = filled(vm, t, shape, ndim, axes, room, fill, out);
    }
    release(vm, array);
    return st;
}

static Status fn_zeros_like(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[5], V_NONE) != ST_OK) return ST_ERROR;
    return like(vm, args, ROOM_ZEROED, V_UNDEF, out);
}
static Status fn_empty_like(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[5], V_NONE) != ST_OK) return ST_ERROR;
    return like(vm, args, ROOM_EMPTY, V_UNDEF, out);
}
static Status fn_ones_like(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[5], V_NONE) != ST_OK) return ST_ERROR;
    return like(vm, args, ROOM_PLACED, v_int(1), out);
}
static Status fn_full_like(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[6], V_NONE) != ST_OK) return ST_ERROR;
    const Value others[] = {args[0], args[2], args[3], args[4], args[5]};
    return like(vm, others, ROOM_PLACED, args[1], out);
}

// --- eye, arange, linspace ---------------------------------------------------------------------

// Makes a rows x cols matrix of zeros with ones on the k-th diagonal.
static Status diagonal_ones(Vm *vm, int64_t rows, int64_t cols, int64_t k, DType t, bool fortran,
                            Value *out) {
    View diagonal;
    int axes[2];
    if (rows < 0 || cols < 0)
        return vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    axes_straight(2, fortran, axes);
    Status st = array_new_arranged(vm, t, 2, (int64_t[]){rows, cols}, axes, ROOM_ZEROED, out);
    if (st != ST_OK || k <= -rows || k >= cols) return st;
    array_view(out->array, &diagonal);
    int64_t row = k < 0 ? -k : 0, col = k < 0 ? 0 : k;
    diagonal.offset += row * diagonal.strides[0] + col * diagonal.strides[1];
    diagonal.ndim = 1;
    diagonal.shape[0] = rows - row < cols - col ? rows - row : cols - col;
    diagonal.strides[0] += diagonal.strides[1];
    st = array_fill(vm, &diagonal, DT_INT64, (Scalar){.i = 1});
    if (st != ST_OK) release(vm, *out);
    return st;
}

// Reads the number of a diagonal. An int beyond 64 bits is clamped, as no matrix has such a diagonal.
static Status which_diagonal(Vm *vm, Value v, int64_t *out) {
    return v.kind == K_BIGINT ? seq_bound(vm, v, BOUND_ONLY, 0, out) : array_long(vm, v, out);
}

static Status fn_eye(Vm *vm, const Value *args, Value *out) { // N, M, k, dtype, order
    if (check_place(vm, args[5], args[6]) != ST_OK) return ST_ERROR;
    int64_t rows, cols, k;
    DType t;
    Order order;
    if (array_long(vm, args[0], &rows) != ST_OK || which_diagonal(vm, args[2], &k) != ST_OK)
        return op_refused(vm);
    cols = rows;
    if (args[1].kind != K_NONE && array_long(vm, args[1], &cols) != ST_OK) return op_refused(vm);
    Status st = dtype_from(vm, args[3], DT_FLOAT64, &t);
    if (st == ST_OK) st = order_of_new(vm, args[4], &order);
    return st == ST_OK ? diagonal_ones(vm, rows, cols, k, t, order == ORDER_F, out) : st;
}

static Status fn_identity(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, V_NONE, args[2]) != ST_OK) return ST_ERROR;
    int64_t n;
    DType t;
    if (array_long(vm, args[0], &n) != ST_OK) return op_refused(vm);
    Status st = dtype_from(vm, args[1], DT_FLOAT64, &t);
    return st == ST_OK ? diagonal_ones(vm, n, n, 0, t, false, out) : st;
}

// Makes the arithmetic sequence of n elements with the given first two. `given`: the type of these two.
static Status sequence(Vm *vm, DType t, DType given, Scalar first, Scalar second, int64_t n,
                       Value *out) {
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
    node_output_array(node, made.array);
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

// Checks that the first two elements fit an integer type, as in NumPy, which computes all others from these and lets
// them wrap around.
static Status first_fit(Vm *vm, Value first, Value second, int64_t n, DType t) {
    Scalar unused;
    if (!dtype_is_integer(t)) return ST_OK;
    Status st = n > 0 ? scalar_from(vm, first, t, &unused) : ST_OK;
    return st == ST_OK && n > 1 ? scalar_from(vm, second, t, &unused) : st;
}

static Status arange_ints(Vm *vm, const Value *args, DType t, Value *out) {
    int64_t start, stop, step;
    if (array_long(vm, args[0], &start) != ST_OK || array_long(vm, args[1], &stop) != ST_OK ||
        array_long(vm, args[2], &step) != ST_OK)
        return op_refused(vm);
    if (step == 0) return vm_raise(vm, EXC_ZeroDivisionError, "division by zero");
    bool up = step > 0, any = up ? start < stop : start > stop;
    uint64_t span = up ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t stride = up ? (uint64_t)step : 0 - (uint64_t)step, count = (span - 1) / stride + 1;
    if (any && count > INT64_MAX)
        return vm_raise(vm, EXC_ValueError, "Maximum allowed size exceeded");
    int64_t n = any ? (int64_t)count : 0;
    Scalar first = {.i = start}, second = {.i = (int64_t)((uint64_t)start + (uint64_t)step)};
    if (first_fit(vm, v_int(first.i), v_int(second.i), n, t) != ST_OK) return ST_ERROR;
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
    if (first_fit(vm, v_float(start), v_float(start + step), n, t) != ST_OK) return ST_ERROR;
    return sequence(vm, t, DT_FLOAT64, (Scalar){.f = start}, (Scalar){.f = start + step}, n, out);
}

static Status fn_arange(Vm *vm, const Value *args, Value *out) {
    if (check_place(vm, args[4], args[5]) != ST_OK) return ST_ERROR;
    Value range[3] = {args[0], args[1], args[2]};
    DType t;
    if (args[0].kind == K_NONE)
        return vm_raise(vm, EXC_TypeError, "unsupported operand type(s) for -: '%s' and '%s'",
                        args[1].kind == K_NONE ? "NoneType" : type_name(vm, args[1]),
                        args[1].kind == K_NONE ? "int" : "NoneType");
    if (args[1].kind == K_NONE) {
        range[0] = v_int(0);
        range[1] = args[0];
    }
    if (args[2].kind == K_NONE) range[2] = v_int(1);
    for (int i = 0; i < 3; i++)
        if (range[i].kind == K_STR)
            return vm_raise(vm, EXC_TypeError, "arange() not supported for inputs with DType <class "
                            "'numpy.dtypes.StrDType'>.");
    bool ints = is_integral(range[0]) && is_integral(range[1]) && is_integral(range[2]);
    Status st = dtype_from(vm, args[3], ints ? DT_INT64 : DT_FLOAT64, &t);
    if (st != ST_OK) return st;
    return ints ? arange_ints(vm, range, t, out) : arange_floats(vm, range, t, out);
}

// Computes y = y op number in place.
static Status apply_number(Vm *vm, OpId op, Value y, double number) {
    Value out;
    const Value args[2] = {y, v_float(number)};
    Status st = array_apply(vm, op, args, 2, y, DT_NONE, &out);
    if (st == ST_OK) release(vm, out);
    return st;
}

// Maps y = 0 … n-1 in place to the range from start to stop, with NumPy's order of operations.
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

// linspace between two real numbers. The slow path handles arrays, complex numbers and narrower types.
static Status fn_linspace(Vm *vm, const Value *args, Value *out) {
    double start, stop;
    int64_t n;
    DType t;
    if (check_place(vm, args[7], V_NONE) != ST_OK) return ST_ERROR;
    if (!is_real(args[0]) || !is_real(args[1]) || args[6].kind != K_INT || args[6].i != 0) return ST_DEFER;
    if (op_as_double(vm, args[0], &start) != ST_OK || op_as_double(vm, args[1], &stop) != ST_OK ||
        array_long(vm, args[2], &n) != ST_OK)
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

static Status fn_frombuffer(Vm *vm, const Value *args, Value *out) {
    if (args[4].kind != K_NONE)
        return vm_raise(vm, EXC_NotImplementedError, "frombuffer(like=…): other libraries' arrays");
    return array_from_buffer(vm, args, out);
}

#define PLACE ", device=None, like=None"
const NativeDef numpy_creation[] = {
    {"array", "object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=64, like=None"
     "\nAn array of a nested sequence, a number or another array, which is copied. Its type is\n"
     "the smallest of int64, float64, complex128 that holds all.\n\n"
     ">>> np.array([[1, 2], [3, 4.5]])\narray([[1. , 2. ],\n       [3. , 4.5]])\n"
     ">>> np.array([1, 2], dtype=np.float32)\narray([1., 2.], dtype=float32)",
     fn_array, NULL, PURE},
    {"asarray", "a, dtype=None, order=None, *, copy=None" PLACE
     "\nThe array itself where it is one of that type and order, otherwise a new one.\n"
     "\n>>> np.asarray([1, 2, 3])\narray([1, 2, 3])",
     fn_asarray, NULL, PURE},
    {"asanyarray", "a, dtype=None, order=None, *, copy=None" PLACE
     "\nThe same as asarray: there are no subclasses of arrays.\n"
     "\n>>> np.asanyarray((1.5, 2))\narray([1.5, 2. ])",
     fn_asarray, NULL, PURE},
    {"copy", "a, order='K', subok=False"
     "\nA copy, in the order in which the elements lie unless another is asked for.\n"
     "\n>>> np.copy([1, 2])\narray([1, 2])",
     fn_copy, NULL, PURE},
    {"ascontiguousarray", "a, dtype=None, *, like=None"
     "\nThe array in C order, of one dimension at least; the same one if it is.\n"
     "\n>>> np.ascontiguousarray(np.ones((2, 3)).T).flags.c_contiguous\nTrue",
     fn_ascontiguous, NULL, PURE},
    {"asfortranarray", "a, dtype=None, *, like=None"
     "\nThe array in Fortran's order, of one dimension at least; the same one if it is.\n"
     "\n>>> np.asfortranarray(np.ones((2, 3))).strides\n(8, 16)",
     fn_asfortran, NULL, PURE},
    {"fromiter", "iter, dtype, count=-1, *, like=None"
     "\nThe numbers of an iterator, all or `count` of them, as an array of one dimension.\n"
     "\n>>> np.fromiter((n * n for n in range(4)), dtype=int)\narray([0, 1, 4, 9])",
     fn_fromiter, "numpy_fromiter", PURE},
    {"frombuffer", "buffer, dtype=?, count=-1, offset=0, *, like=None"
     "\nAn array over the memory of bytes, which can only be read.\n"
     "\n>>> np.frombuffer(b'\\x01\\x00\\x02\\x00', dtype=np.int16)\narray([1, 2], dtype=int16)",
     fn_frombuffer, NULL, PURE},
    {"zeros", "shape, dtype=None, order='C', *" PLACE
     "\nA new array of zeros.\n"
     "\n>>> np.zeros((2, 3))\narray([[0., 0., 0.],\n       [0., 0., 0.]])\n"
     ">>> np.zeros(2, dtype=int)\narray([0, 0])",
     fn_zeros, NULL, PURE},
    {"empty", "shape, dtype=None, order='C', *" PLACE
     "\nA new array whose elements are whatever was in the memory: zeros, or what this program had there.\n"
     "\n>>> np.empty((2, 3)).shape\n(2, 3)",
     fn_empty, NULL, PURE},
    {"ones", "shape, dtype=None, order='C', *" PLACE
     "\nA new array of ones.\n"
     "\n>>> np.ones(3, dtype=np.int8)\narray([1, 1, 1], dtype=int8)",
     fn_ones, NULL, PURE},
    {"full", "shape, fill_value, dtype=None, order='C', *" PLACE
     "\nA new array of one value; its type is the value's unless another is asked for.\n"
     "\n>>> np.full((2, 2), 7)\narray([[7, 7],\n       [7, 7]])",
     fn_full, NULL, PURE},
    {"zeros_like", "a, dtype=None, order='K', subok=True, shape=None, *, device=None"
     "\nZeros with the shape, type and order of another array.\n"
     "\n>>> np.zeros_like([[1, 2], [3, 4]])\narray([[0, 0],\n       [0, 0]])",
     fn_zeros_like, NULL, PURE},
    {"empty_like", "prototype, dtype=None, order='K', subok=True, shape=None, *, device=None"
     "\nA new array with the shape, type and order of another one.\n"
     "\n>>> np.empty_like([1, 2, 3]).dtype\ndtype('int64')",
     fn_empty_like, NULL, PURE},
    {"ones_like", "a, dtype=None, order='K', subok=True, shape=None, *, device=None"
     "\nOnes with the shape, type and order of another array.\n"
     "\n>>> np.ones_like([1.5, 2.5])\narray([1., 1.])",
     fn_ones_like, NULL, PURE},
    {"full_like", "a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None"
     "\nOne value with the shape, type and order of another array.\n"
     "\n>>> np.full_like([1, 2, 3], 9)\narray([9, 9, 9])",
     fn_full_like, NULL, PURE},
    {"eye", "N, M=None, k=0, dtype=None, order='C', *" PLACE
     "\nOnes on a diagonal, zeros elsewhere.\n"
     "\n>>> np.eye(2, 3, k=1)\narray([[0., 1., 0.],\n       [0., 0., 1.]])",
     fn_eye, NULL, PURE},
    {"identity", "n, dtype=None, *, like=None"
     "\nThe square matrix that changes nothing it is multiplied with.\n"
     "\n>>> np.identity(2)\narray([[1., 0.],\n       [0., 1.]])",
     fn_identity, NULL, PURE},
    {"arange", "start, stop=None, step=None, dtype=None, *" PLACE
     "\nNumbers from start up to, not with, stop. A last one may go beyond stop where a float\n"
     "step is rounded.\n\n>>> np.arange(3)\narray([0, 1, 2])\n>>> np.arange(1, 2, 0.25)\n"
     "array([1.  , 1.25, 1.5 , 1.75])",
     fn_arange, NULL, PURE},
    {"linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None"
     "\nSo many numbers at equal distances from start to stop, which is the last one unless\n"
     "endpoint=False.\n\n>>> np.linspace(0, 1, 5)\narray([0.  , 0.25, 0.5 , 0.75, 1.  ])\n"
     ">>> np.linspace(0, 1, 4, endpoint=False)\narray([0.  , 0.25, 0.5 , 0.75])",
     fn_linspace, "numpy_linspace", PURE},
    {0},
};
