// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Diagonals, as views, and their sums.

#include "vm/array/methods.h"
#include "vm/value/ops.h"

// Makes a view of the elements whose indices on both axes differ by `offset`, as a new last axis.
static Status diagonal_view(Vm *vm, View *view, int64_t offset, int axis1, int axis2) {
    int64_t n1 = view->shape[axis1], n2 = view->shape[axis2];
    int64_t step1 = view->strides[axis1], step2 = view->strides[axis2];
    int kept = 0;
    if (axis1 == axis2)
        return vm_raise(vm, EXC_ValueError, "axis1 and axis2 cannot be the same");
    for (int d = 0; d < view->ndim; d++) {
        if (d == axis1 || d == axis2) continue;
        view->shape[kept] = view->shape[d];
        view->strides[kept++] = view->strides[d];
    }
    // offsets outside the array give an empty diagonal; checked first, to avoid overflow
    bool outside = offset >= n2 || offset <= -n1;
    if (outside) n1 = 0;
    else if (offset > 0) n2 -= offset;
    else n1 += offset;
    if (!outside) view->offset += offset > 0 ? offset * step2 : -offset * step1;
    view->shape[kept] = n1 < n2 ? n1 : n2;
    view->strides[kept++] = step1 + step2;
    view->ndim = kept;
    return ST_OK;
}

// Parses an axis argument; errors start with its name.
static Status named_axis(Vm *vm, Value v, int ndim, const char *name, int *out) {
    int64_t axis;
    if (array_long(vm, v, &axis) != ST_OK) return op_refused(vm);
    if (axis < -ndim || axis >= ndim)
        return vm_raise_axis(vm, axis, ndim, name);
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return ST_OK;
}

Status array_diagonal(Vm *vm, const Value *args, Value *out) { // a, offset, axis1, axis2
    Value array;
    View view;
    int64_t offset;
    int axis1, axis2;
    if (array_long(vm, args[1], &offset) != ST_OK) return op_refused(vm);
    Status st = array_from(vm, args[0], DT_NONE, &array);
    if (st != ST_OK) return st;
    array_view(array.array, &view);
    if (view.ndim < 2)
        st = vm_raise(vm, EXC_ValueError, "diag requires an array of at least two dimensions");
    if (st == ST_OK) st = named_axis(vm, args[2], view.ndim, "axis1", &axis1);
    if (st == ST_OK) st = named_axis(vm, args[3], view.ndim, "axis2", &axis2);
    if (st == ST_OK) st = diagonal_view(vm, &view, offset, axis1, axis2);
    if (st == ST_OK) st = array_of_view(vm, &view, array, out);
    release(vm, array);
    return st;
}

Status array_m_diagonal(Vm *vm, const Value *args, Value *out) {
    Status st = array_diagonal(vm, args, out);
    if (st == ST_OK) out->array->readonly = true;
    return st;
}

// Sums the diagonal. ST_DEFER: a type or out= is given.
Status array_m_trace(Vm *vm, const Value *args, Value *out) { // a, offset, axis1, axis2, dtype, out
    Value diagonal;
    if (args[4].kind != K_NONE || args[5].kind != K_NONE) return ST_DEFER;
    Status st = array_diagonal(vm, args, &diagonal);
    if (st != ST_OK) return st;
    const ReduceCall sum = {.op = AOP_ADD, .axis = v_int(-1), .dtype = DT_NONE};
    st = ufunc_reduce(vm, &sum, diagonal, out);
    release(vm, diagonal);
    return st;
}
