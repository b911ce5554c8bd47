// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Linear interpolation.

#include "vm/array/methods.h"
#include "vm/value/ops.h"

// Returns a view of a contiguous array as a row.
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
    Status st = array_new(vm, DT_FLOAT64, x.array->ndim, array_shape(x.array), ROOM_PLACED, &made);
    if (st != ST_OK) return st;
    if (array_size(x.array) > 0) st = record(vm, x.array, xp.array, fp.array, made.array);
    if (st == ST_OK)
        *out = made;
    else
        release(vm, made);
    return st;
}

// args: x and two rows. Interpolates at x in float64. NotImplemented: not real numbers, or not rows of one length.
Status array_interpolate(Vm *vm, const Value *args, Value *out) {
    Value given[3] = {V_UNDEF, V_UNDEF, V_UNDEF}, typed[3] = {V_UNDEF, V_UNDEF, V_UNDEF}, row = V_UNDEF;
    Status st = ST_OK;
    bool real = true;
    for (int i = 0; st == ST_OK && i < 3; i++) {
        st = array_from(vm, args[i], DT_NONE, &given[i]);
        real = real && st == ST_OK && dtype_kind(given[i].array->dtype) != DK_COMPLEX;
    }
    bool rows = st == ST_OK && given[1].array->ndim == 1 && given[2].array->ndim == 1 &&
                array_size(given[1].array) == array_size(given[2].array) && array_size(given[1].array) > 0;
    for (int i = 0; st == ST_OK && real && rows && i < 3; i++) st = array_from(vm, given[i], DT_FLOAT64, &typed[i]);
    if (st == ST_OK && (!real || !rows)) {
        *out = V_NOTIMPLEMENTED;
    } else if (st == ST_OK && (st = array_contiguous(vm, typed[0], &row)) == ST_OK) {
        st = interpolate(vm, row, typed[1], typed[2], out);
        if (st == ST_OK) st = array_to_scalar(vm, out);
    }
    release(vm, row);
    for (int i = 0; i < 3; i++) {
        release(vm, typed[i]);
        release(vm, given[i]);
    }
    return st;
}
