// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values on the lines between points.

#include "vm/array/methods.h"
#include "vm/value/ops.h"

// Elements that lie side by side, whatever their shape, as a row.
static View row_of(Array *array) {
    View view;
    array_view(array, &view);
    view.shape[0] = array_size(array);
    view.strides[0] = (int64_t)dtype_size(array->dtype);
    view.ndim = 1;
    return view;
}

static Status record(Vm *vm, Array *x, Array *xp, Array *fp, Array *into) {
    View views[] = {row_of(x), {0}, {0}}, to = row_of(into);
    Node *node = graph_node(vm, AOP_INTERPOLATE);
    if (!node) return vm_no_memory(vm);
    array_view(xp, &views[1]);
    array_view(fp, &views[2]);
    for (int i = 0; i < 3; i++) node_input_view(node, &views[i]);
    node_output(node, &to);
    node->attrs.loop = DT_FLOAT64;
    return graph_record(vm, node);
}

static Status interpolate(Vm *vm, Value x, Value xp, Value fp, Value *out) {
    Value made;
    if (xp.array->ndim != 1 || fp.array->ndim != 1 ||
        array_size(xp.array) != array_size(fp.array) || array_size(xp.array) == 0)
        return vm_raise(vm, EXC_ValueError, "points are two rows of the same length");
    Status st = array_new(vm, DT_FLOAT64, x.array->ndim, array_shape(x.array), ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    if (array_size(x.array) > 0) st = record(vm, x.array, xp.array, fp.array, made.array);
    if (st == ST_OK)
        *out = made;
    else
        release(vm, made);
    return st;
}

Status array_interpolate(Vm *vm, const Value *args, Value *out) {
    Value x = V_UNDEF, row = V_UNDEF, xp = V_UNDEF, fp = V_UNDEF;
    Status st = array_from(vm, args[0], DT_FLOAT64, &x);
    if (st == ST_OK) st = array_contiguous(vm, x, &row);
    if (st == ST_OK) st = array_from(vm, args[1], DT_FLOAT64, &xp);
    if (st == ST_OK) st = array_from(vm, args[2], DT_FLOAT64, &fp);
    if (st == ST_OK) st = interpolate(vm, row, xp, fp, out);
    release(vm, x);
    release(vm, row);
    release(vm, xp);
    release(vm, fp);
    return st;
}
