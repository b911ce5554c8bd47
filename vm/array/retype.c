// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Reinterprets memory: a.view(dtype), np.ndarray(shape, …, buffer), arbitrary strides.

#include <string.h>

#include "vm/array/methods.h"
#include "vm/value/bytes.h"
#include "vm/value/ops.h"

// Requires aligned elements, which loops need (for complex types, aligned parts).
static Status check_aligned(Vm *vm, const View *view) {
    int64_t size = (int64_t)dtype_size(dtype_real(view->dtype));
    bool aligned = view->offset % size == 0;
    for (int d = 0; d < view->ndim; d++)
        aligned = aligned && (view->shape[d] < 2 || view->strides[d] % size == 0);
    if (aligned || view_size(view) == 0) return ST_OK;
    return vm_raise(vm, EXC_NotImplementedError, "elements of %s that do not lie at multiples of their "
                    "size", dtype_info[view->dtype].name);
}

// Raises an error if other types are viewed as bools, which must be 0 or 1.
static Status check_bools(Vm *vm, DType from, DType to) {
    if (to != DT_BOOL || from == DT_BOOL) return ST_OK;
    return vm_raise(vm, EXC_NotImplementedError, "elements of %s seen as bool; use astype(bool)",
                    dtype_info[from].name);
}

// Bools viewed as another type are read-only, since writes could make them invalid.
Status array_seen_as(Vm *vm, Value base, const View *view, Value *out) {
    DType own = base.array->dtype;
    Status st = check_bools(vm, own, view->dtype);
    if (st == ST_OK) st = check_aligned(vm, view);
    if (st == ST_OK) st = array_of_view(vm, view, base, out);
    if (st == ST_OK && own == DT_BOOL && view->dtype != DT_BOOL) out->array->readonly = true;
    return st;
}

// --- view(dtype) -------------------------------------------------------------------------------

// Changes the element size along the last axis.
static Status cut_last_axis(Vm *vm, View *view, int64_t old, int64_t size) {
    if (view->ndim == 0)
        return vm_raise(vm, EXC_ValueError, "Changing the dtype of a 0d array is only supported if the "
                        "itemsize is unchanged");
    int64_t *extent = &view->shape[view->ndim - 1], *stride = &view->strides[view->ndim - 1];
    if (*extent != 1 && view_size(view) > 0 && *stride != old)
        return vm_raise(vm, EXC_ValueError, "To change to a dtype of a different size, the last axis "
                        "must be contiguous");
    if (*extent * old % size)
        return vm_raise(vm, EXC_ValueError, "When changing to a larger dtype, its size must be a "
                        "divisor of the total size in bytes of the last axis of the array.");
    *extent = *extent * old / size;
    *stride = size;
    return ST_OK;
}

Status array_m_view(Vm *vm, const Value *args, Value *out) { // self, dtype, type
    View view;
    DType own = args[0].array->dtype;
    Value dtype = args[1];
    if (dtype.kind == K_CLASS && dtype.cls == vm->classes[K_ARRAY]) dtype = V_UNDEF;
    if (args[2].kind != K_UNDEF && (args[2].kind != K_CLASS || args[2].cls != vm->classes[K_ARRAY]))
        return vm_raise(vm, EXC_ValueError, "Type must be a sub-type of ndarray type");
    array_view(args[0].array, &view);
    Status st = dtype_from(vm, dtype, dtype.kind == K_NONE ? DT_FLOAT64 : own, &view.dtype);
    if (st != ST_OK) return st;
    int64_t old = (int64_t)dtype_size(own), size = (int64_t)dtype_size(view.dtype);
    if (old != size) st = cut_last_axis(vm, &view, old, size);
    return st == ST_OK ? array_seen_as(vm, args[0], &view, out) : st;
}

// --- Memory of another array -------------------------------------------------------------------

// Returns whether the view stays within `room` bytes from `start`.
static bool stays_within(const View *view, int64_t start, int64_t room) {
    int64_t low, high;
    for (int d = 0; d < view->ndim; d++) {
        int64_t reach;
        if (__builtin_mul_overflow(view->shape[d], view->strides[d], &reach) ||
            reach > INT64_MAX / NDIM_MAX / 2 || reach < -INT64_MAX / NDIM_MAX / 2)
            return false;
    }
    return !view_extent(view, &low, &high) || (low >= start && high < start + room);
}

// Fills in shape, dtype, strides and order; storage, offset and size are known.
static Status fill_view(Vm *vm, const Value *args, View *view) {
    Order order;
    int axes[NDIM_MAX], count;
    Status st = shape_from(vm, args[0], view->shape, &view->ndim);
    for (int d = 0; st == ST_OK && d < view->ndim; d++)
        if (view->shape[d] < 0)
            st = vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    if (st == ST_OK) st = dtype_from(vm, args[1], DT_FLOAT64, &view->dtype);
    if (st == ST_OK) st = order_from(vm, args[5], ORDER_C, &order);
    if (st == ST_OK) st = view_check_size(vm, view);
    if (st != ST_OK) return st;
    axes_straight(view->ndim, order == ORDER_F, axes);
    view_fill_strides_along(view, axes);
    if (args[4].kind == K_NONE) return ST_OK;
    st = shape_from(vm, args[4], view->strides, &count);
    if (st != ST_OK || count == view->ndim) return st;
    return vm_raise(vm, EXC_ValueError, "strides, if given, must be the same length as shape");
}

static Status no_room(Vm *vm) {
    return vm_raise(vm, EXC_ValueError, "strides is incompatible with shape of requested array and size "
                    "of buffer");
}

// Computes np.ndarray(shape, dtype, buffer=None, offset, strides, order): makes new memory, of the size of
// a contiguous array of that shape.
static Status new_memory(Vm *vm, const Value *args, View *view, Value *out) {
    Value whole;
    Status st = array_new(vm, view->dtype, view->ndim, view->shape, ROOM_ZEROED, &whole);
    if (st != ST_OK) return st;
    view->storage = whole.array->storage;
    view->offset = 0;
    int64_t room = view_size(view) * (int64_t)dtype_size(view->dtype);
    if (args[4].kind != K_NONE && !stays_within(view, 0, room)) st = no_room(vm);
    if (st == ST_OK) st = check_aligned(vm, view);
    if (st == ST_OK) st = array_of_view(vm, view, V_UNDEF, out);
    release(vm, whole);
    return st;
}

// Makes a view of the part of an array's memory that the arguments describe.
static Status part_of(Vm *vm, const Value *args, Value buffer, int64_t offset, View *view, Value *out) {
    View whole;
    if (!array_is_in_order(buffer.array, ORDER_A))
        return vm_raise(vm, EXC_ValueError, "ndarray is not contiguous");
    array_view(buffer.array, &whole);
    int64_t room = view_size(&whole) * (int64_t)dtype_size(whole.dtype);
    if (offset < 0) return vm_raise(vm, EXC_ValueError, "offset must be non-negative");
    view->storage = whole.storage;
    if (offset > room) return vm_raise(vm, EXC_TypeError, "buffer is too small for requested array");
    view->offset = whole.offset + offset;
    if (!stays_within(view, whole.offset, room))
        return args[4].kind == K_NONE
                   ? vm_raise(vm, EXC_TypeError, "buffer is too small for requested array")
                   : no_room(vm);
    return array_seen_as(vm, buffer, view, out);
}

Status array_construct(Vm *vm, const Value *args, Value *out) {
    View view;
    int64_t offset;
    Value buffer = args[2];
    if (array_long(vm, args[3], &offset) != ST_OK) return op_refused(vm);
    Status st = fill_view(vm, args, &view);
    if (st != ST_OK) return st;
    if (buffer.kind == K_NONE) return new_memory(vm, args, &view, out);
    if (buffer.kind == K_ARRAY) return part_of(vm, args, buffer, offset, &view, out);
    Value seen;
    st = unwrap(buffer).kind == K_BYTEARRAY ? array_over_bytearray(vm, buffer, &seen) : bytes_view(vm, buffer, &seen);
    if (st == ST_NOTIMPL) {
        if (!bytes_of(buffer))
            return vm_raise(vm, EXC_TypeError, "a bytes-like object is required, not '%s'", type_name(vm, buffer));
        st = array_over_bytes(vm, unwrap(buffer), &seen);
    }
    if (st != ST_OK) return st;
    st = part_of(vm, args, seen, offset, &view, out);
    release(vm, seen);
    return st;
}

Status array_as_strided(Vm *vm, Value array, Value shape, Value strides, bool writeable, Value *out) {
    View view;
    int count;
    array_view(array.array, &view);
    Status st = ST_OK;
    if (shape.kind != K_NONE) st = shape_from(vm, shape, view.shape, &view.ndim);
    for (int d = 0; st == ST_OK && d < view.ndim; d++)
        if (view.shape[d] < 0)
            st = vm_raise(vm, EXC_ValueError, "negative dimensions are not allowed");
    if (st == ST_OK) st = view_check_size(vm, &view);
    if (st != ST_OK) return st;
    count = array.array->ndim;
    if (strides.kind != K_NONE) st = shape_from(vm, strides, view.strides, &count);
    if (st == ST_OK && count != view.ndim)
        st = vm_raise(vm, EXC_ValueError, "mismatch in length of strides and shape");
    if (st != ST_OK) return st;
    if (!stays_within(&view, 0, (int64_t)array.array->storage->buffer.bytes))
        return vm_raise(vm, EXC_ValueError, "as_strided: the view reaches beyond the array's memory");
    st = array_seen_as(vm, array, &view, out);
    if (st == ST_OK && !writeable) out->array->readonly = true;
    return st;
}

// --- byteswap ------------------------------------------------------------------------------------

static DType word_of(size_t size) {
    return size == 8 ? DT_UINT64 : size == 4 ? DT_UINT32 : size == 2 ? DT_UINT16 : DT_UINT8;
}

// Returns a view of the elements as unsigned integers; the parts of complex ones are along an extra axis.
static Status as_words(Vm *vm, Value array, Value *out) {
    View view;
    array_view(array.array, &view);
    size_t size = dtype_size(dtype_real(view.dtype));
    if (size < dtype_size(view.dtype)) {
        if (view.ndim == NDIM_MAX) return vm_raise(vm, EXC_ValueError, "too many dimensions");
        view.shape[view.ndim] = 2;
        view.strides[view.ndim++] = (int64_t)size;
    }
    view.dtype = word_of(size);
    return array_of_view(vm, &view, array, out);
}

Status array_m_byteswap(Vm *vm, const Value *args, Value *out) { // self, inplace
    Value from = V_UNDEF, to = V_UNDEF, into, made;
    View view;
    int axes[NDIM_MAX];
    bool in_place;
    if (op_truth(vm, args[1], &in_place) != ST_OK) return ST_ERROR;
    Status st = in_place ? array_check_writeable(vm, args[0].array, "array to be byte-swapped") : ST_OK;
    if (st != ST_OK) return st;
    if (in_place) into = retain(args[0]);
    array_view(args[0].array, &view);
    axes_in_order(&view, ORDER_K, axes);
    if (!in_place) st = array_new_arranged(vm, view.dtype, view.ndim, view.shape, axes, ROOM_PLACED, &into);
    if (st != ST_OK) return st;
    if (array_size(into.array) > 0) {
        st = as_words(vm, args[0], &from);
        if (st == ST_OK) st = as_words(vm, into, &to);
        if (st == ST_OK) st = array_apply(vm, AOP_BYTESWAP, &from, 1, to, DT_NONE, &made);
        if (st == ST_OK) release(vm, made);
        release(vm, from);
        release(vm, to);
    }
    if (st == ST_OK) *out = into;
    else release(vm, into);
    return st;
}
