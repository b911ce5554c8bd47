// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by array methods and module numpy: reductions, statistics, rounding, shapes.

#include "vm/array/methods.h"

#include <math.h>
#include <string.h>

#include "vm/value/num.h"
#include "vm/value/ops.h"
#include "vm/value/str.h"

// Copies the result to out= if given.
static Status into_out(Vm *vm, Value given, Status st, Value *out) {
    if (st != ST_OK || given.kind == K_NONE || given.kind == K_UNDEF) return st;
    View to;
    if (given.kind != K_ARRAY) {
        release(vm, *out);
        return vm_raise(vm, EXC_TypeError, "output must be an array");
    }
    if (array_check_writeable(vm, given.array, "output array") != ST_OK) {
        release(vm, *out);
        return ST_ERROR;
    }
    array_view(given.array, &to);
    st = array_assign(vm, &to, *out);
    release(vm, *out);
    if (st == ST_OK) *out = retain(given);
    return st;
}

// Parses keepdims=: any number counts as a bool, as in NumPy.
Status truth_from(Vm *vm, Value v, bool *out) {
    int64_t number;
    if (v.kind == K_BOOL || v.kind == K_INT) {
        *out = v.i != 0;
        return ST_OK;
    }
    if (array_long(vm, v, &number) != ST_OK) return op_refused(vm);
    *out = number != 0;
    return ST_OK;
}

// Returns whether an axis stands for none: a 0-dimensional array may be reduced along axis 0 or -1.
static bool is_lone_axis(Value array, Value axis) {
    return array.array->ndim == 0 && axis.kind == K_INT && (axis.i == 0 || axis.i == -1);
}

static Status check_out_argument(Vm *vm, Value given) {
    if (given.kind == K_ARRAY || given.kind == K_NONE || given.kind == K_UNDEF) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "output must be an array");
}

// Checks out= of a ufunc reduction, whose message is another one.
static Status check_reduced_argument(Vm *vm, Value given) {
    if (given.kind == K_ARRAY || given.kind == K_NONE || given.kind == K_UNDEF) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "return arrays must be of ArrayType");
}

// Converts a result to a scalar if the operand is one: methods of NumPy scalars return scalars, even with out=.
static Status like_operand(Vm *vm, Value operand, Status st, Value *out) {
    return st == ST_OK && is_numpy_scalar(operand) ? array_to_scalar(vm, out) : st;
}

static Status reduce(Vm *vm, const Value *args, ReduceCall call, Value dtype, Value *out) {
    Status st = dtype_from(vm, dtype, DT_NONE, &call.dtype);
    if (st == ST_OK) st = check_reduced_argument(vm, call.into);
    bool scalar = is_numpy_scalar(args[0]);
    call.axis = args[1];
    call.slot = &args[0];
    call.called = args;
    if (st == ST_OK) st = ufunc_reduce(vm, &call, args[0], out);
    return st == ST_OK && scalar ? array_to_scalar(vm, out) : st;
}

#define WITH_DTYPE(name, OP)                                                         \
    Status array_m_##name(Vm *vm, const Value *args, Value *out) {                   \
        ReduceCall call = {.op = OP, .into = args[3], .initial = args[5], .where = args[6]}; \
        if (truth_from(vm, args[4], &call.keepdims) != ST_OK) return ST_ERROR; \
        return reduce(vm, args, call, args[2], out);                                 \
    }
#define WITHOUT_DTYPE(name, OP)                                                      \
    Status array_m_##name(Vm *vm, const Value *args, Value *out) {                   \
        ReduceCall call = {.op = OP, .into = args[2], .initial = args[4], .where = args[5]}; \
        if (truth_from(vm, args[3], &call.keepdims) != ST_OK) return ST_ERROR; \
        return reduce(vm, args, call, V_NONE, out);                                  \
    }
#define OF_TRUTH(name, OP)                                                           \
    Status array_m_##name(Vm *vm, const Value *args, Value *out) {                   \
        ReduceCall call = {.op = OP, .into = args[2], .initial = V_UNDEF, .where = args[4]}; \
        if (truth_from(vm, args[3], &call.keepdims) != ST_OK) return ST_ERROR; \
        return reduce(vm, args, call, V_NONE, out);                                  \
    }
WITH_DTYPE(sum, AOP_ADD)
WITH_DTYPE(prod, AOP_MULTIPLY)
WITHOUT_DTYPE(max, AOP_MAXIMUM)
WITHOUT_DTYPE(min, AOP_MINIMUM)
OF_TRUTH(any, AOP_LOGICAL_OR)
OF_TRUTH(all, AOP_LOGICAL_AND)

// Finds the axis to work along. For None, or a 0-dimensional array, replaces the array by a flattened one.
static Status axis_along(Vm *vm, Value *array, Value axis, int *out) {
    Value flat;
    *out = 0;
    if (axis.kind == K_NONE || (*array).array->ndim == 0) {
        Status st = array_ravel(vm, *array, false, &flat);
        if (st != ST_OK) return st;
        replace(vm, array, flat);
    }
    return axis.kind == K_NONE ? ST_OK : axis_from(vm, axis, (*array).array->ndim, out);
}

// --- argmax, argmin ----------------------------------------------------------------------------

// Reshapes a one-element array to `ndim` axes.
static Status with_axes(Vm *vm, Value *one, int ndim) {
    int64_t shape[NDIM_MAX];
    Value shaped;
    for (int d = 0; d < ndim; d++) shape[d] = 1;
    Status st = array_reshape(vm, *one, shape, ndim, &shaped);
    release(vm, *one);
    if (st == ST_OK) *one = shaped;
    return st;
}

// Copies indices to out=, which must have their shape and a type that casts safely to int64.
static Status places_into(Vm *vm, OpId op, Value given, Value *out) {
    View to;
    if (given.kind != K_ARRAY) return ST_OK;
    int ndim = out->kind == K_ARRAY ? out->array->ndim : 0;
    const int64_t *shape = out->kind == K_ARRAY ? array_shape(out->array) : NULL;
    array_view(given.array, &to);
    bool fits = to.ndim == ndim &&
                (ndim == 0 || memcmp(to.shape, shape, (size_t)ndim * sizeof *shape) == 0);
    Status st = ST_OK;
    if (!fits)
        st = vm_raise(vm, EXC_ValueError, "output array does not match result of np.%s.",
                      op_info[op].name);
    else if (!dtype_can_cast(to.dtype, DT_INT64, CAST_SAFE))
        st = cannot_cast_array(vm, given, DT_INT64, CAST_SAFE);
    if (st == ST_OK) return into_out(vm, given, ST_OK, out);
    release(vm, *out);
    return st;
}

static Status arg_extreme(Vm *vm, OpId op, const Value *args, Value *out) {
    Value array;
    int axis = 0;
    bool keeps = false;
    Status st = check_out_argument(vm, args[2]);
    if (st == ST_OK && args[3].kind != K_NONE) st = truth_from(vm, args[3], &keeps);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    int ndim = array.array->ndim;
    bool keepdims = keeps && ndim > 0;
    st = axis_along(vm, &array, args[1], &axis);
    if (st == ST_OK && array_shape(array.array)[axis] == 0)
        st = vm_raise(vm, EXC_ValueError, "attempt to get %s of an empty sequence", op_info[op].name);
    if (st == ST_OK) st = array_reduce(vm, op, array, axis_bit(axis), keepdims, DT_NONE, out);
    if (st == ST_OK && keepdims && args[1].kind == K_NONE) st = with_axes(vm, out, ndim);
    release(vm, array);
    if (st == ST_OK) st = places_into(vm, op, args[2], out);
    return like_operand(vm, args[0], st, out);
}

Status array_m_argmax(Vm *vm, const Value *args, Value *out) {
    return arg_extreme(vm, AOP_ARGMAX, args, out);
}
Status array_m_argmin(Vm *vm, const Value *args, Value *out) {
    return arg_extreme(vm, AOP_ARGMIN, args, out);
}

// --- Mean and variance -------------------------------------------------------------------------

static double reduced_count(Array *array, AxisSet axes) {
    double n = 1;
    for (int d = 0; d < array->ndim; d++)
        if (axes >> d & 1) n *= (double)array_shape(array)[d];
    return n;
}

// Arguments of mean, variance and standard deviation.
typedef struct Spread {
    Value array, axis, into, where, mean; // `mean`: the given one, or undefined
    AxisSet axes;
    DType type; // type of the sums; DT_NONE: the array's own
    bool keepdims;
    const Value *called; // as in ReduceCall
} Spread;

static bool is_everywhere(Value where) {
    return where.kind == K_UNDEF || (where.kind == K_BOOL && where.i);
}

// Checks the axes as NumPy does when it counts elements, which it does first, with other messages.
static Status check_counted_axes(Vm *vm, const Spread *s) {
    Value axis = s->axis;
    int ndim = s->array.array->ndim, at;
    size_t count = axis.kind == K_TUPLE ? axis.tuple->len : axis.kind != K_NONE;
    for (size_t i = 0; i < count; i++) {
        Value one = axis.kind == K_TUPLE ? axis.tuple->items[i] : axis;
        if (one.kind == K_FLOAT)
            return vm_raise(vm, EXC_TypeError, "integer argument expected, got float");
        if (axis_named(vm, one, ndim, "", &at) != ST_OK) return ST_ERROR;
    }
    return ST_OK;
}

// Parses arguments to *s. `out_first`: reports an invalid out= before duplicate axes.
static Status spread_of(Vm *vm, Value a, Value axis, Value dtype, bool out_first, Spread *s) {
    Status st = array_from(vm, a, DT_NONE, &s->array);
    if (st != ST_OK) return st;
    s->axis = axis;
    st = check_counted_axes(vm, s);
    if (st == ST_OK) st = dtype_from(vm, dtype, DT_NONE, &s->type);
    if (st == ST_OK && out_first) st = check_reduced_argument(vm, s->into);
    if (st == ST_OK) st = axes_from(vm, axis, s->array.array->ndim, &s->axes);
    if (st == ST_OK) st = check_reduced_argument(vm, s->into);
    if (s->type == DT_NONE && !dtype_is_inexact(s->array.array->dtype)) s->type = DT_FLOAT64;
    if (st != ST_OK) release(vm, s->array);
    return st;
}

// Counts the elements per result: a number, or an array if where= is given.
static Status count_elements(Vm *vm, const Spread *s, bool keepdims, Value *out) {
    *out = v_float(reduced_count(s->array.array, s->axes));
    if (is_everywhere(s->where)) return ST_OK;
    Value mask, whole;
    View view, like;
    array_view(s->array.array, &like);
    Status st = array_from(vm, s->where, DT_BOOL, &mask);
    if (st != ST_OK) return st;
    array_view(mask.array, &view);
    const View *both[2] = {&view, &like};
    int64_t shape[NDIM_MAX];
    int ndim;
    st = shapes_broadcast(vm, both, 2, shape, &ndim);
    if (st == ST_OK) view_broadcast(&view, shape, ndim);
    if (st == ST_OK) st = array_of_view(vm, &view, mask, &whole);
    release(vm, mask);
    if (st != ST_OK) return st;
    const ReduceCall call = {.op = AOP_ADD, .axis = s->axis, .dtype = DT_INT64, .keepdims = keepdims};
    st = ufunc_reduce(vm, &call, whole, out);
    release(vm, whole);
    return st;
}

// Returns whether any count is at most the limit.
static Status any_not_above(Vm *vm, Value count, double limit, bool *found) {
    Value below;
    if (count.kind == K_FLOAT) {
        *found = count.f <= limit;
        return ST_OK;
    }
    Status st = array_apply(vm, AOP_LESS_EQUAL, (Value[]){count, v_float(limit)}, 2, V_UNDEF, DT_NONE,
                            &below);
    if (st != ST_OK) return st;
    const ReduceCall call = {.op = AOP_LOGICAL_OR, .axis = V_NONE};
    Value any;
    st = ufunc_reduce(vm, &call, below, &any);
    release(vm, below);
    if (st == ST_OK) *found = any.i != 0;
    return st;
}

// Casts an array or scalar.
static Status as_type(Vm *vm, Value *v, DType dtype) {
    Value array;
    bool scalar = v->kind != K_ARRAY;
    Status st = array_from(vm, *v, dtype, &array);
    release(vm, *v);
    if (st != ST_OK) return st;
    *v = array;
    return scalar ? array_to_scalar(vm, v) : ST_OK;
}

// Divides sums by counts. Arrays are divided in place, and keep their type.
static Status divide_by(Vm *vm, Value *v, Value n) {
    Value quotient, args[2] = {*v, n};
    bool array = v->kind == K_ARRAY;
    DType own = array ? v->array->dtype : scalar_dtype(*v);
    const UfuncCall call = {.op = AOP_DIVIDE, .args = args, .count = 2, .into = array ? *v : V_UNDEF,
                            .dtype = DT_NONE, .casting = CAST_UNSAFE, .operator = true};
    Status st = ufunc_apply(vm, &call, &quotient);
    release(vm, *v);
    if (st != ST_OK) return st;
    *v = quotient;
    return array ? ST_OK : as_type(vm, v, own);
}

// Sums the array; the `last` use may consume it.
static Status sum_of(Vm *vm, const Spread *s, Value *array, DType type, bool last, Value *out) {
    const ReduceCall call = {.op = AOP_ADD, .axis = s->axis, .dtype = type,
                             .into = last ? s->into : V_UNDEF, .keepdims = !last || s->keepdims,
                             .where = s->where, .slot = last ? array : NULL, .called = last ? s->called : NULL};
    return ufunc_reduce(vm, &call, *array, out);
}

static Status mean_into(Vm *vm, Spread *s, Value *out) {
    Value count;
    bool empty = false;
    DType own = s->array.array->dtype;
    bool halves = s->type == DT_NONE && own == DT_FLOAT16; // NumPy accumulates halves in single
                                                           // precision
    Status st = count_elements(vm, s, s->keepdims, &count);
    if (st != ST_OK) return st;
    st = any_not_above(vm, count, 0, &empty);
    if (st == ST_OK && empty) st = vm_warn(vm, EXC_RuntimeWarning, "Mean of empty slice");
    if (st == ST_OK) st = sum_of(vm, s, &s->array, halves ? DT_FLOAT32 : s->type, true, out);
    if (st == ST_OK) st = divide_by(vm, out, count);
    release(vm, count);
    return st == ST_OK && halves && s->into.kind != K_ARRAY ? as_type(vm, out, own) : st;
}

Status array_m_mean(Vm *vm, const Value *args, Value *out) {
    Spread s = {.into = args[3], .where = args[5], .mean = V_UNDEF, .called = args};
    if (truth_from(vm, args[4], &s.keepdims) != ST_OK) return ST_ERROR;
    bool scalar = is_numpy_scalar(args[0]);
    Status st = spread_of(vm, args[0], args[1], args[2], true, &s);
    if (st != ST_OK) return st;
    native_give_up(vm, &args[0]);
    st = mean_into(vm, &s, out);
    release(vm, s.array);
    return st == ST_OK && scalar ? array_to_scalar(vm, out) : st;
}

static Status apply_release(Vm *vm, OpId op, Value a, Value b, int count, Value *out) {
    Value args[2] = {a, b};
    Status st = array_apply(vm, op, args, count, V_UNDEF, DT_NONE, out);
    release(vm, a);
    if (count == 2) release(vm, b);
    return st;
}

// Computes squares; for complex numbers, squares of absolute values. Consumes `diff`.
static Status squared(Vm *vm, Value diff, Value *out) {
    bool is_complex = diff.kind == K_COMPLEX_SCALAR ||
                      (diff.kind == K_ARRAY && dtype_kind(diff.array->dtype) == DK_COMPLEX);
    Value other = retain(diff), product, array;
    Status st = ST_OK;
    if (!is_complex && diff.kind == K_ARRAY) { // in place, since nothing else holds the array
        st = array_apply(vm, AOP_SQUARE, &diff, 1, diff, DT_NONE, out);
        release(vm, diff);
        release(vm, other);
        return st;
    }
    if (is_complex) st = apply_release(vm, AOP_CONJUGATE, other, V_UNDEF, 1, &other);
    if (st != ST_OK) {
        release(vm, diff);
        return st;
    }
    st = apply_release(vm, AOP_MULTIPLY, diff, other, 2, &product);
    if (st != ST_OK || !is_complex) {
        if (st == ST_OK) *out = product;
        return st;
    }
    st = array_from(vm, product, DT_NONE, &array);
    release(vm, product);
    if (st != ST_OK) return st;
    st = array_real(vm, array, out);
    release(vm, array);
    return st == ST_OK ? array_to_scalar(vm, out) : st;
}

static Status differences(Vm *vm, Spread *s, Value *out) {
    Value mean, count;
    if (s->mean.kind != K_UNDEF)
        return array_apply(vm, AOP_SUBTRACT, (Value[]){s->array, s->mean}, 2, V_UNDEF, DT_NONE, out);
    Status st = count_elements(vm, s, true, &count);
    if (st != ST_OK) return st;
    st = sum_of(vm, s, &s->array, s->type, false, &mean);
    if (st == ST_OK) st = divide_by(vm, &mean, count);
    release(vm, count);
    if (st != ST_OK) return st;
    return apply_release(vm, AOP_SUBTRACT, retain(s->array), mean, 2, out);
}

// Computes the divisors: counts minus ddof, at least 0.
static Status degrees_of_freedom(Vm *vm, Value count, double ddof, Value *out) {
    if (count.kind == K_FLOAT) {
        *out = v_float(fmax(count.f - ddof, 0));
        return ST_OK;
    }
    Value less;
    Status st = array_apply(vm, AOP_SUBTRACT, (Value[]){count, v_float(ddof)}, 2, V_UNDEF, DT_NONE,
                            &less);
    return st == ST_OK ? apply_release(vm, AOP_MAXIMUM, less, v_float(0), 2, out) : st;
}

// Computes the variance by a two-pass algorithm, as NumPy does: the mean, then the mean of squared differences.
static Status variance(Vm *vm, Spread *s, double ddof, Value *out) {
    Value diff, square, count, degrees;
    bool few = false;
    Status st = count_elements(vm, s, s->keepdims, &count);
    if (st != ST_OK) return st;
    st = any_not_above(vm, count, ddof, &few);
    if (st == ST_OK && few) st = vm_warn(vm, EXC_RuntimeWarning, "Degrees of freedom <= 0 for slice");
    if (st == ST_OK) st = differences(vm, s, &diff);
    if (st == ST_OK) st = squared(vm, diff, &square);
    if (st == ST_OK) {
        st = sum_of(vm, s, &square, s->type, true, out);
        release(vm, square);
    }
    if (st == ST_OK) st = degrees_of_freedom(vm, count, ddof, &degrees);
    release(vm, count);
    if (st != ST_OK) return st;
    st = divide_by(vm, out, degrees);
    release(vm, degrees);
    return st;
}

static Status root_of(Vm *vm, Value *v) {
    Value root;
    bool array = v->kind == K_ARRAY;
    DType own = array ? v->array->dtype : scalar_dtype(*v);
    Status st = array_apply(vm, AOP_SQRT, v, 1, array ? *v : V_UNDEF, DT_NONE, &root);
    release(vm, *v);
    if (st != ST_OK) return st;
    *v = root;
    return array ? ST_OK : as_type(vm, v, own);
}

static Status spread(Vm *vm, const Value *args, Value correction, bool root, Value *out) {
    Spread s = {.into = args[3], .where = args[6], .mean = args[7], .called = args};
    double ddof;
    if (truth_from(vm, args[5], &s.keepdims) != ST_OK) return ST_ERROR;
    if (op_as_double(vm, args[4], &ddof) != ST_OK) return op_refused(vm);
    if (correction.kind != K_UNDEF && ddof != 0)
        return vm_raise(vm, EXC_ValueError, "ddof and correction can't be provided simultaneously.");
    if (correction.kind != K_UNDEF && op_as_double(vm, correction, &ddof) != ST_OK)
        return op_refused(vm);
    Status st = spread_of(vm, args[0], args[1], args[2], false, &s);
    if (st != ST_OK) return st;
    st = variance(vm, &s, ddof, out);
    release(vm, s.array);
    if (st == ST_OK && root) st = root_of(vm, out);
    return like_operand(vm, args[0], st, out);
}

Status array_m_var(Vm *vm, const Value *args, Value *out) {
    return spread(vm, args, V_UNDEF, false, out);
}
Status array_m_std(Vm *vm, const Value *args, Value *out) {
    return spread(vm, args, V_UNDEF, true, out);
}
Status array_var(Vm *vm, const Value *args, Value *out) {
    return spread(vm, args, args[8], false, out);
}
Status array_std(Vm *vm, const Value *args, Value *out) {
    return spread(vm, args, args[8], true, out);
}

// --- Running sums, clip, round -----------------------------------------------------------------

static Status scan(Vm *vm, OpId op, const Value *args, Value *out) {
    Value array;
    int axis = 0;
    ReduceCall call = {.op = op, .into = args[3]};
    Status st = axis_argument(vm, args[1]);
    if (st == ST_OK) st = dtype_from(vm, args[2], DT_NONE, &call.dtype);
    if (st == ST_OK) st = check_out_argument(vm, args[3]);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = axis_along(vm, &array, args[1], &axis);
    call.axis = v_int(axis);
    if (st == ST_OK) st = ufunc_accumulate(vm, &call, array, out);
    release(vm, array);
    return st;
}

Status array_m_cumsum(Vm *vm, const Value *args, Value *out) {
    return scan(vm, AOP_ADD, args, out);
}
Status array_m_cumprod(Vm *vm, const Value *args, Value *out) {
    return scan(vm, AOP_MULTIPLY, args, out);
}

// Returns a bound of clip; None if it is an int beyond the elements' range, which does not limit anything.
static Value bound_of(Vm *vm, DType type, Value v, bool upper) {
    Scalar scalar;
    if ((v.kind != K_INT && v.kind != K_BIGINT) || !dtype_is_integer(type) || type == DT_BOOL) return v;
    if (scalar_from(vm, v, type, &scalar) != ST_OK) {
        vm_clear_error(vm);
        return (int_sign(v) > 0) == upper ? V_NONE : v;
    }
    if (upper) return scalar.u == dtype_max(type) ? V_NONE : v;
    return scalar.i == dtype_min(type) ? V_NONE : v;
}

Status array_m_clip(Vm *vm, const Value *args, Value *out) {
    Value array;
    UfuncCall call = {.op = AOP_POSITIVE, .count = 1, .dtype = DT_NONE, .casting = CAST_SAME_KIND};
    Status st = ufunc_output(vm, args[3], &call.into);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    DType own = array.array->dtype;
    Value low = bound_of(vm, own, args[1], false), high = bound_of(vm, own, args[2], true);
    Value operands[3] = {array, low, high};
    call.args = operands;
    if (low.kind != K_NONE && high.kind != K_NONE) {
        call.op = AOP_CLIP;
        call.count = 3;
    } else if (low.kind != K_NONE || high.kind != K_NONE) {
        call.op = low.kind != K_NONE ? AOP_MAXIMUM : AOP_MINIMUM;
        operands[1] = low.kind != K_NONE ? low : high;
        call.count = 2;
    }
    st = ufunc_apply(vm, &call, out);
    release(vm, array);
    return st == ST_NOTIMPL ? vm_raise(vm, EXC_TypeError, "clip of '%s'", type_name(vm, args[0])) : st;
}

// Rounds real and imaginary parts separately: scaled together, an infinite part would make the other
// NaN. Consumes `v`.
static Status round_parts(Vm *vm, Value v, Value decimals, Value into, Value *out) {
    Value part, rounded, made = retain(into);
    View to;
    Status st = ST_OK;
    if (into.kind != K_ARRAY) st = array_copy(vm, v, v.array->dtype, &made);
    else if (dtype_kind(into.array->dtype) != DK_COMPLEX)
        st = vm_raise(vm, EXC_TypeError, "array does not have imaginary part to set");
    else st = array_check_writeable(vm, into.array, "assignment destination");
    for (int i = 0; st == ST_OK && i < 2; i++) {
        st = i == 0 ? array_real(vm, v, &part) : array_imag(vm, v, &part);
        if (st == ST_OK) {
            st = array_m_round(vm, (Value[]){part, decimals, V_NONE}, &rounded);
            release(vm, part);
        }
        if (st != ST_OK) break;
        st = i == 0 ? array_real(vm, made, &part) : array_imag(vm, made, &part);
        if (st == ST_OK) {
            array_view(part.array, &to);
            st = array_assign(vm, &to, rounded);
            release(vm, part);
        }
        release(vm, rounded);
    }
    release(vm, v);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

// Rounds integers to whole numbers, which only copies them. Consumes `v`.
static Status round_whole(Vm *vm, Value v, Value into, Value *out) {
    if (into.kind != K_ARRAY) {
        Status st = array_copy(vm, v, v.array->dtype, out);
        release(vm, v);
        return st;
    }
    *out = v;
    if (dtype_can_cast(v.array->dtype, into.array->dtype, CAST_SAME_KIND))
        return into_out(vm, into, ST_OK, out);
    Status st = cannot_cast_array(vm, v, into.array->dtype, CAST_SAME_KIND);
    release(vm, v);
    return st;
}

// Rounds by scaling, rounding and scaling back. Each step writes to `into`, if that is an array, which
// must accept its type. Consumes `v`.
static Status round_scaled(Vm *vm, Value v, int64_t decimals, Value into, Value *out) {
    Value scale = v_float(pow(10, fabs((double)decimals))), scaled, rounded;
    OpId there = decimals < 0 ? AOP_DIVIDE : AOP_MULTIPLY,
         back = decimals < 0 ? AOP_MULTIPLY : AOP_DIVIDE;
    if (decimals == 0) {
        Status st = array_apply(vm, AOP_RINT, &v, 1, into, DT_NONE, out);
        release(vm, v);
        return st;
    }
    Status st = array_apply(vm, there, (Value[]){v, scale}, 2, into, DT_NONE, &scaled);
    release(vm, v);
    if (st != ST_OK) return st;
    st = array_apply(vm, AOP_RINT, &scaled, 1, into, DT_NONE, &rounded);
    release(vm, scaled);
    if (st != ST_OK) return st;
    st = array_apply(vm, back, (Value[]){rounded, scale}, 2, into, DT_NONE, out);
    release(vm, rounded);
    return st;
}

static Status check_rounded_shape(Vm *vm, Array *array, Value into) {
    size_t size = (size_t)array->ndim * sizeof(int64_t);
    if (into.kind != K_ARRAY || (into.array->ndim == array->ndim &&
                                 memcmp(array_shape(into.array), array_shape(array), size) == 0))
        return ST_OK;
    return vm_raise(vm, EXC_ValueError, "invalid output shape");
}

// Rounds an array; consumes `v`. As in NumPy, rounding bools to decimals would need a bool result, and
// is an error.
static Status round_array(Vm *vm, Value v, Value decimals_arg, Value into, Value *out) {
    int64_t decimals;
    Status st = array_long(vm, decimals_arg, &decimals) == ST_OK ? ST_OK : op_refused(vm);
    if (st == ST_OK) st = check_rounded_shape(vm, v.array, into);
    if (st != ST_OK) {
        release(vm, v);
        return st;
    }
    DType own = v.array->dtype;
    if (dtype_kind(own) == DK_COMPLEX) return round_parts(vm, v, decimals_arg, into, out);
    bool whole = dtype_is_integer(own) && own != DT_BOOL, given = into.kind == K_ARRAY;
    if (whole && decimals >= 0) return round_whole(vm, v, into, out);
    Value bools = V_UNDEF;
    if (own == DT_BOOL && !given && decimals != 0) st = array_copy(vm, v, DT_BOOL, &bools);
    if (st != ST_OK) {
        release(vm, v);
        return st;
    }
    st = round_scaled(vm, v, decimals, given ? into : bools, out);
    release(vm, bools);
    return st == ST_OK && whole && !given ? as_type(vm, out, own) : st;
}

Status array_m_round(Vm *vm, const Value *args, Value *out) {
    Value v;
    Status st = check_out_argument(vm, args[2]);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &v);
    if (st != ST_OK) return st;
    st = round_array(vm, v, args[1], args[2].kind == K_ARRAY ? args[2] : V_UNDEF, out);
    bool given = args[2].kind == K_ARRAY && !is_numpy_scalar(args[0]);
    return st == ST_OK && !given && out->kind == K_ARRAY ? array_to_scalar(vm, out) : st;
}

// --- Shapes ------------------------------------------------------------------------------------

// Checks out= of a product, which must have exactly the product's type and dimensions, and be contiguous.
static Status check_product_output(Vm *vm, Value into, Value product) {
    if (into.kind != K_ARRAY) return ST_OK; // into_out reports other values
    bool is_array = product.kind == K_ARRAY;
    DType type = is_array ? product.array->dtype : scalar_dtype(product);
    if (into.array->dtype == type && into.array->ndim == (is_array ? product.array->ndim : 0) &&
        array_is_in_order(into.array, ORDER_C))
        return ST_OK;
    return vm_raise(vm, EXC_ValueError, "output array is not acceptable (must have the right datatype, "
                    "number of dimensions, and be a C-Array)");
}

Status array_m_dot(Vm *vm, const Value *args, Value *out) {
    Status st = array_dot(vm, args[0], args[1], out);
    if (st == ST_OK && (st = check_product_output(vm, args[2], *out)) != ST_OK) release(vm, *out);
    return into_out(vm, args[2], st, out);
}

Status array_m_ravel(Vm *vm, const Value *args, Value *out) {
    Value array;
    Order order;
    Status st = order_from(vm, args[1], ORDER_C, &order);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_ravel_ordered(vm, array, false, order, out);
    release(vm, array);
    return st;
}

Status array_m_copy(Vm *vm, const Value *args, Value *out) {
    Value array;
    Order order;
    Status st = order_from(vm, args[1], ORDER_C, &order);
    if (st == ST_OK) st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_copy_ordered(vm, array, array.array->dtype, order, out);
    release(vm, array);
    return st;
}

// Drops all axes of extent 1.
static Status squeeze_all(Vm *vm, Value array, Value *out) {
    View view;
    array_view(array.array, &view);
    int kept = 0;
    for (int d = 0; d < view.ndim; d++) {
        if (view.shape[d] == 1) continue;
        view.shape[kept] = view.shape[d];
        view.strides[kept++] = view.strides[d];
    }
    if (kept == view.ndim) { // as in NumPy, returns the array, not a view
        *out = retain(array);
        return ST_OK;
    }
    view.ndim = kept;
    return array_of_view(vm, &view, array, out);
}

Status array_m_squeeze(Vm *vm, const Value *args, Value *out) {
    Value array;
    View view;
    AxisSet axes;
    if (args[0].kind == K_ARRAY && args[1].kind == K_NONE) return squeeze_all(vm, args[0], out);
    if (args[0].kind == K_SCALAR && args[1].kind == K_NONE) {
        *out = args[0];
        return ST_OK;
    }
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    array_view(array.array, &view);
    st = args[1].kind == K_TUPLE ? ST_OK : axis_argument(vm, args[1]);
    if (st == ST_OK)
        st = axes_from(vm, is_lone_axis(array, args[1]) ? V_NONE : args[1], view.ndim, &axes);
    int kept = 0;
    for (int d = 0; st == ST_OK && d < view.ndim; d++) {
        bool named = axes >> d & 1;
        if (named && view.shape[d] != 1 && args[1].kind != K_NONE)
            st = vm_raise(vm, EXC_ValueError, "cannot select an axis to squeeze out which has size "
                          "not equal to one");
        if (named && view.shape[d] == 1) continue;
        view.shape[kept] = view.shape[d];
        view.strides[kept++] = view.strides[d];
    }
    bool same = kept == view.ndim && args[0].kind == K_ARRAY;
    view.ndim = kept;
    if (st == ST_OK && same) *out = retain(args[0]);
    else if (st == ST_OK) st = array_of_view(vm, &view, array, out);
    release(vm, array);
    return st == ST_OK && is_numpy_scalar(args[0]) ? array_to_scalar(vm, out) : st;
}

Status array_m_nonzero(Vm *vm, const Value *args, Value *out) {
    Value array;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = array_nonzero(vm, array, out);
    release(vm, array);
    return st;
}

Status array_m_swapaxes(Vm *vm, const Value *args, Value *out) {
    Value array;
    int64_t unused;
    int order[NDIM_MAX], a, b;
    if (int_argument(vm, args[1], &unused) != ST_OK || int_argument(vm, args[2], &unused) != ST_OK)
        return ST_ERROR;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    for (int d = 0; d < NDIM_MAX; d++) order[d] = d;
    st = axis_named(vm, args[1], array.array->ndim, "axis1", &a);
    if (st == ST_OK) st = axis_named(vm, args[2], array.array->ndim, "axis2", &b);
    if (st == ST_OK) {
        order[a] = b;
        order[b] = a;
        st = array_transpose(vm, array, order, out);
    }
    release(vm, array);
    return st;
}

// Repeats each element: adds an axis of stride 0 after the repeated one.
Status array_m_repeat(Vm *vm, const Value *args, Value *out) {
    Value array;
    int64_t repeats;
    int axis = 0;
    if (args[1].kind != K_INT && args[1].kind != K_SCALAR) return array_repeat_each(vm, args[0], args[1], args[2], out);
    if (array_long(vm, args[1], &repeats) != ST_OK) return op_refused(vm);
    if (axis_argument(vm, args[2]) != ST_OK) return ST_ERROR;
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    st = axis_along(vm, &array, args[2], &axis);
    View from, to;
    Value made = V_UNDEF;
    if (st == ST_OK) {
        array_view(array.array, &from);
        if (from.ndim == NDIM_MAX) st = vm_raise(vm, EXC_ValueError, "too many dimensions");
    }
    if (st == ST_OK) {
        int64_t shape[NDIM_MAX];
        memcpy(shape, from.shape, sizeof shape);
        if (shape[axis] == 0) repeats = 0; // with no elements, nothing to repeat
        if (repeats < 0) st = vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
        else if (__builtin_mul_overflow(shape[axis], repeats, &shape[axis])) st = array_too_big(vm);
        else st = array_new(vm, from.dtype, from.ndim, shape, ROOM_PLACED, &made);
    }
    if (st == ST_OK) {
        array_view(made.array, &to);
        to.ndim++;
        for (int d = to.ndim - 1; d > axis; d--) {
            to.shape[d] = to.shape[d - 1];
            to.strides[d] = to.strides[d - 1];
        }
        to.shape[axis] = from.shape[axis];
        to.shape[axis + 1] = repeats;
        to.strides[axis] = to.strides[axis + 1] * repeats;
        from.ndim++;
        for (int d = from.ndim - 1; d > axis + 1; d--) {
            from.shape[d] = from.shape[d - 1];
            from.strides[d] = from.strides[d - 1];
        }
        from.shape[axis + 1] = 1;
        from.strides[axis + 1] = 0;
        Value view;
        st = array_of_view(vm, &from, array, &view);
        if (st == ST_OK) {
            st = array_assign(vm, &to, view);
            release(vm, view);
        }
    }
    release(vm, array);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}
