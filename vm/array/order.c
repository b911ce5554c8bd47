// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Memory order: order= arguments, axis order of new arrays, and copies, flat views and reshapes by
// them.

#include <string.h>

#include "vm/array/array.h"
#include "vm/value/ops.h"

Status order_from(Vm *vm, Value v, Order fallback, Order *out) {
    static const char letters[] = "CFAK";
    *out = fallback;
    if (v.kind == K_NONE || v.kind == K_UNDEF) return ST_OK;
    if (v.kind != K_STR)
        return vm_raise(vm, EXC_TypeError, "order must be str, not %s", type_name(vm, v));
    char letter = v.str->len == 1 ? (char)(v.str->data[0] & ~0x20) : '\0';
    const char *found = letter ? strchr(letters, letter) : NULL;
    if (!found)
        return vm_raise(vm, EXC_ValueError, "order must be one of 'C', 'F', 'A', or 'K' (got '%s')",
                        v.str->data);
    *out = (Order)(found - letters);
    return ST_OK;
}

Status order_of_new(Vm *vm, Value v, Order *out) {
    Status st = order_from(vm, v, ORDER_C, out);
    if (st != ST_OK || *out <= ORDER_F) return st;
    return vm_raise(vm, EXC_ValueError, "only 'C' or 'F' order is permitted");
}

// --- Axes --------------------------------------------------------------------------------------

void axes_straight(int ndim, bool fortran, int *axes) {
    for (int d = 0; d < ndim; d++) axes[d] = fortran ? ndim - 1 - d : d;
}

static int64_t magnitude(int64_t stride) {
    return stride < 0 ? -stride : stride;
}

void axes_in_order(const View *like, Order order, int *axes) {
    bool only_f = view_is_f_contiguous(like) && !view_is_contiguous(like);
    axes_straight(like->ndim, order == ORDER_F || (order != ORDER_C && only_f), axes);
    if (order != ORDER_K || only_f || view_is_contiguous(like)) return;
    for (int d = 1; d < like->ndim; d++) { // insertion sort: the largest stride first
        int axis = axes[d], at = d;
        for (; at > 0; at--) {
            if (magnitude(like->strides[axes[at - 1]]) >= magnitude(like->strides[axis])) break;
            axes[at] = axes[at - 1];
        }
        axes[at] = axis;
    }
}

// Returns which of two axes is faster in the operands' memory: -1 the first, 1 the second, 0 undecided.
// If operands disagree, it is the second (C order).
static int faster_axis(const AxisLayout *operands, size_t count, int first, int second) {
    int faster = 0;
    for (size_t i = 0; i < count; i++) {
        const AxisLayout *v = &operands[i];
        if (v->shape[first] == 1 || v->shape[second] == 1) continue;
        int64_t one = magnitude(v->strides[first]), other = magnitude(v->strides[second]);
        if (one == 0 || other == 0) continue;
        if (other <= one) return 1;
        faster = -1;
    }
    return faster;
}

// Sorts the axes as NumPy's iterator does: an insertion sort, from the last axis on, that moves an axis after those
// that are slower.
void axes_of_operands(const AxisLayout *operands, size_t count, int ndim, int *axes) {
    axes_straight(ndim, false, axes);
    for (int d = ndim - 2; d >= 0; d--) {
        int axis = axes[d], at = d;
        for (int i = d + 1; i < ndim; i++) {
            int faster = faster_axis(operands, count, axis, axes[i]);
            if (faster > 0) break;
            if (faster < 0) at = i;
        }
        for (int i = d; i < at; i++) axes[i] = axes[i + 1];
        axes[at] = axis;
    }
}

// --- Copies, flat arrays, reshapes --------------------------------------------------------------

Status array_copy_ordered(Vm *vm, Value array, DType dtype, Order order, Value *out) {
    View from, to;
    int axes[NDIM_MAX];
    Value copy;
    array_view(array.array, &from);
    axes_in_order(&from, order, axes);
    Status st = array_new_arranged(vm, dtype, from.ndim, from.shape, axes, ROOM_PLACED, &copy);
    if (st != ST_OK) return st;
    array_view(copy.array, &to);
    st = array_assign(vm, &to, array);
    if (st == ST_OK) *out = copy;
    else release(vm, copy);
    return st;
}

bool array_is_in_order(Array *array, Order order) {
    View view;
    array_view(array, &view);
    switch (order) {
    case ORDER_C: return view_is_contiguous(&view);
    case ORDER_F: return view_is_f_contiguous(&view);
    case ORDER_A: return view_is_contiguous(&view) || view_is_f_contiguous(&view);
    default: return true;
    }
}

Status array_ravel_ordered(Vm *vm, Value a, bool copy, Order order, Value *out) {
    View view;
    int axes[NDIM_MAX];
    Value turned;
    array_view(a.array, &view);
    if (order == ORDER_K)
        axes_of_operands(&(AxisLayout){view.shape, view.strides}, 1, view.ndim, axes);
    else axes_in_order(&view, order, axes);
    bool straight = true;
    for (int d = 0; d < view.ndim; d++) straight = straight && axes[d] == d;
    if (straight) return array_ravel(vm, a, copy, out);
    Status st = array_transpose(vm, a, axes, &turned);
    if (st != ST_OK) return st;
    st = array_ravel(vm, turned, copy, out);
    release(vm, turned);
    return st;
}

static void reversed(const int64_t *shape, int ndim, int64_t *out) {
    for (int d = 0; d < ndim; d++) out[d] = shape[ndim - 1 - d];
}

Status array_reshape_ordered(Vm *vm, Value a, const int64_t *shape, int ndim, Order order,
                             Value *out) {
    int64_t full[NDIM_MAX], turned_shape[NDIM_MAX];
    Value turned, cut;
    if (order == ORDER_K)
        return vm_raise(vm, EXC_ValueError, "order 'K' is not permitted for reshaping");
    bool fortran = order == ORDER_F || (order == ORDER_A && !array_is_in_order(a.array, ORDER_C) &&
                                        array_is_in_order(a.array, ORDER_F));
    if (!fortran) return array_reshape(vm, a, shape, ndim, out);
    Status st = shape_resolve(vm, array_size(a.array), shape, ndim, full);
    if (st == ST_OK) st = array_transpose(vm, a, NULL, &turned);
    if (st != ST_OK) return st;
    reversed(full, ndim, turned_shape);
    st = array_reshape(vm, turned, turned_shape, ndim, &cut);
    release(vm, turned);
    if (st != ST_OK) return st;
    st = array_transpose(vm, cut, NULL, out);
    release(vm, cut);
    return st;
}

Status array_reshape_copying(Vm *vm, Value a, const int64_t *shape, int ndim, Order order, Value copy,
                             Value *out) {
    bool copies;
    if (copy.kind == K_NONE) return array_reshape_ordered(vm, a, shape, ndim, order, out);
    Status st = op_truth(vm, copy, &copies);
    if (st == ST_OK) st = array_reshape_ordered(vm, a, shape, ndim, order, out);
    if (st != ST_OK) return st;
    bool is_view = out->array->storage == a.array->storage;
    if (copies != is_view) return ST_OK;
    Value made = V_UNDEF;
    st = copies ? array_copy_ordered(vm, *out, out->array->dtype, ORDER_K, &made)
                : vm_raise(vm, EXC_ValueError, "Unable to avoid creating a copy while reshaping.");
    release(vm, *out);
    if (st == ST_OK) *out = made;
    return st;
}
