// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Functions of module numpy for shapes, joining, selecting, comparing whole arrays, and differences.

#include <inttypes.h>
#include <string.h>

#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/array/index.h"
#include "vm/array/walk.h"
#include "vm/value/class.h"
#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

// --- Shapes ------------------------------------------------------------------------------------

static Status fn_reshape(Vm *vm, const Value *args, Value *out) { // a, shape, order, copy
    if (args[1].kind == K_NONE || args[3].kind != K_NONE) return ST_DEFER;
    Value array;
    int64_t shape[NDIM_MAX];
    int ndim;
    Order order;
    Status st = shape_from(vm, args[1], shape, &ndim);
    if (st == ST_OK) st = order_from(vm, args[2], ORDER_C, &order);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_reshape_ordered(vm, array, shape, ndim, order, out);
    release(vm, array);
    return st == ST_OK && is_numpy_scalar(args[0]) ? array_to_scalar(vm, out) : st;
}

// Returns item i of a tuple or list. A single item, or a value that is neither, is used for all i.
static Value one_of(Value v, size_t i) {
    if (v.kind != K_TUPLE && v.kind != K_LIST) return v;
    size_t n = v.kind == K_TUPLE ? v.tuple->len : v.list->len;
    return (v.kind == K_TUPLE ? v.tuple->items : v.list->items)[n == 1 ? 0 : i];
}

// Returns the number of items of a tuple or list; 1 for any other value.
static size_t count_of(Value v) {
    return v.kind == K_TUPLE ? v.tuple->len : v.kind == K_LIST ? v.list->len : 1;
}

// Converts an argument with numbers for axes, an array or a range, to a list, owned. Other values are returned as they
// are, with a new reference.
static Status numbers_of(Vm *vm, Value v, Value *out) {
    Status st = array_stand_in(vm, &v);
    if (st != ST_OK) return st;
    if (v.kind == K_ARRAY && v.array->ndim == 1) return array_tolist(vm, v, out);
    if (v.kind == K_RANGE) return op_to_list(vm, v, out);
    *out = retain(v);
    return ST_OK;
}

static Status transposed(Vm *vm, const Value *args, Value *out) {
    Value array;
    int order[NDIM_MAX], ndim;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    ndim = array.array->ndim;
    bool given = args[1].kind != K_NONE;
    if (given) {
        if (count_of(args[1]) != (size_t)ndim)
            st = vm_raise(vm, EXC_ValueError, "axes don't match array");
        for (int d = 0; st == ST_OK && d < ndim; d++) {
            st = axis_from(vm, one_of(args[1], (size_t)d), ndim, &order[d]);
            for (int e = 0; st == ST_OK && e < d; e++)
                if (order[e] == order[d])
                    st = vm_raise(vm, EXC_ValueError, "repeated axis in transpose");
        }
    }
    if (st == ST_OK) st = array_transpose(vm, array, given ? order : NULL, out);
    release(vm, array);
    return st == ST_OK && is_numpy_scalar(args[0]) ? array_to_scalar(vm, out) : st;
}

static Status fn_transpose(Vm *vm, const Value *args, Value *out) {
    Value axes;
    Status st = numbers_of(vm, args[1], &axes);
    if (st != ST_OK) return st;
    st = transposed(vm, (Value[]){args[0], axes}, out);
    release(vm, axes);
    return st;
}

static Status too_many_dimensions(Vm *vm, int ndim) {
    return vm_raise(vm, EXC_ValueError, "maximum supported dimension for an ndarray is currently "
                    "%d, found %d", NDIM_MAX, ndim);
}

// Reads an axis or several: those axes of the result that are new. ndim: without them.
static Status new_axes(Vm *vm, Value v, int ndim, AxisSet *out) {
    size_t count = count_of(v);
    *out = 0;
    if (count + (size_t)ndim > NDIM_MAX) return too_many_dimensions(vm, ndim + (int)count);
    for (size_t i = 0; i < count; i++) {
        int axis;
        Status st = axis_normal(vm, one_of(v, i), ndim + (int)count, "", &axis);
        if (st != ST_OK) return st;
        if (*out >> axis & 1) return vm_raise(vm, EXC_ValueError, "repeated axis");
        *out |= axis_bit(axis);
    }
    return ST_OK;
}

static Status fn_expand_dims(Vm *vm, const Value *args, Value *out) {
    Value array;
    View view, wide;
    AxisSet axes;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    array_view(array.array, &view);
    st = new_axes(vm, args[1], view.ndim, &axes);
    if (st == ST_OK) {
        wide.ndim = view.ndim + (int)count_of(args[1]);
        for (int d = 0, from = 0; d < wide.ndim; d++)
            wide.shape[d] = axes >> d & 1 ? 1 : view.shape[from++];
        st = array_reshape(vm, array, wide.shape, wide.ndim, out);
    }
    release(vm, array);
    return st;
}

// Raises ValueError unless `view` broadcasts to the shape of `wide`.
static Status check_stretch(Vm *vm, const View *view, const View *wide) {
    if (wide->ndim == 0 && view->ndim > 0)
        return vm_raise(vm, EXC_ValueError, "cannot broadcast a non-scalar to a scalar array");
    for (int d = 0; d < wide->ndim; d++)
        if (wide->shape[d] < 0)
            return vm_raise(vm, EXC_ValueError, "all elements of broadcast shape must be non-negative");
    if (view->ndim > wide->ndim)
        return vm_raise(vm, EXC_ValueError, "input operand has more dimensions than allowed by the "
                        "axis remapping");
    bool good = true;
    for (int d = 1; d <= view->ndim; d++) {
        int64_t extent = view->shape[view->ndim - d];
        good = good && (extent == 1 || extent == wide->shape[wide->ndim - d]);
    }
    if (good) return ST_OK;
    Buf text;
    buf_init(&text, &vm->mem);
    buf_puts(&text, "operands could not be broadcast together with remapped shapes "
                    "[original->remapped]: ");
    shape_text_tight(view->shape, view->ndim, &text);
    buf_puts(&text, "  and requested shape ");
    shape_text_tight(wide->shape, wide->ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm) : vm_raise(vm, EXC_ValueError, "%s", text.data);
    buf_free(&text);
    return st;
}

static Status fn_as_strided(Vm *vm, const Value *args, Value *out) { // x, shape, strides, writeable
    Value array;
    bool writeable;
    Status st = op_truth(vm, args[3], &writeable);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_as_strided(vm, array, args[1], args[2], writeable, out);
    release(vm, array);
    return st;
}

static Status fn_may_share_memory(Vm *vm, const Value *args, Value *out) {
    Value pair[2] = {V_UNDEF, V_UNDEF};
    Status st = array_from(vm, args[0], DT_NONE, &pair[0]);
    if (st == ST_OK) st = array_from(vm, args[1], DT_NONE, &pair[1]);
    if (st == ST_OK) {
        View a, b;
        array_view(pair[0].array, &a);
        array_view(pair[1].array, &b);
        *out = v_bool(view_may_overlap(&a, &b));
    }
    release(vm, pair[0]);
    release(vm, pair[1]);
    return st;
}

// Raises NumPy's ValueError if the number of elements overflows. NumPy checks it before the number of bytes.
static Status check_count(Vm *vm, const View *view) {
    int64_t count = 1;
    for (int d = 0; d < view->ndim; d++)
        if (__builtin_mul_overflow(count, view->shape[d], &count))
            return vm_raise(vm, EXC_ValueError, "iterator is too large");
    return ST_OK;
}

static Status fn_broadcast_to(Vm *vm, const Value *args, Value *out) {
    Value array;
    View view, wide;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    array_view(array.array, &view);
    wide.dtype = view.dtype;
    st = shape_from(vm, args[1], wide.shape, &wide.ndim);
    if (st == ST_OK) st = check_stretch(vm, &view, &wide);
    if (st == ST_OK) st = check_count(vm, &wide);
    if (st == ST_OK) st = view_check_size(vm, &wide);
    if (st == ST_OK) {
        view_broadcast(&view, wide.shape, wide.ndim);
        st = array_of_view(vm, &view, array, out);
        if (st == ST_OK) out->array->readonly = true;
    }
    release(vm, array);
    return st;
}

// --- Joining -----------------------------------------------------------------------------------

typedef enum JoinRule { JOIN_AS_IS, JOIN_FLAT, JOIN_ROWS, JOIN_COLUMNS, JOIN_STACK } JoinRule;

static Status stack_shapes_differ(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "all input arrays must have the same shape");
}

// Makes an array of a part, with the dimensions that the rule needs: vstack makes vectors to rows, stack adds an axis.
static Status prepare_part(Vm *vm, Value v, JoinRule rule, int axis, Value *out) {
    Value array;
    int64_t shape[NDIM_MAX];
    Status st = array_from(vm, v, DT_NONE, &array);
    if (st != ST_OK) return st;
    int ndim = array.array->ndim;
    bool grows = rule == JOIN_STACK || (rule == JOIN_ROWS && ndim < 2) ||
                 (rule == JOIN_COLUMNS && ndim < 1);
    if (rule == JOIN_STACK && (ndim < axis || ndim == NDIM_MAX)) {
        release(vm, array);
        return ndim < axis ? stack_shapes_differ(vm) : too_many_dimensions(vm, ndim + 1);
    }
    if (rule == JOIN_FLAT) {
        st = array_ravel(vm, array, false, out);
        release(vm, array);
        return st;
    }
    if (!grows) {
        *out = array;
        return ST_OK;
    }
    memcpy(shape, array_shape(array.array), (size_t)ndim * sizeof *shape);
    if (rule == JOIN_STACK) {
        memmove(shape + axis + 1, shape + axis, (size_t)(ndim - axis) * sizeof *shape);
        shape[axis] = 1;
        ndim++;
    } else if (rule == JOIN_ROWS) {
        shape[1] = ndim == 0 ? 1 : shape[0];
        shape[0] = 1;
        ndim = 2;
    } else {
        shape[0] = 1;
        ndim = 1;
    }
    st = array_reshape(vm, array, shape, ndim, out);
    release(vm, array);
    return st;
}

static Status parts_of(Vm *vm, Value sequence, JoinRule rule, Value axis_arg, List **parts,
                       int *axis) {
    Value list;
    Status st = array_stand_in(vm, &sequence);
    if (st != ST_OK) return st;
    st = op_to_list(vm, sequence, &list);
    if (st == ST_DEFER || (st == ST_ERROR && rule > JOIN_FLAT && vm_error_is(vm, EXC_TypeError)))
        return vm_raise(vm, EXC_TypeError, rule <= JOIN_FLAT
                        ? "The first input argument needs to be a sequence"
                        : "arrays to stack must be passed as a \"sequence\" type such as list or tuple.");
    if (st != ST_OK) return st;
    *parts = list.list;
    if (list.list->len == 0)
        st = vm_raise(vm, EXC_ValueError,
                      rule == JOIN_STACK ? "need at least one array to stack"
                                         : "need at least one array to concatenate");
    if (st == ST_OK && rule == JOIN_STACK) {
        Value first;
        st = array_from(vm, list.list->items[0], DT_NONE, &first);
        if (st == ST_OK) {
            st = axis_normal(vm, axis_arg, first.array->ndim + 1, "", axis);
            release(vm, first);
        }
    }
    for (size_t i = 0; st == ST_OK && i < list.list->len; i++) {
        Value part;
        st = prepare_part(vm, list.list->items[i], rule, *axis, &part);
        if (st != ST_OK) break;
        replace(vm, &list.list->items[i], part);
        if (rule != JOIN_STACK || i == 0) continue;
        Array *a = list.list->items[0].array, *b = part.array;
        if (a->ndim != b->ndim || memcmp(array_shape(a), array_shape(b), (size_t)a->ndim * 8))
            st = stack_shapes_differ(vm);
    }
    if (st != ST_OK) release(vm, list);
    return st;
}

static Status join(Vm *vm, Value sequence, JoinRule rule, Value axis_arg, Value dtype, Value *out) {
    List *parts = NULL;
    int axis = 0;
    DType t;
    Status st = rule == JOIN_AS_IS ? axis_argument(vm, axis_arg) : ST_OK;
    if (st == ST_OK) st = dtype_from(vm, dtype, DT_NONE, &t);
    if (st == ST_OK) st = parts_of(vm, sequence, rule, axis_arg, &parts, &axis);
    if (st != ST_OK) return st;
    if (rule == JOIN_COLUMNS) axis = parts->items[0].array->ndim > 1;
    if (rule == JOIN_AS_IS && parts->items[0].array->ndim > 0)
        st = axis_from(vm, axis_arg, parts->items[0].array->ndim, &axis);
    if (st == ST_OK) st = array_concatenate(vm, parts->items, parts->len, axis, t, out);
    release(vm, v_obj(parts));
    return st;
}

static bool is_same_kind(Value casting) {
    return casting.kind == K_STR && str_is(casting.str, "same_kind");
}

static Status fn_concatenate(Vm *vm, const Value *args, Value *out) { // arrays, axis, out, dtype, casting
    if (args[2].kind != K_NONE || !is_same_kind(args[4])) return ST_DEFER;
    return join(vm, args[0], args[1].kind == K_NONE ? JOIN_FLAT : JOIN_AS_IS, args[1], args[3], out);
}
static Status fn_stack(Vm *vm, const Value *args, Value *out) { // arrays, axis, out, dtype, casting
    if (args[2].kind != K_NONE || !is_same_kind(args[4])) return ST_DEFER;
    return join(vm, args[0], JOIN_STACK, args[1], args[3], out);
}
static Status fn_vstack(Vm *vm, const Value *args, Value *out) { // tup, dtype, casting
    if (!is_same_kind(args[2])) return ST_DEFER;
    return join(vm, args[0], JOIN_ROWS, v_int(0), args[1], out);
}
static Status fn_hstack(Vm *vm, const Value *args, Value *out) { // tup, dtype, casting
    if (!is_same_kind(args[2])) return ST_DEFER;
    return join(vm, args[0], JOIN_COLUMNS, v_int(0), args[1], out);
}

// --- where, dot, matmul ------------------------------------------------------------------------

// Converts a Python int for where(). NumPy makes an array of the int first and casts that to the type of the other
// value, so an int that does not fit wraps around.
static Status fitting_int(Vm *vm, Value v, Value other, Value *out) {
    DType wide = DT_INT64, type = DT_INT64;
    Scalar s;
    *out = retain(v);
    if (v.kind != K_INT && v.kind != K_BIGINT) return ST_OK;
    if (other.kind == K_ARRAY) type = other.array->dtype;
    else if (is_numpy_scalar(other)) type = scalar_dtype(other);
    else if (!is_int(other)) return ST_OK;
    if (type == DT_BOOL) type = DT_INT64; // the common type of bool and a Python int
    if (!dtype_is_integer(type)) return ST_OK;
    if (scalar_from(vm, v, type, &s) == ST_OK) return ST_OK;
    vm_clear_error(vm);
    if (scalar_from(vm, v, wide, &s) != ST_OK) {
        vm_clear_error(vm);
        wide = DT_UINT64;
        if (scalar_from(vm, v, wide, &s) != ST_OK) return ST_ERROR;
    }
    release(vm, *out);
    return scalar_out(vm, type, dtype_convert(wide, type, s), out);
}

static Status fn_where(Vm *vm, const Value *args, Value *out) {
    if (args[1].kind == K_UNDEF) return with_array(vm, args[0], array_nonzero, out);
    if (args[2].kind == K_UNDEF)
        return vm_raise(vm, EXC_ValueError, "either both or neither of x and y should be given");
    Value parts[3] = {args[0], V_UNDEF, V_UNDEF};
    Status st = fitting_int(vm, args[1], args[2], &parts[1]);
    if (st == ST_OK) st = fitting_int(vm, args[2], args[1], &parts[2]);
    if (st == ST_OK) st = array_apply(vm, AOP_WHERE, parts, 3, V_UNDEF, DT_NONE, out);
    release(vm, parts[1]);
    release(vm, parts[2]);
    if (st == ST_NOTIMPL) return vm_raise(vm, EXC_NotImplementedError, "where of objects");
    if (st != ST_OK || out->kind == K_ARRAY) return st;
    Value scalar = *out; // where returns an array even for 0 dimensions
    st = array_from(vm, scalar, DT_NONE, out);
    release(vm, scalar);
    return st;
}

// matmul(x1, x2, out, casting, order, dtype, subok, signature, axes, axis, keepdims), if all arguments but x1 and x2
// have their defaults; the slow path handles the rest.
static Status fn_matmul(Vm *vm, const Value *args, Value *out) {
    static const int absent[] = {2, 5, 8, 9};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (args[absent[i]].kind != K_NONE) return ST_DEFER;
    if (!is_same_kind(args[3]) || args[10].kind != K_BOOL || args[10].i) return ST_DEFER;
    if (args[4].kind != K_STR || !str_is(args[4].str, "K") || args[7].kind != K_UNDEF) return ST_DEFER;
    return array_matmul(vm, args[0], args[1], out);
}

static Status fn_outer(Vm *vm, const Value *args, Value *out) { // a, b, out
    Value a = V_UNDEF, b = V_UNDEF, column = V_UNDEF, into;
    int64_t shape[2] = {-1, 1}, flat[1] = {-1};
    Status st = ufunc_output(vm, args[2], &into);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &a);
    if (st == ST_OK) st = array_reshape(vm, a, shape, 2, &column);
    Value other, row = V_UNDEF;
    if (st == ST_OK) st = array_from(vm, args[1], DT_NONE, &other);
    if (st == ST_OK) {
        b = other;
        st = array_reshape(vm, b, flat, 1, &row);
    }
    if (st == ST_OK)
        st = array_apply(vm, AOP_MULTIPLY, (Value[]){column, row}, 2, into, DT_NONE, out);
    release(vm, a);
    release(vm, b);
    release(vm, column);
    release(vm, row);
    return st;
}

// --- Whole arrays compared ---------------------------------------------------------------------

static Status all_of(Vm *vm, Value v, bool *out) {
    if (v.kind != K_ARRAY) return op_truth(vm, v, out);
    Value all;
    AxisSet axes;
    Status st = axes_from(vm, V_NONE, v.array->ndim, &axes);
    if (st == ST_OK) st = array_reduce(vm, AOP_ALL, v, axes, false, DT_NONE, &all);
    if (st == ST_OK) *out = all.i != 0;
    return st;
}

static Status both(Vm *vm, OpId op, Value a, Value b, int count, Value *out) { // consumes a and b
    Status st = array_apply(vm, op, (Value[]){a, b}, count, V_UNDEF, DT_NONE, out);
    release(vm, a);
    if (count == 2) release(vm, b);
    if (st == ST_NOTIMPL) st = vm_raise(vm, EXC_TypeError, "not a number or an array of numbers");
    return st;
}

// Returns v with 0 where `finite` is false, so that computing with it raises no float errors.
static Status masked(Vm *vm, Value finite, Value v, Value *out) {
    return array_apply(vm, AOP_WHERE, (Value[]){finite, v, v_float(0)}, 3, V_UNDEF, DT_NONE, out);
}

static Status both_finite(Vm *vm, Value a, Value b, Value *out) {
    Value fa, fb;
    Status st = both(vm, AOP_ISFINITE, retain(a), V_UNDEF, 1, &fa);
    if (st != ST_OK) return st;
    st = both(vm, AOP_ISFINITE, retain(b), V_UNDEF, 1, &fb);
    if (st == ST_OK) return both(vm, AOP_LOGICAL_AND, fa, fb, 2, out);
    release(vm, fa);
    return st;
}

// Computes |a - b| <= atol + rtol * |b| for finite a and b.
static Status within(Vm *vm, Value a, Value b, Value rtol, Value atol, Value *out) {
    Value diff = V_UNDEF, bound = V_UNDEF;
    Status st = array_apply(vm, AOP_SUBTRACT, (Value[]){a, b}, 2, V_UNDEF, DT_NONE, &diff);
    if (st == ST_OK) st = both(vm, AOP_ABSOLUTE, diff, V_UNDEF, 1, &diff);
    if (st != ST_OK) return st;
    st = both(vm, AOP_ABSOLUTE, retain(b), V_UNDEF, 1, &bound);
    if (st == ST_OK) st = both(vm, AOP_MULTIPLY, bound, retain(rtol), 2, &bound);
    if (st == ST_OK) st = both(vm, AOP_ADD, bound, retain(atol), 2, &bound);
    if (st == ST_OK) return both(vm, AOP_LESS_EQUAL, diff, bound, 2, out);
    release(vm, diff);
    return st;
}

static Status both_nan(Vm *vm, Value a, Value b, Value *out) {
    Value na, nb;
    Status st = both(vm, AOP_ISNAN, retain(a), V_UNDEF, 1, &na);
    if (st != ST_OK) return st;
    st = both(vm, AOP_ISNAN, retain(b), V_UNDEF, 1, &nb);
    if (st == ST_OK) return both(vm, AOP_LOGICAL_AND, na, nb, 2, out);
    release(vm, na);
    return st;
}

// Computes *v = *v or other; consumes `other`.
static Status or_with(Vm *vm, Value *v, Value other) {
    Value result;
    Status st = array_apply(vm, AOP_LOGICAL_OR, (Value[]){*v, other}, 2, V_UNDEF, DT_NONE, &result);
    release(vm, other);
    if (st == ST_OK) replace(vm, v, result);
    return st;
}

static Status fn_array_equal(Vm *vm, const Value *args, Value *out) { // a1, a2, equal_nan
    Value a = V_UNDEF, b = V_UNDEF, equal = V_UNDEF, nan;
    bool same = false, equal_nan;
    Status st = op_truth(vm, args[2], &equal_nan);
    if (st != ST_OK) return st;
    st = array_from(vm, args[0], DT_NONE, &a);
    if (st == ST_OK) st = array_from(vm, args[1], DT_NONE, &b);
    if (st == ST_ERROR && vm_error_is(vm, EXC_ValueError)) { // cannot be an array, such as rows of different lengths
        vm_clear_error(vm);
        release(vm, a);
        *out = v_bool(false);
        return ST_OK;
    }
    if (st == ST_OK && a.array->ndim == b.array->ndim &&
        memcmp(array_shape(a.array), array_shape(b.array), (size_t)a.array->ndim * 8) == 0) {
        st = array_compare(vm, CMP_EQ, a, b, &equal);
        if (st == ST_OK && equal_nan) {
            st = both_nan(vm, a, b, &nan);
            if (st == ST_OK) st = or_with(vm, &equal, nan);
        }
        if (st == ST_OK) st = all_of(vm, equal, &same);
        release(vm, equal);
    }
    release(vm, a);
    release(vm, b);
    if (st == ST_OK) *out = v_bool(same);
    return st;
}

// Reports tolerances that are not finite, by np.seterr's action for invalid values.
static Status check_tolerances(Vm *vm, Value atol, Value rtol) {
    Value finite, text;
    bool fine = false;
    if (atol.kind == K_FLOAT && rtol.kind == K_FLOAT && atol.f - atol.f == 0 && rtol.f - rtol.f == 0) return ST_OK;
    Status st = both_finite(vm, atol, rtol, &finite);
    if (st != ST_OK) return st;
    st = all_of(vm, finite, &fine);
    release(vm, finite);
    FloatAction action = (FloatAction)vm->float_errors.action[FLOAT_INVALID];
    if (st != ST_OK || fine || action == FLOAT_IGNORE) return st;
    Buf words;
    buf_init(&words, &vm->mem);
    buf_puts(&words, "One of rtol or atol is not valid, atol: ");
    st = op_str(vm, atol, &words);
    buf_puts(&words, ", rtol: ");
    if (st == ST_OK) st = op_str(vm, rtol, &words);
    if (st == ST_OK) st = str_buf_out(vm, &words, &text);
    else buf_free(&words);
    if (st != ST_OK) return st;
    st = action == FLOAT_RAISE ? vm_raise(vm, EXC_FloatingPointError, "%s", text.str->data)
                               : vm_warn(vm, EXC_RuntimeWarning, "%s", text.str->data);
    release(vm, text);
    return st;
}

// isclose(a, b, rtol, atol, equal_nan): true where both are finite and close, or equal (infinities), or with equal_nan
// both NaN.
static Status fn_isclose(Vm *vm, const Value *args, Value *out) {
    Value finite, a = V_UNDEF, b = V_UNDEF, close = V_UNDEF, other;
    Status st = check_tolerances(vm, args[3], args[2]);
    if (st == ST_OK) st = both_finite(vm, args[0], args[1], &finite);
    if (st != ST_OK) return st;
    st = masked(vm, finite, args[0], &a);
    if (st == ST_OK) st = masked(vm, finite, args[1], &b);
    if (st == ST_OK) st = within(vm, a, b, args[2], args[3], &close);
    release(vm, a);
    release(vm, b);
    if (st == ST_OK) st = both(vm, AOP_LOGICAL_AND, close, finite, 2, &close);
    else release(vm, finite);
    if (st != ST_OK) return st;
    st = both(vm, AOP_EQUAL, retain(args[0]), retain(args[1]), 2, &other);
    if (st == ST_OK) st = or_with(vm, &close, other);
    if (st == ST_OK && args[4].kind == K_BOOL && args[4].i) {
        st = both_nan(vm, args[0], args[1], &other);
        if (st == ST_OK) st = or_with(vm, &close, other);
    }
    if (st == ST_OK) *out = close;
    else release(vm, close);
    return st;
}

static Status fn_allclose(Vm *vm, const Value *args, Value *out) {
    Value close;
    bool all = false;
    Status st = fn_isclose(vm, args, &close);
    if (st != ST_OK) return st;
    st = all_of(vm, close, &all);
    release(vm, close);
    if (st == ST_OK) *out = v_bool(all);
    return st;
}

// --- Moving along an axis ----------------------------------------------------------------------

// Returns the slice from:to:step of a view along an axis.
static View part_of(const View *view, int axis, int64_t from, int64_t to, int64_t step) {
    View part = *view;
    part.offset += from * view->strides[axis];
    part.shape[axis] = step == 1 ? to - from : (to - from + step - 1) / step;
    part.strides[axis] *= step;
    return part;
}

static Status copy_part(Vm *vm, const View *to, const View *from, Value base) {
    Value v;
    Status st = array_of_view(vm, from, base, &v);
    if (st != ST_OK) return st;
    st = array_assign(vm, to, v);
    release(vm, v);
    return st;
}

// Rolls along an axis by 0 <= shift < extent.
static Status roll_axis(Vm *vm, Value array, int64_t shift, int axis, Value *out) {
    View from, to;
    Value made;
    array_view(array.array, &from);
    Status st = array_new(vm, from.dtype, from.ndim, from.shape, ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &to);
    int64_t n = from.shape[axis];
    if (n > 0) {
        View a = part_of(&to, axis, shift, n, 1), b = part_of(&from, axis, 0, n - shift, 1);
        View c = part_of(&to, axis, 0, shift, 1), d = part_of(&from, axis, n - shift, n, 1);
        st = copy_part(vm, &a, &b, array);
        if (st == ST_OK && shift) st = copy_part(vm, &c, &d, array);
    }
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

// Converts a shift, by int(), to 0 <= *out < n, modulo the axis's extent n.
static Status shift_of(Vm *vm, Value v, int64_t n, int64_t *out) {
    Value whole = V_UNDEF, rest;
    Status st = v.kind == K_FLOAT ? int_from_double(vm, v.f, &whole) : ST_OK;
    if (st != ST_OK) return st;
    if (v.kind != K_FLOAT) whole = retain(v);
    int64_t shift = 0;
    if (whole.kind == K_BIGINT) st = op_binary(vm, BIN_MOD, false, whole, v_int(n > 0 ? n : 1), &rest);
    else st = array_long(vm, whole, &shift);
    if (st == ST_OK && whole.kind == K_BIGINT) shift = rest.i;
    release(vm, whole);
    if (st == ST_OK) *out = n > 0 ? (shift % n + n) % n : 0;
    return st;
}

static Status roll_several(Vm *vm, Value array, Value shifts, Value axes, Value *out) {
    enum { AXES_MAX = 1024 };
    int numbers[AXES_MAX];
    size_t m = count_of(shifts), n = count_of(axes), count = m == 1 ? n : m;
    if (axes.kind == K_FLOAT || n > AXES_MAX)
        return vm_raise(vm, EXC_TypeError, "'%s' object is not iterable", type_name(vm, axes));
    for (size_t i = 0; i < n; i++)
        if (axis_normal(vm, one_of(axes, i), array.array->ndim, "", &numbers[i]) != ST_OK)
            return ST_ERROR;
    Value v = retain(array);
    Status st = ST_OK;
    if (m != n && m != 1 && n != 1)
        st = vm_raise(vm, EXC_ValueError, "shape mismatch: objects cannot be broadcast to a single "
                      "shape.  Mismatch is between arg 0 with shape (%zu,) and arg 1 with shape "
                      "(%zu,).", m, n);
    for (size_t i = 0; st == ST_OK && i < count; i++) {
        Value rolled;
        int64_t shift;
        int axis = numbers[n == 1 ? 0 : i];
        st = shift_of(vm, one_of(shifts, i), array_shape(v.array)[axis], &shift);
        if (st == ST_OK) st = roll_axis(vm, v, shift, axis, &rolled);
        if (st == ST_OK) replace(vm, &v, rolled);
    }
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

static Status roll_flat(Vm *vm, Value array, Value shifts, Value *out) {
    Value flat, rolled;
    Status st = array_ravel(vm, array, false, &flat);
    if (st != ST_OK) return st;
    st = roll_several(vm, flat, shifts, v_int(0), &rolled);
    release(vm, flat);
    if (st != ST_OK) return st;
    st = array_reshape(vm, rolled, array_shape(array.array), array.array->ndim, out);
    release(vm, rolled);
    return st;
}

static Status fn_roll(Vm *vm, const Value *args, Value *out) {
    Value array = V_UNDEF, shift = V_UNDEF, axes = V_UNDEF;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st == ST_OK) st = numbers_of(vm, args[1], &shift);
    if (st == ST_OK) st = numbers_of(vm, args[2], &axes);
    if (st == ST_OK)
        st = axes.kind == K_NONE ? roll_flat(vm, array, shift, out) : roll_several(vm, array, shift, axes, out);
    release(vm, array);
    release(vm, shift);
    release(vm, axes);
    return st;
}

static Status diff_once(Vm *vm, Value array, int axis, Value *out) {
    View view;
    Value high = V_UNDEF, low = V_UNDEF;
    array_view(array.array, &view);
    int64_t n = view.shape[axis];
    View a = part_of(&view, axis, n > 0, n, 1), b = part_of(&view, axis, 0, n > 0 ? n - 1 : 0, 1);
    Status st = array_of_view(vm, &a, array, &high);
    if (st == ST_OK) st = array_of_view(vm, &b, array, &low);
    OpId op = view.dtype == DT_BOOL ? AOP_NOT_EQUAL : AOP_SUBTRACT;
    if (st == ST_OK) st = array_apply(vm, op, (Value[]){high, low}, 2, V_UNDEF, DT_NONE, out);
    release(vm, high);
    release(vm, low);
    return st;
}

static Status fn_diff(Vm *vm, const Value *args, Value *out) { // a, n, axis, prepend, append
    Value v, next;
    int64_t n;
    int axis;
    if (args[3].kind != K_UNDEF || args[4].kind != K_UNDEF) return ST_DEFER;
    if (args[1].kind != K_FLOAT && array_long(vm, args[1], &n) != ST_OK) return op_refused(vm);
    if (args[1].kind == K_FLOAT) n = args[1].f < 0 ? -1 : 1; // refused below, after the other arguments are checked
    if (n == 0) {
        *out = retain(args[0]);
        return ST_OK;
    }
    if (n < 0)
        return vm_raise(vm, EXC_ValueError, "order must be non-negative but got %" PRId64, n);
    Status st = array_from(vm, args[0], DT_NONE, &v);
    if (st != ST_OK) return st;
    if (v.array->ndim == 0)
        st = vm_raise(vm, EXC_ValueError, "diff requires input that is at least one dimensional");
    if (st == ST_OK) st = axis_normal(vm, args[2], v.array->ndim, "", &axis);
    if (st == ST_OK && args[1].kind == K_FLOAT) st = array_long(vm, args[1], &n);
    for (; st == ST_OK && n > 0; n--)
        if ((st = diff_once(vm, v, axis, &next)) == ST_OK) replace(vm, &v, next);
    if (st == ST_OK) *out = v;
    else release(vm, v);
    return st;
}

// clip(a, a_min, a_max, out, min, max, where, casting, order, dtype, subok), if a_min and a_max are given and the rest,
// except out, has its defaults; the slow path handles other calls.
static Status fn_clip(Vm *vm, const Value *args, Value *out) {
    bool plain = args[1].kind != K_UNDEF && args[2].kind != K_UNDEF && args[4].kind == K_UNDEF &&
                 args[5].kind == K_UNDEF && args[6].kind == K_BOOL && args[6].i &&
                 is_same_kind(args[7]) && args[9].kind == K_NONE;
    return plain ? array_m_clip(vm, args, out) : ST_DEFER;
}

// --- Small questions ---------------------------------------------------------------------------

static Status shape_attr(Vm *vm, Value array, Value *out) {
    return array_attrs[0].get(vm, array, out);
}
static Status fn_shape(Vm *vm, const Value *args, Value *out) {
    return with_array(vm, args[0], shape_attr, out);
}
static Status ndim_of(Vm *vm, Value array, Value *out) {
    (void)vm;
    *out = v_int(array.array->ndim);
    return ST_OK;
}
static Status fn_ndim(Vm *vm, const Value *args, Value *out) {
    return with_array(vm, args[0], ndim_of, out);
}
static Status size_of(Vm *vm, Value array, Value *out) {
    (void)vm;
    *out = v_int(array_size(array.array));
    return ST_OK;
}
static Status fn_size(Vm *vm, const Value *args, Value *out) {
    Value shape;
    AxisSet axes;
    if (args[1].kind == K_NONE) return with_array(vm, args[0], size_of, out);
    Status st = with_array(vm, args[0], shape_attr, &shape);
    if (st != ST_OK) return st;
    Value axis = args[1].kind == K_BOOL ? v_int(args[1].i) : args[1];
    st = axes_from(vm, axis, (int)shape.tuple->len, &axes);
    int64_t size = 1;
    for (size_t d = 0; st == ST_OK && d < shape.tuple->len; d++)
        if (axes >> d & 1) size *= shape.tuple->items[d].i;
    release(vm, shape);
    if (st == ST_OK) *out = v_int(size);
    return st;
}

static Status fn_count_nonzero(Vm *vm, const Value *args, Value *out) {
    Value array, truths;
    AxisSet axes;
    bool keep = (args[2].kind == K_BOOL || args[2].kind == K_INT) && args[2].i != 0;
    if (args[0].kind == K_ARRAY && args[1].kind == K_NONE && !keep && args[0].array->dtype == DT_BOOL) {
        int64_t count = 0;
        Status counted = index_count_masked(vm, args[0], &truths, &count);
        if (counted == ST_OK) release(vm, truths);
        return counted == ST_OK ? scalar_out(vm, DT_INT64, (Scalar){.i = count}, out) : counted;
    }
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    if (array.array->dtype == DT_BOOL) truths = retain(array);
    else st = array_copy(vm, array, DT_BOOL, &truths);
    if (st == ST_OK) {
        bool lone = array.array->ndim == 0 && args[1].kind == K_INT &&
                    (args[1].i == 0 || args[1].i == -1);
        st = axes_from(vm, lone ? V_NONE : args[1], array.array->ndim, &axes);
        if (st == ST_OK) st = array_reduce(vm, AOP_SUM, truths, axes, keep, DT_NONE, out);
        release(vm, truths);
    }
    release(vm, array);
    return st;
}

static Status fn_result_type(Vm *vm, const Value *args, Value *out) {
    DTypeSet types = {.count = 0};
    Strength weak = STRONG;
    for (size_t i = 0; i < args[0].tuple->len; i++) {
        Value v = unwrap(args[0].tuple->items[i]);
        DType own;
        if (strength_of(v) != STRONG) {
            if (strength_of(v) > weak) weak = strength_of(v);
            continue;
        }
        if (v.kind == K_ARRAY) own = v.array->dtype;
        else if (is_numpy_scalar(v)) own = scalar_dtype(v);
        else if (v.kind == K_BOOL) own = DT_BOOL;
        else if (dtype_from(vm, v, DT_FLOAT64, &own) != ST_OK) return ST_ERROR;
        dtype_set_add(&types, own);
    }
    DType t = dtype_with_weak(dtype_promote_all(&types), weak);
    if (t == DT_NONE)
        return vm_raise(vm, EXC_ValueError, "at least one array or dtype is required");
    return dtype_out(vm, t, out);
}

static Status fn_promote_types(Vm *vm, const Value *args, Value *out) {
    DType a, b;
    Status st = dtype_from(vm, args[0], DT_NONE, &a);
    if (st == ST_OK) st = dtype_from(vm, args[1], DT_NONE, &b);
    if (st != ST_OK) return st;
    if (a == DT_NONE || b == DT_NONE)
        return vm_raise(vm, EXC_TypeError, "did not understand one of the types");
    return dtype_out(vm, dtype_promote(a, b), out);
}

const NativeDef numpy_shaping[] = {
    {"reshape", "a, /, shape, order='C', *, copy=None"
     "\nThe same elements in another shape, of which one extent may be -1; a view where there is\n"
     "one.\n\n>>> np.reshape(np.arange(6), (2, -1))\narray([[0, 1, 2],\n       [3, 4, 5]])",
     fn_reshape, "numpy_reshape", PURE},
    {"may_share_memory", "a, b, /, max_work=None"
     "\nWhether the memory that two arrays span overlaps; their elements need not.\n"
     "\n>>> a = np.arange(4)\n>>> np.may_share_memory(a[::2], a[1::2])\nTrue",
     fn_may_share_memory, NULL, PURE},
    {"transpose", "a, axes=None"
     "\nA view with the axes the other way round, or in the order that is given.\n"
     "\n>>> np.transpose(np.ones((2, 3, 4)), (1, 0, 2)).shape\n(3, 2, 4)",
     fn_transpose, NULL, PURE},
    {"expand_dims", "a, axis"
     "\nA view with new axes of extent 1 at these places of the result.\n"
     "\n>>> np.expand_dims([1, 2], axis=0).shape\n(1, 2)",
     fn_expand_dims, NULL, PURE},
    {"diagonal", "a, offset=0, axis1=0, axis2=1"
     "\nA view of a diagonal, as the last axis; of more than two axes, of matrices along two of\n"
     "them.\n\n>>> np.diagonal([[1, 2], [3, 4]])\narray([1, 4])\n"
     ">>> np.diagonal(np.arange(9).reshape(3, 3), 1)\narray([1, 5])",
     array_m_diagonal, NULL, PURE},
    {"trace", "a, offset=0, axis1=0, axis2=1, dtype=None, out=None"
     "\nSums of a diagonal.\n"
     "\n>>> np.trace([[1, 2], [3, 4]])\nnp.int64(5)",
     array_m_trace, "numpy_trace", PURE},
    {"broadcast_to", "array, shape, subok=False"
     "\nA view that is stretched to a shape and can only be read.\n"
     "\n>>> np.broadcast_to([1, 2], (2, 2))\narray([[1, 2],\n       [1, 2]])",
     fn_broadcast_to, NULL, PURE},
    {"concatenate", "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'"
     "\nArrays one after another along an axis that is there; axis=None joins all elements.\n"
     "\n>>> np.concatenate(([1, 2], [3]))\narray([1, 2, 3])\n"
     ">>> np.concatenate(([[1], [2]], [[3], [4]]), axis=1)\narray([[1, 3],\n       [2, 4]])",
     fn_concatenate, "numpy_concatenate", PURE},
    {"concat", "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'"
     "\nThe same as concatenate.\n"
     "\n>>> np.concat(([1, 2], [3]))\narray([1, 2, 3])",
     fn_concatenate, "numpy_concatenate", PURE},
    {"stack", "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'"
     "\nArrays of one shape one after another along a new axis.\n"
     "\n>>> np.stack(([1, 2], [3, 4]), axis=1)\narray([[1, 3],\n       [2, 4]])",
     fn_stack, "numpy_stack", PURE},
    {"vstack", "tup, *, dtype=None, casting='same_kind'"
     "\nArrays below one another; rows become matrices of one row.\n"
     "\n>>> np.vstack(([1, 2], [3, 4]))\narray([[1, 2],\n       [3, 4]])",
     fn_vstack, "numpy_vstack", PURE},
    {"hstack", "tup, *, dtype=None, casting='same_kind'"
     "\nArrays side by side: along the first axis of rows, the second of all others.\n"
     "\n>>> np.hstack(([[1], [2]], [[3], [4]]))\narray([[1, 3],\n       [2, 4]])",
     fn_hstack, "numpy_hstack", PURE},
    {"where", "condition, x=?, y=?, /"
     "\nElements of x where the condition is true, of y where it is not; with the condition\n"
     "alone, the indexes where it is true.\n\n>>> np.where([True, False], [1, 2], [10, 20])\n"
     "array([ 1, 20])\n>>> np.where([0, 3, 0, 5])\n(array([1, 3]),)",
     fn_where, NULL, PURE},
    {"matmul", "x1, x2, /, out=None, *, casting='same_kind', order='K', dtype=None, subok=True, "
     "signature=?, axes=None, axis=None, keepdims=False"
     "\nThe product of matrices, or stacks of them; a vector is a row on the left and a column\n"
     "on the right.\n\n>>> np.matmul([[1, 2], [3, 4]], [1, 1])\narray([3, 7])",
     fn_matmul, "numpy_matmul", PURE},
    {"outer", "a, b, out=None"
     "\nAll products of an element of the one with one of the other, as a matrix.\n"
     "\n>>> np.outer([1, 2], [3, 4, 5])\narray([[ 3,  4,  5],\n       [ 6,  8, 10]])",
     fn_outer, NULL, PURE},
    {"array_equal", "a1, a2, equal_nan=False"
     "\nWhether two arrays have the same shape and elements.\n"
     "\n>>> np.array_equal([1, 2], [1, 2])\nTrue\n"
     ">>> np.array_equal([1, np.nan], [1, np.nan], equal_nan=True)\nTrue",
     fn_array_equal, NULL, PURE},
    {"isclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False"
     "\nWhere abs(a - b) <= atol + rtol * abs(b).\n"
     "\n>>> np.isclose([1.0, 1.1], [1.0 + 1e-9, 1.0])\narray([ True, False])",
     fn_isclose, NULL, PURE},
    {"allclose", "a, b, rtol=1e-05, atol=1e-08, equal_nan=False"
     "\nWhether all elements are close, as isclose has it.\n"
     "\n>>> np.allclose([1e10, 1e-8], [1.00001e10, 1e-9])\nTrue",
     fn_allclose, NULL, PURE},
    {"roll", "a, shift, axis=None"
     "\nElements moved along an axis; those that leave at one end come in at the other.\n"
     "\n>>> np.roll([1, 2, 3, 4], 1)\narray([4, 1, 2, 3])",
     fn_roll, NULL, PURE},
    {"diff", "a, n=1, axis=-1, prepend=?, append=?"
     "\nDifferences of neighbours along an axis, n times.\n"
     "\n>>> np.diff([1, 4, 9, 16])\narray([3, 5, 7])\n>>> np.diff([1, 4, 9, 16], n=2)\n"
     "array([2, 2])",
     fn_diff, "numpy_diff", PURE},
    {"clip", "a, a_min=?, a_max=?, out=None, *, min=?, max=?, where=True, casting='same_kind', "
     "order='K', dtype=None, subok=True"
     "\nElements no smaller than the one bound and no larger than the other; None is no bound.\n"
     "\n>>> np.clip([1, 5, 9], 2, 8)\narray([2, 5, 8])",
     fn_clip, "numpy_clip", PURE},
    {"shape", "a"
     "\nThe extents of an array, or of what can be made one.\n"
     "\n>>> np.shape([[1, 2, 3]])\n(1, 3)",
     fn_shape, NULL, PURE},
    {"ndim", "a"
     "\nThe number of dimensions.\n"
     "\n>>> np.ndim([[1, 2, 3]])\n2",
     fn_ndim, NULL, PURE},
    {"size", "a, axis=None"
     "\nThe number of elements, or the extent of an axis.\n"
     "\n>>> np.size([[1, 2, 3]])\n3",
     fn_size, NULL, PURE},
    {"count_nonzero", "a, axis=None, *, keepdims=False"
     "\nHow many elements are not zero, along axes or of all.\n"
     "\n>>> np.count_nonzero([[1, 0], [2, 3]], axis=0)\narray([2, 1])",
     fn_count_nonzero, NULL, PURE},
    {"result_type", "*arrays_and_dtypes"
     "\nThe type that the operands' elements have in common; Python's own numbers are weak.\n"
     "\n>>> np.result_type(np.int8, np.float32)\ndtype('float32')\n"
     ">>> np.result_type(np.int8(1), 3)\ndtype('int8')",
     fn_result_type, NULL, PURE},
    {"promote_types", "type1, type2, /"
     "\nThe smallest type to which both can be cast safely.\n"
     "\n>>> np.promote_types(np.int32, np.float32)\ndtype('float64')",
     fn_promote_types, NULL, PURE},
    {0},
};

static Status fn_axis_normal(Vm *vm, const Value *args, Value *out) {
    int64_t ndim;
    int axis;
    if (array_long(vm, args[1], &ndim) != ST_OK || args[2].kind != K_STR) return op_refused(vm);
    Status st = axis_normal(vm, args[0], (int)ndim, args[2].str->data, &axis);
    if (st == ST_OK) *out = v_int(axis);
    return st;
}

static Status fn_axis_argument(Vm *vm, const Value *args, Value *out) {
    Status st = axis_argument(vm, args[0]);
    if (st == ST_OK) *out = retain(args[0]);
    return st;
}

static Status fn_shape_argument(Vm *vm, const Value *args, Value *out) {
    int64_t shape[NDIM_MAX];
    Value items[NDIM_MAX];
    int ndim;
    Status st = shape_argument(vm, args[0], shape, &ndim);
    if (st != ST_OK) return st;
    for (int d = 0; d < ndim; d++) items[d] = v_int(shape[d]);
    return tuple_of(vm, items, (size_t)ndim, out);
}

// Module _numpy_strides: helpers for functions that are written in the language.
const NativeDef numpy_strides_functions[] = {
    {"axis_normal", "axis, ndim, about='', /", fn_axis_normal, NULL, PURE},
    {"shape_argument", "shape, /", fn_shape_argument, NULL, PURE},
    {"axis_argument", "axis, /", fn_axis_argument, NULL, PURE},
    {"walk", "views, axes, elements, several, /", array_walk, NULL, PURE},
    {"walk_at", "walk, /", array_walk_at, NULL, PURE},
    {"walk_go", "walk, at, started, end, plain, chunk, /", array_walk_go, NULL, PURE},
    {"as_strided", "x, shape, strides, writeable, /", fn_as_strided, NULL, PURE},
    {"diagonal", "a, offset=0, axis1=0, axis2=1, /"
     "\nA view of a diagonal, as the last axis; of more than two axes, of matrices along two of\n"
     "them.\n\n>>> np.diagonal([[1, 2], [3, 4]])\narray([1, 4])\n"
     ">>> np.diagonal(np.arange(9).reshape(3, 3), 1)\narray([1, 5])",
     array_diagonal, NULL, PURE},
    {0},
};
