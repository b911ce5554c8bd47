// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts values to single elements.

#include <math.h>

#include "vm/array/array.h"
#include "vm/value/asking.h"
#include "vm/value/num.h"
#include "vm/value/num_methods.h"
#include "vm/value/ops.h"

// Converts a big int to 64 bits without sign; false: negative or too large.
static bool int_to_u64(Value v, uint64_t *out) {
    if (int_sign(v) < 0 || v.big->used > 2 || (v.big->used == 2 && v.big->digits[1] >> 4)) return false;
    *out = v.big->digits[0] | (v.big->used == 2 ? v.big->digits[1] << 60 : 0);
    return true;
}

static Status out_of_bounds(Vm *vm, Value v, DType dtype) {
    Value text;
    uint64_t u; // NumPy reads the full range for its widest unsigned integers; for others, a long
    if (v.kind == K_BIGINT && !((dtype == DT_UINT64 || dtype == DT_UINT32) && int_to_u64(v, &u)))
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
    if (op_repr_value(vm, v, &text) != ST_OK) return ST_ERROR;
    Status st = vm_raise(vm, EXC_OverflowError, "Python integer %s out of bounds for %s",
                         text.str->data, dtype_info[dtype].name);
    release(vm, text);
    return st;
}

// Casts one element. Reports overflow if a number is too large for a smaller float, and an invalid operation if a float
// has no integer of the type.
static Status convert(Vm *vm, DType from, DType to, Scalar s, Scalar *out) {
    bool was_infinite = dtype_is_inexact(from) && isinf(s.f);
    bool parts = dtype_kind(from) == DK_COMPLEX && dtype_kind(to) == DK_COMPLEX;
    *out = dtype_convert(from, to, s);
    if (warn_of_cast(vm, from, to) != ST_OK) return ST_ERROR;
    if (dtype_is_integer(to) && dtype_is_inexact(from) && !dtype_holds(to, s.f))
        return vm_float_error(vm, FLOAT_INVALID, "", "cast");
    if ((dtype_is_inexact(to) && isinf(out->f) && !was_infinite) ||
        (parts && isinf(out->im) && !isinf(s.im)))
        return vm_float_error(vm, FLOAT_OVERFLOW, "", "cast");
    return ST_OK;
}

Status warn_of_cast(Vm *vm, DType from, DType to) {
    if (dtype_kind(from) != DK_COMPLEX || dtype_kind(to) == DK_COMPLEX || to == DT_BOOL) return ST_OK;
    return vm_warn(vm, EXC_ComplexWarning, "Casting complex values to real discards the imaginary part");
}

Status not_zero_dimensional(Vm *vm) {
    return vm_raise(vm, EXC_TypeError, "only 0-dimensional arrays can be converted to Python scalars");
}

Status exceeds_one_dimension(Vm *vm, Value given) {
    if (given.kind == K_ARRAY) return vm_raise(vm, EXC_ValueError, "object too deep for desired array");
    return vm_raise(vm, EXC_ValueError, "setting an array element with a sequence. The requested array would exceed "
                    "the maximum number of dimension of 1.");
}

static Status scalar_of_int(Vm *vm, Value v, DType dtype, Scalar *out) {
    int64_t i;
    if (dtype_is_inexact(dtype)) {
        Scalar wide;
        Status st = int_to_double(vm, v, &wide.f);
        return st == ST_OK ? convert(vm, DT_FLOAT64, dtype, wide, out) : st;
    }
    if (dtype_kind(dtype) == DK_BOOL) {
        out->i = int_sign(v) != 0;
        return ST_OK;
    }
    if (!int_to_i64(v, &i)) {
        if (dtype != DT_UINT64 || !int_to_u64(v, &out->u)) return out_of_bounds(vm, v, dtype);
        return ST_OK;
    }
    bool fits = i < 0 ? dtype_kind(dtype) == DK_INT && i >= dtype_min(dtype)
                      : (uint64_t)i <= dtype_max(dtype);
    if (!fits) return out_of_bounds(vm, v, dtype);
    out->i = i;
    return ST_OK;
}

static Status complex_from_text(Vm *vm, Value v, DType dtype, Scalar *out) {
    Scalar wide;
    if (!complex_parse(v.str->data, v.str->len, &wide.re, &wide.im))
        return vm_raise(vm, EXC_ValueError, "complex() arg is a malformed string");
    return convert(vm, DT_COMPLEX128, dtype, wide, out);
}

// Wraps an int as C casts a long; false: not an int.
static bool wrapped_int(Value v, DType dtype, Scalar *out) {
    Scalar wide;
    bool is_long = int_to_i64(v, &wide.i);
    bool is_wide = !is_long && (dtype == DT_UINT32 || dtype == DT_UINT64) && int_to_u64(v, &wide.u);
    *out = dtype_convert(is_long ? DT_INT64 : DT_UINT64, dtype, wide);
    return is_long || is_wide;
}

// Converts a string or object by int(v), and wraps the result if it does not fit the type. OverflowError if it does not
// fit 64 bits.
static Status whole_of_object(Vm *vm, Value v, DType dtype, Scalar *out) {
    Value whole;
    Status st = v.kind == K_STR ? int_from_text(vm, v.str->data, v.str->len, 10, &whole)
                                : num_to_int(vm, v, &whole);
    if (st == ST_NOTIMPL)
        return vm_raise(vm, EXC_TypeError,
                        "int() argument must be a string, a bytes-like object or a real "
                        "number, not '%s'",
                        type_name(vm, v));
    if (st != ST_OK) return st;
    if (!wrapped_int(whole, dtype, out))
        st = vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
    release(vm, whole);
    return st;
}

Status scalar_from(Vm *vm, Value v, DType dtype, Scalar *out) {
    Status held = array_stand_in(vm, &v);
    if (held != ST_OK) return held;
    if (is_int(v)) return scalar_of_int(vm, v, dtype, out);
    if (v.kind == K_FLOAT) {
        if (!dtype_is_integer(dtype) || dtype == DT_BOOL)
            return convert(vm, DT_FLOAT64, dtype, (Scalar){.f = v.f}, out);
        Value whole; // int(v) must fit
        Status st = int_from_double(vm, v.f, &whole);
        if (st != ST_OK) return st;
        st = scalar_of_int(vm, whole, dtype, out);
        release(vm, whole);
        return st;
    }
    if (is_numpy_scalar(v)) return convert(vm, scalar_dtype(v), dtype, scalar_of(v), out);
    if (v.kind == K_ARRAY && array_size(v.array) == 1) {
        const char *data = graph_read_element(vm, v.array->storage, v.array->offset, dtype_size(v.array->dtype));
        if (!data) return ST_ERROR;
        return convert(vm, v.array->dtype, dtype, dtype_load(v.array->dtype, data), out);
    }
    if (is_array_like(v))
        return vm_raise(vm, EXC_ValueError, "setting an array element with a sequence.");
    if (v.kind == K_COMPLEX && (dtype == DT_BOOL || dtype_kind(dtype) == DK_COMPLEX)) {
        const Scalar wide = {.re = v.complex->re, .im = v.complex->im};
        return convert(vm, DT_COMPLEX128, dtype, wide, out);
    }
    if (v.kind == K_STR && dtype_kind(dtype) == DK_COMPLEX) return complex_from_text(vm, v, dtype, out);
    if (v.kind == K_STR && dtype_kind(dtype) == DK_FLOAT) {
        double d;
        if (float_parse(v.str->data, v.str->len, &d))
            return convert(vm, DT_FLOAT64, dtype, (Scalar){.f = d}, out);
        return vm_raise(vm, EXC_ValueError, "could not convert string to float: '%s'", v.str->data);
    }
    double d;
    if (dtype_kind(dtype) == DK_BOOL) {
        bool truth;
        Status st = op_truth(vm, v, &truth);
        out->i = st == ST_OK && truth;
        return st;
    }
    if (!dtype_is_inexact(dtype)) return whole_of_object(vm, v, dtype, out);
    Status st;
    if (dtype_kind(dtype) == DK_COMPLEX && op_user_method(vm, v, NAME_complex_)) {
        Value answer;
        st = op_ask(vm, ASK_COMPLEX, v, &answer);
        return st == ST_OK ? scalar_from(vm, answer, dtype, out) : st;
    }
    st = op_as_double(vm, v, &d);
    if (st == ST_OK) return convert(vm, DT_FLOAT64, dtype, (Scalar){.f = d}, out);
    if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError))
        return vm_raise(vm, EXC_TypeError,
                        "float() argument must be a string or a real number, not '%s'",
                        type_name(vm, v));
    return st;
}

// --- Items of lists, and what is written in place of an element ---------------------------------

// Computes int(v) of a NumPy scalar.
static Status int_of_scalar(Vm *vm, DType type, Scalar s, Value *out) {
    switch (dtype_kind(type)) {
    case DK_UINT: return int_from_u64(vm, s.u, out);
    case DK_FLOAT: return int_from_double(vm, s.f, out);
    case DK_COMPLEX: return int_from_double(vm, s.re, out);
    default: *out = v_int(s.i); return ST_OK;
    }
}

// Converts a NumPy scalar. To signed integers it is converted by int(), as in NumPy, so it must fit. To
// all other types it is cast.
static Status element_from_scalar(Vm *vm, DType type, Scalar s, DType dtype, Scalar *out) {
    if (dtype_kind(dtype) != DK_INT || type == dtype) return convert(vm, type, dtype, s, out);
    Value whole;
    if (warn_of_cast(vm, type, dtype) != ST_OK) return ST_ERROR;
    Status st = int_of_scalar(vm, type, s, &whole);
    if (st != ST_OK) return st;
    st = scalar_of_int(vm, whole, dtype, out);
    release(vm, whole);
    return st;
}

static Status no_element(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "setting an array element with a sequence.");
}

// Converts an array with dimensions, which is only possible to bool, by its truth value.
static Status element_from_array(Vm *vm, Value v, DType dtype, Scalar *out) {
    DKind kind = dtype_kind(dtype);
    if (kind == DK_COMPLEX) return not_zero_dimensional(vm);
    return kind == DK_BOOL && array_size(v.array) == 1 ? scalar_from(vm, v, dtype, out) : no_element(vm);
}

// Converts a list to a bool by its truth value; raises NumPy's error for other types.
static Status element_from_list(Vm *vm, Value value, DType dtype, Scalar *out) {
    bool truth;
    Status st;
    switch (dtype_kind(dtype)) {
    case DK_BOOL:
        st = op_truth(vm, value, &truth);
        *out = (Scalar){.i = st == ST_OK && truth};
        return st;
    case DK_INT:
    case DK_UINT:
        return vm_raise(vm, EXC_TypeError, "int() argument must be a string, a bytes-like object or a "
                        "real number, not '%s'", type_name(vm, value));
    case DK_COMPLEX:
        return vm_raise(vm, EXC_TypeError, "must be real number, not %s", type_name(vm, value));
    default: return no_element(vm);
    }
}

Status element_from(Vm *vm, Value v, DType dtype, Scalar *out) {
    Status held = array_stand_in(vm, &v);
    if (held != ST_OK) return held;
    if (v.kind == K_NONE && dtype_is_inexact(dtype)) {
        *out =
            dtype_kind(dtype) == DK_COMPLEX ? (Scalar){.re = NAN, .im = NAN} : (Scalar){.f = NAN};
        return ST_OK;
    }
    if (is_numpy_scalar(v))
        return element_from_scalar(vm, scalar_dtype(v), scalar_of(v), dtype, out);
    if (v.kind == K_ARRAY && v.array->ndim > 0) return element_from_array(vm, v, dtype, out);
    if (is_array_like(v) && v.kind != K_ARRAY) return element_from_list(vm, v, dtype, out);
    return scalar_from(vm, v, dtype, out);
}
