// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Converts Python values to arrays, dtypes, shapes and axes.

#include <inttypes.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/value/asking.h"
#include "vm/value/class.h"
#include "vm/value/ops.h"

bool is_array_like(Value v) {
    return v.kind == K_LIST || v.kind == K_TUPLE || v.kind == K_RANGE || v.kind == K_ARRAY;
}

Status array_long(Vm *vm, Value v, int64_t *out) {
    if (v.kind != K_INT) return op_index_or(vm, v, EXC_OverflowError, "Python int too large to convert to C long", out);
    *out = v.i;
    return ST_OK;
}

Status array_stand_in(Vm *vm, Value *v) {
    if (v->kind == K_DEQUE) return op_ask(vm, ASK_SEQUENCE, *v, v);
    if (v->kind != K_INSTANCE) return ST_OK;
    if (op_user_method(vm, *v, NAME_array)) return op_ask(vm, ASK_ARRAY, *v, v);
    Value inner = unwrap(*v);
    if (inner.kind == K_DEQUE)
        return op_ask(vm, ASK_SEQUENCE, *v, v);
    if (inner.kind != K_INSTANCE)
        *v = inner;
    else if (op_user_method(vm, *v, NAME_len) && op_user_method(vm, *v, NAME_getitem))
        return op_ask(vm, ASK_SEQUENCE, *v, v);
    return ST_OK;
}

// --- Nested sequences --------------------------------------------------------------------------

typedef struct Discovery {
    int ndim;                 // number of dimensions found so far; -1: no items yet
    int64_t shape[NDIM_MAX];
    DType dtype;
    int ragged_at;            // first dimension with differing lengths; -1: none
    DType wanted;             // requested type; DT_NONE: from the elements
} Discovery;

static int64_t sequence_len(Value v) {
    switch (v.kind) {
    case K_LIST: return (int64_t)v.list->len;
    case K_TUPLE: return (int64_t)v.tuple->len;
    case K_RANGE: return v.range->len;
    default: return 0;
    }
}

static Value sequence_item(Value v, int64_t i) {
    switch (v.kind) {
    case K_LIST: return v.list->items[i];
    case K_TUPLE: return v.tuple->items[i];
    default: return v_int(v.range->start + i * v.range->step);
    }
}

static Status leaf_type(Vm *vm, Value v, DType wanted, DType *out) {
    if (wanted != DT_NONE && v.kind != K_ARRAY) {
        *out = wanted;
        return ST_OK;
    }
    switch (v.kind) {
    case K_BOOL: *out = DT_BOOL; return ST_OK;
    case K_INT: *out = DT_INT64; return ST_OK;
    case K_BIGINT: *out = DT_UINT64; return ST_OK;
    case K_FLOAT: *out = DT_FLOAT64; return ST_OK;
    case K_SCALAR:
    case K_COMPLEX_SCALAR: *out = scalar_dtype(v); return ST_OK;
    case K_ARRAY: *out = v.array->dtype; return ST_OK;
    case K_COMPLEX: *out = DT_COMPLEX128; return ST_OK;
    case K_STR: return vm_raise(vm, EXC_NotImplementedError, "arrays of strings");
    case K_BYTES: return vm_raise(vm, EXC_NotImplementedError, "arrays of bytes objects");
    default:
        return vm_raise(vm, EXC_NotImplementedError, "arrays of objects (here: '%s')",
                        type_name(vm, v));
    }
}

static Status too_deep(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "setting an array element with a sequence. The requested "
                    "array would exceed the maximum number of dimension of %d.", NDIM_MAX);
}

static void note_ragged(Discovery *d, int depth) {
    if (d->ragged_at < 0 || depth < d->ragged_at) d->ragged_at = depth;
}

// Records the extent of one dimension, or the extents of an array found at `depth`.
static void note_extent(Discovery *d, int depth, int64_t extent, bool first) {
    if (first) {
        d->shape[depth] = extent;
        d->ndim = depth + 1;
    } else if (d->shape[depth] != extent) {
        note_ragged(d, depth);
    }
}

// Finds the dimension in which an array differs from the items before it.
static void compare_array(Discovery *d, int depth, Array *a) {
    int common = depth + a->ndim < d->ndim ? a->ndim : d->ndim - depth;
    for (int i = 0; i < common; i++)
        if (array_shape(a)[i] != d->shape[depth + i]) return note_ragged(d, depth + i);
    if (depth + a->ndim != d->ndim) note_ragged(d, depth + (common > 0 ? common : 0));
}

static Status discover(Vm *vm, Value v, int depth, bool first, Discovery *d) {
    Status held = array_stand_in(vm, &v);
    if (held != ST_OK) return held;
    bool leaf = !is_array_like(v);
    int below = leaf ? 0 : v.kind == K_ARRAY ? v.array->ndim : 1;
    if (depth + below > NDIM_MAX) return too_deep(vm);
    bool array = v.kind == K_ARRAY && below > 0;
    if (!first && !array && ((below == 0 && depth < d->ndim) || depth + below > d->ndim)) {
        note_ragged(d, depth);
        if (!leaf || depth >= d->ndim) return ST_OK;
    }
    if (leaf || v.kind == K_ARRAY) {
        DType type = DT_NONE;
        Status st = leaf_type(vm, v, d->wanted, &type);
        if (st != ST_OK) return st;
        d->dtype = d->dtype == DT_NONE ? type : dtype_promote(d->dtype, type);
        if (array && !first) compare_array(d, depth, v.array);
        for (int i = 0; first && i < below; i++)
            note_extent(d, depth + i, array_shape(v.array)[i], true);
        if (first && below == 0) d->ndim = depth;
        return ST_OK;
    }
    int64_t n = sequence_len(v);
    note_extent(d, depth, n, first);
    for (int64_t i = 0; i < n; i++) {
        Status st = discover(vm, sequence_item(v, i), depth + 1, first && i == 0, d);
        if (st == ST_OK) st = vm_poll_at(vm, (size_t)i);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

static Status ragged(Vm *vm, const Discovery *d) {
    Buf text;
    buf_init(&text, &vm->mem);
    shape_text(d->shape, d->ragged_at, &text);
    buf_putc(&text, '\0');
    Status st = text.failed
                    ? vm_no_memory(vm)
                    : vm_raise(vm, EXC_ValueError,
                               "setting an array element with a sequence. The requested array has "
                               "an inhomogeneous shape after %d dimensions. The detected shape was "
                               "%s + inhomogeneous part.", d->ragged_at, text.data);
    buf_free(&text);
    return st;
}

static Status fill_nested(Vm *vm, View *to, int depth, int64_t offset, Value v) {
    Status held = array_stand_in(vm, &v);
    if (held != ST_OK) return held;
    if (v.kind == K_ARRAY) {
        View part = *to;
        part.offset = offset;
        part.ndim = to->ndim - depth;
        memmove(part.shape, to->shape + depth, (size_t)part.ndim * sizeof *part.shape);
        memmove(part.strides, to->strides + depth, (size_t)part.ndim * sizeof *part.strides);
        return array_assign(vm, &part, v);
    }
    if (depth == to->ndim) {
        Scalar s;
        Status st = depth > 0 || v.kind == K_NONE ? element_from(vm, v, to->dtype, &s)
                              : scalar_from(vm, v, to->dtype, &s);
        char *base = st == ST_OK ? graph_write(vm, to->storage) : NULL;
        if (!base) return st == ST_OK ? ST_ERROR : st;
        dtype_store(to->dtype, base + offset, s);
        return ST_OK;
    }
    for (int64_t i = 0; i < to->shape[depth]; i++) {
        Status st = fill_nested(vm, to, depth + 1, offset + i * to->strides[depth],
                                sequence_item(v, i));
        if (st == ST_OK) st = vm_poll_at(vm, (size_t)i);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}

static Status from_sequence(Vm *vm, Value v, DType dtype, Value *out) {
    Discovery d = {.ndim = -1, .dtype = DT_NONE, .ragged_at = -1, .wanted = dtype};
    Status st = discover(vm, v, 0, true, &d);
    if (st != ST_OK) return st;
    if (d.ragged_at >= 0) return ragged(vm, &d);
    if (dtype == DT_NONE) dtype = d.dtype == DT_NONE ? DT_FLOAT64 : d.dtype;
    Value made;
    View view;
    st = array_new(vm, dtype, d.ndim, d.shape, ROOM_HOST, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &view);
    st = fill_nested(vm, &view, 0, view.offset, v);
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

Status array_from(Vm *vm, Value v, DType dtype, Value *out) {
    Status held = array_stand_in(vm, &v);
    if (held != ST_OK) return held;
    if (v.kind == K_ARRAY) {
        if (dtype != DT_NONE && dtype != v.array->dtype) return array_copy(vm, v, dtype, out);
        *out = retain(v);
        return ST_OK;
    }
    if (v.kind == K_FLATITER) {
        Value flat;
        Status st = array_of_flat(vm, v, &flat);
        if (st != ST_OK) return st;
        st = array_from(vm, flat, dtype, out);
        release(vm, flat);
        return st;
    }
    if (dtype == DT_NONE && (v.kind == K_ITER || v.kind == K_SET || v.kind == K_FROZENSET || v.kind == K_DICT ||
                             v.kind == K_GEN || v.kind == K_STEPPER || v.kind == K_DICTVIEW))
        return vm_raise(vm, EXC_NotImplementedError, "arrays of objects (here: '%s'); make a list "
                        "of it first", type_name(vm, v));
    return from_sequence(vm, v, dtype, out);
}

// --- dtype, shape, axis ------------------------------------------------------------------------

// Raises TypeError for an abstract scalar class, which does not name one dtype.
static Status dtype_of_abstract(Vm *vm, const Class *cls) {
    static const struct {
        const char *name, *refused;
    } rows[] = {
        {"number", "`np.inexact` or `np.floating` to a dtype not allowed"},
        {"inexact", "`np.inexact` or `np.floating` to a dtype not allowed"},
        {"floating", "`np.inexact` or `np.floating` to a dtype not allowed"},
        {"complexfloating", "`np.complex` to a dtype is not allowed."},
        {"integer", "'np.integer' or 'np.signedinteger' to a dtype is not allowed"},
        {"signedinteger", "'np.integer' or 'np.signedinteger' to a dtype is not allowed"},
        {"unsignedinteger", "`np.unsignedinteger` to a dtype is not allowed"},
        {"generic", "`np.generic` to a dtype is not allowed."},
    };
    bool abstract = false;
    for (int t = DT_COUNT; t < SCALAR_CLASSES; t++) abstract |= vm->scalar_classes[t] == cls;
    for (size_t i = 0; abstract && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(cls->name->data, rows[i].name) == 0)
            return vm_raise(vm, EXC_TypeError, "Converting %s", rows[i].refused);
    return vm_raise(vm, EXC_NotImplementedError, "arrays of %s", cls->name->data);
}

Status dtype_from(Vm *vm, Value v, DType fallback, DType *out) {
    *out = fallback;
    if (v.kind == K_UNDEF || v.kind == K_NONE) return ST_OK;
    if (v.kind == K_DTYPE) {
        *out = (DType)v.obj->aux;
        return ST_OK;
    }
    if (v.kind == K_CLASS) {
        if (v.cls == vm->classes[K_FLOAT]) *out = DT_FLOAT64;
        else if (v.cls == vm->classes[K_INT]) *out = DT_INT64;
        else if (v.cls == vm->classes[K_BOOL]) *out = DT_BOOL;
        else if (v.cls == vm->classes[K_COMPLEX]) *out = DT_COMPLEX128;
        else {
            int t = 0;
            while (t < DT_COUNT && vm->scalar_classes[t] != v.cls) t++;
            if (t == DT_COUNT) return dtype_of_abstract(vm, v.cls);
            *out = (DType)t;
        }
        return ST_OK;
    }
    if (v.kind == K_STR) {
        bool swapped;
        DType t = dtype_by_name(v.str->data, v.str->len, &swapped);
        if (t == DT_NONE)
            return vm_raise(vm, EXC_TypeError, "data type '%s' not understood", v.str->data);
        if (swapped)
            return vm_raise(vm, EXC_NotImplementedError, "arrays in the other byte order ('%s')",
                            v.str->data);
        *out = t;
        return ST_OK;
    }
    Value text;
    bool fields = v.kind == K_LIST && v.list->len > 0 && v.list->items[0].kind != K_TUPLE;
    if (op_repr_value(vm, fields ? v.list->items[0] : v, &text) != ST_OK) return ST_ERROR;
    Status st = vm_raise(vm, EXC_TypeError,
                         fields ? "Field elements must be 2- or 3-tuples, got '%s'"
                                : "Cannot interpret '%s' as a data type", text.str->data);
    release(vm, text);
    return st;
}

static Status shape_item(Vm *vm, Value v, int64_t *out) {
    return op_index_or(vm, v, EXC_ValueError, "Maximum allowed dimension exceeded", out);
}

static Status no_shape(Vm *vm, Value v) {
    Value text;
    if (v.kind == K_STR) return ST_ERROR; // for a sequence, the error about its items is already
                                          // set
    vm_clear_error(vm);
    if (op_repr_value(vm, v, &text) != ST_OK) return ST_ERROR;
    Status st = vm_raise(vm, EXC_TypeError, "expected a sequence of integers or a single "
                         "integer, got '%s'", text.str->data);
    release(vm, text);
    return st;
}

Status shape_from(Vm *vm, Value v, int64_t *shape, int *ndim) {
    Value given = v;
    v = unwrap(v);
    if (v.kind == K_BOOL) return no_shape(vm, given);
    if (v.kind == K_DEQUE || (v.kind == K_INSTANCE && op_user_method(vm, v, NAME_getitem))) {
        Status st = op_ask(vm, ASK_ITEMS, v, &v);
        if (st != ST_OK) return st;
    }
    if (v.kind == K_ARRAY && v.array->ndim == 1) {
        Value list;
        Status st = array_tolist(vm, v, &list);
        if (st != ST_OK) return st;
        st = shape_from(vm, list, shape, ndim);
        release(vm, list);
        return st;
    }
    if (v.kind != K_LIST && v.kind != K_TUPLE && v.kind != K_RANGE) {
        *ndim = 1;
        Status st = shape_item(vm, v, shape);
        if (st == ST_ERROR && vm_error_is(vm, EXC_TypeError) && !is_array_like(v))
            return no_shape(vm, given);
        return st;
    }
    int64_t n = sequence_len(v);
    if (n > NDIM_MAX)
        return vm_raise(vm, EXC_ValueError, "maximum supported dimension for an ndarray is "
                        "%d, found %" PRId64, NDIM_MAX, n);
    for (int64_t i = 0; i < n; i++) {
        Status st = shape_item(vm, sequence_item(v, i), &shape[i]);
        if (st != ST_OK) return st;
    }
    *ndim = (int)n;
    return ST_OK;
}

Status shape_argument(Vm *vm, Value v, int64_t *shape, int *ndim) {
    if (v.kind == K_NONE) return vm_raise(vm, EXC_TypeError, "Use () not None as shape arguments");
    return shape_from(vm, v, shape, ndim);
}

Status shape_of_new(Vm *vm, const int64_t *shape, int ndim) {
    for (int i = 0; i < ndim; i++)
        if (shape[i] < 0)
            return vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    return ST_OK;
}

// Converts an int to a C int. `error`, `large` and `small`: the error if it does not fit.
static Status c_int(Vm *vm, Value v, ExcKind error, const char *large, const char *small,
                    int64_t *out) {
    if (v.kind == K_BIGINT)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C long");
    Status st = array_long(vm, v, out);
    if (st == ST_OK && *out > INT32_MAX) return vm_raise(vm, error, "%s", large);
    if (st == ST_OK && *out < INT32_MIN) return vm_raise(vm, error, "%s", small);
    return st;
}

static Status axis_number(Vm *vm, Value v, int64_t *axis) {
    const char *text = "integer won't fit into a C int";
    return c_int(vm, v, EXC_ValueError, text, text, axis);
}

Status int_argument(Vm *vm, Value v, int64_t *out) {
    return c_int(vm, v, EXC_OverflowError, "signed integer is greater than maximum",
                 "signed integer is less than minimum", out);
}

static bool is_truth(Value v) {
    return v.kind == K_BOOL || (v.kind == K_SCALAR && scalar_dtype(v) == DT_BOOL);
}

static Status axis_within(Vm *vm, int64_t axis, int ndim, const char *name, int *out) {
    if (axis < -ndim || axis >= ndim)
        return vm_raise_axis(vm, axis, ndim, name);
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return ST_OK;
}

Status axis_named(Vm *vm, Value v, int ndim, const char *name, int *out) {
    int64_t axis;
    Status st = axis_number(vm, v, &axis);
    return st == ST_OK ? axis_within(vm, axis, ndim, name, out) : st;
}

static Status normal_number(Vm *vm, Value v, int64_t *axis) {
    const char *text = "Python int too large to convert to C int";
    if (v.kind == K_FLOAT || (v.kind == K_SCALAR && scalar_dtype(v) == DT_FLOAT64))
        return vm_raise(vm, EXC_TypeError, "integer argument expected, got float");
    return c_int(vm, v, EXC_OverflowError, text, text, axis);
}

Status axis_number_normal(Vm *vm, Value v) {
    int64_t axis;
    return normal_number(vm, v, &axis);
}

Status axis_normal(Vm *vm, Value v, int ndim, const char *name, int *out) {
    int64_t axis;
    Status st = normal_number(vm, v, &axis);
    return st == ST_OK ? axis_within(vm, axis, ndim, name, out) : st;
}

Status axis_argument(Vm *vm, Value v) {
    int64_t axis;
    if (v.kind == K_NONE) return ST_OK;
    if (is_truth(v)) return vm_raise(vm, EXC_TypeError, "an integer is required for the axis");
    return axis_number(vm, v, &axis);
}

Status axis_from(Vm *vm, Value v, int ndim, int *out) {
    if (is_truth(v)) return vm_raise(vm, EXC_TypeError, "an integer is required for the axis");
    return axis_named(vm, v, ndim, "", out);
}

static Status axis_of_set(Vm *vm, Value v, int ndim, int *out) {
    if (is_truth(v)) return vm_raise(vm, EXC_TypeError, "an integer is required");
    return axis_named(vm, v, ndim, "", out);
}

Status axes_from(Vm *vm, Value v, int ndim, AxisSet *out) {
    *out = axes_below(ndim);
    if (v.kind == K_NONE || v.kind == K_UNDEF) return ST_OK;
    int axis;
    *out = 0;
    if (v.kind != K_TUPLE) {
        Status st = axis_of_set(vm, v, ndim, &axis);
        if (st == ST_OK) *out = axis_bit(axis);
        return st;
    }
    for (size_t i = 0; i < v.tuple->len; i++) {
        Status st = axis_of_set(vm, v.tuple->items[i], ndim, &axis);
        if (st != ST_OK) return st;
        if (*out >> axis & 1) return vm_raise(vm, EXC_ValueError, "duplicate value in 'axis'");
        *out |= axis_bit(axis);
    }
    return ST_OK;
}
