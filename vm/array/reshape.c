// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reshaping, joining arrays, nested lists.

#include <inttypes.h>
#include <string.h>

#include "vm/array/array.h"
#include "vm/value/seq.h"

// --- reshape -----------------------------------------------------------------------------------

// Writes the wanted shape in NumPy's error format: leading unknown extents are omitted, others are
// "newaxis".
static void wanted_text(const int64_t *shape, int ndim, Buf *out) {
    int d = 0;
    while (d < ndim && shape[d] < 0) d++;
    buf_putc(out, '(');
    for (int first = d; d < ndim; d++) {
        if (d > first) buf_putc(out, ',');
        if (shape[d] < 0) buf_puts(out, "newaxis");
        else buf_printf(out, "%" PRId64, shape[d]);
    }
    buf_puts(out, ndim == 1 ? ",)" : ")");
}

static Status cannot_reshape(Vm *vm, int64_t size, const int64_t *shape, int ndim) {
    Buf text;
    buf_init(&text, &vm->mem);
    wanted_text(shape, ndim, &text);
    buf_putc(&text, '\0');
    Status st = text.failed ? vm_no_memory(vm)
                            : vm_raise(vm, EXC_ValueError, "cannot reshape array of size %" PRId64
                                       " into shape %s", size, text.data);
    buf_free(&text);
    return st;
}

Status shape_resolve(Vm *vm, int64_t size, const int64_t *shape, int ndim, int64_t *out) {
    int64_t known = 1;
    int unknown = -1;
    for (int d = 0; d < ndim; d++) {
        out[d] = shape[d];
        if (shape[d] >= 0) {
            if (__builtin_mul_overflow(known, shape[d], &known))
                return cannot_reshape(vm, size, shape, ndim);
            continue;
        }
        if (unknown >= 0)
            return vm_raise(vm, EXC_ValueError, "can only specify one unknown dimension");
        unknown = d;
    }
    if (unknown >= 0) {
        if (known == 0 || size % known) return cannot_reshape(vm, size, shape, ndim);
        out[unknown] = size / known;
        known = size;
    }
    return known == size ? ST_OK : cannot_reshape(vm, size, shape, ndim);
}

// Computes strides of a view with the new shape: regroups old dimensions that are contiguous with each
// other. False: the elements have to be copied.
static bool view_reshape(const View *old, const int64_t *shape, int ndim, int64_t *strides) {
    int64_t old_shape[NDIM_MAX], old_strides[NDIM_MAX];
    int old_ndim = 0, oi = 0, ni = 0;
    for (int d = 0; d < old->ndim; d++) {
        if (old->shape[d] == 1) continue;
        old_shape[old_ndim] = old->shape[d];
        old_strides[old_ndim++] = old->strides[d];
    }
    while (ni < ndim && oi < old_ndim) {
        int nj = ni + 1, oj = oi + 1;
        int64_t np = shape[ni], op = old_shape[oi];
        while (np != op) {
            if (np < op) np *= shape[nj++];
            else op *= old_shape[oj++];
        }
        for (int k = oi; k < oj - 1; k++)
            if (old_strides[k] != old_shape[k + 1] * old_strides[k + 1]) return false;
        strides[nj - 1] = old_strides[oj - 1];
        for (int k = nj - 1; k > ni; k--) strides[k - 1] = strides[k] * shape[k];
        ni = nj;
        oi = oj;
    }
    int64_t last = ni > 0 ? strides[ni - 1] : (int64_t)dtype_size(old->dtype);
    for (; ni < ndim; ni++) strides[ni] = last;
    return true;
}

Status array_reshape(Vm *vm, Value a, const int64_t *shape, int ndim, Value *out) {
    View old, view;
    array_view(a.array, &old);
    view.storage = old.storage; // only the used dimensions are initialised
    view.offset = old.offset;
    view.dtype = old.dtype;
    view.ndim = ndim;
    Status st = shape_resolve(vm, view_size(&old), shape, ndim, view.shape);
    if (st != ST_OK) return st;
    if (view_size(&old) == 0) view_fill_strides(&view);
    else if (!view_reshape(&old, view.shape, ndim, view.strides)) {
        Value copy;
        st = array_copy(vm, a, old.dtype, &copy);
        if (st != ST_OK) return st;
        st = array_reshape(vm, copy, view.shape, ndim, out);
        release(vm, copy);
        return st;
    }
    return array_of_view(vm, &view, a, out);
}

// --- Parts of complex numbers ------------------------------------------------------------------

static Status part_of(Vm *vm, Array *array, size_t at, Value *out) {
    View view;
    array_view(array, &view);
    view.dtype = array->dtype == DT_COMPLEX128 ? DT_FLOAT64 : dtype_real(array->dtype);
    view.offset += (int64_t)at;
    return array_of_view(vm, &view, v_obj(array), out);
}

Status array_real(Vm *vm, Value a, Value *out) {
    if (dtype_kind(a.array->dtype) == DK_COMPLEX) return part_of(vm, a.array, 0, out);
    *out = retain(a);
    return ST_OK;
}

Status array_imag(Vm *vm, Value a, Value *out) {
    Array *array = a.array;
    if (dtype_kind(array->dtype) == DK_COMPLEX)
        return part_of(vm, array, dtype_size(array->dtype) / 2, out);
    Status st = array_new(vm, array->dtype, array->ndim, array_shape(array), ROOM_ZEROED, out);
    if (st == ST_OK) out->array->readonly = true;
    return st;
}

// Makes a view of contiguous elements as a row.
static Status row_of(Vm *vm, Array *array, int64_t size, Value *out) {
    View view;
    view.storage = array->storage;
    view.offset = array->offset;
    view.dtype = array->dtype;
    view.ndim = 1;
    view.shape[0] = size;
    view.strides[0] = (int64_t)dtype_size(array->dtype);
    return array_of_view(vm, &view, v_obj(array), out);
}

Status array_ravel(Vm *vm, Value a, bool copy, Value *out) {
    int64_t flat = -1, size = array_size(a.array);
    Value dense;
    if (!copy && size > 0 && array_is_contiguous(a.array)) return row_of(vm, a.array, size, out);
    if (size == 0) flat = 0;
    Status st = copy ? array_copy(vm, a, a.array->dtype, &dense) : array_contiguous(vm, a, &dense);
    if (st != ST_OK) return st;
    st = array_reshape(vm, dense, &flat, 1, out);
    // the result owns a copy made here, so it is a view of no other array
    if (st == ST_OK && dense.array != a.array) replace(vm, &out->array->base, V_UNDEF);
    release(vm, dense);
    return st;
}

Status array_transpose(Vm *vm, Value a, const int *order, Value *out) {
    View view; // only the used dimensions are initialised
    Array *old = a.array;
    view.storage = old->storage;
    view.offset = old->offset;
    view.dtype = old->dtype;
    view.ndim = old->ndim;
    for (int d = 0; d < old->ndim; d++) {
        int from = order ? order[d] : old->ndim - 1 - d;
        view.shape[d] = array_shape(old)[from];
        view.strides[d] = array_strides(old)[from];
    }
    return array_of_view(vm, &view, a, out);
}

// --- Joining -----------------------------------------------------------------------------------

static Status check_part(Vm *vm, const Value *parts, size_t i, int axis) {
    Array *first = parts[0].array, *part = parts[i].array;
    if (part->ndim != first->ndim)
        return vm_raise(vm, EXC_ValueError, "all the input arrays must have same number of "
                        "dimensions, but the array at index 0 has %d dimension(s) and the array "
                        "at index %zu has %d dimension(s)", first->ndim, i, part->ndim);
    for (int d = 0; d < part->ndim; d++) {
        if (d == axis || array_shape(part)[d] == array_shape(first)[d]) continue;
        return vm_raise(vm, EXC_ValueError, "all the input array dimensions except for the "
                        "concatenation axis must match exactly, but along dimension %d, the array "
                        "at index 0 has size %" PRId64 " and the array at index %zu has size %"
                        PRId64, d, array_shape(first)[d], i, array_shape(part)[d]);
    }
    return ST_OK;
}

// Makes an array for the joined parts, with their memory order of axes.
static Status new_joined(Vm *vm, const Value *parts, size_t count, DType type, const int64_t *shape,
                         Value *out) {
    int axes[NDIM_MAX], ndim = parts[0].array->ndim;
    AxisLayout *layouts = mem_alloc(&vm->mem, count * sizeof *layouts);
    if (!layouts) return vm_no_memory(vm);
    for (size_t i = 0; i < count; i++)
        layouts[i] = (AxisLayout){array_shape(parts[i].array), array_strides(parts[i].array)};
    axes_of_operands(layouts, count, ndim, axes);
    mem_free(&vm->mem, layouts, count * sizeof *layouts);
    return array_new_arranged(vm, type, ndim, shape, axes, ROOM_PLACED, out);
}

Status array_concatenate(Vm *vm, const Value *parts, size_t count, int axis, DType dtype,
                         Value *out) {
    int64_t shape[NDIM_MAX], at = 0;
    DTypeSet types = {.count = 0};
    Array *first = parts[0].array;
    if (first->ndim == 0)
        return vm_raise(vm, EXC_ValueError, "zero-dimensional arrays cannot be concatenated");
    memcpy(shape, array_shape(first), (size_t)first->ndim * sizeof *shape);
    shape[axis] = 0;
    for (size_t i = 0; i < count; i++) {
        Status st = check_part(vm, parts, i, axis);
        if (st != ST_OK) return st;
        shape[axis] += array_shape(parts[i].array)[axis];
        dtype_set_add(&types, parts[i].array->dtype);
    }
    Value made;
    View to;
    DType type = dtype == DT_NONE ? dtype_promote_all(&types) : dtype;
    for (size_t i = 0; i < count; i++)
        if (!dtype_can_cast(parts[i].array->dtype, type, CAST_SAME_KIND))
            return cannot_cast_array(vm, parts[i], type, CAST_SAME_KIND);
    Status st = new_joined(vm, parts, count, type, shape, &made);
    if (st != ST_OK) return st;
    array_view(made.array, &to);
    for (size_t i = 0; st == ST_OK && i < count; i++) {
        View part = to;
        part.shape[axis] = array_shape(parts[i].array)[axis];
        part.offset += at * to.strides[axis];
        at += part.shape[axis];
        st = array_assign(vm, &part, parts[i]);
    }
    if (st == ST_OK) *out = made;
    else release(vm, made);
    return st;
}

// --- Nested lists ------------------------------------------------------------------------------

static Status tolist_level(Vm *vm, const View *view, int depth, const char *at, Value *out) {
    if (depth == view->ndim) {
        *out = scalar_to_python(vm, view->dtype, dtype_load(view->dtype, at));
        return out->kind == K_UNDEF ? vm_no_memory(vm) : ST_OK;
    }
    List *list = list_new(vm, (size_t)view->shape[depth]);
    if (!list) return vm_no_memory(vm);
    for (int64_t i = 0; i < view->shape[depth]; i++) {
        Value item;
        Status st = tolist_level(vm, view, depth + 1, at + i * view->strides[depth], &item);
        if (st == ST_OK) st = list_append(vm, list, item);
        if (st == ST_OK) st = vm_poll_at(vm, (size_t)i);
        if (st == ST_OK) continue;
        release_obj(vm, list);
        return st;
    }
    *out = v_obj(list);
    return ST_OK;
}

Status array_tolist(Vm *vm, Value a, Value *out) {
    View view;
    Value part;
    if (array_part(vm, a.array, &part) != ST_OK) return ST_ERROR;
    const char *at = array_read(vm, part.array);
    array_view(part.array, &view);
    Status st = at ? tolist_level(vm, &view, 0, at, out) : ST_ERROR;
    release(vm, part);
    return st;
}
