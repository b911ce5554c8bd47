// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Convolution of two rows.

#include "vm/array/methods.h"

static Status record(Vm *vm, const View *a, const View *v, int64_t first, Array *into) {
    Node *node = graph_node(vm, AOP_CONVOLVE);
    if (!node) return vm_no_memory(vm);
    node_input_view(node, a);
    node_input_view(node, v);
    node_output_array(node, into);
    node->attrs.loop = a->dtype;
    node->attrs.step = first;
    return graph_record(vm, node);
}

Status array_convolve(Vm *vm, Value a, Value v, bool turned, int64_t first, int64_t count, Value *out) {
    View rows[2];
    Value row;
    Status st = array_contiguous(vm, a, &row);
    if (st != ST_OK) return st;
    array_view(row.array, &rows[0]);
    array_view(v.array, &rows[1]);
    int64_t m = rows[1].shape[0];
    if (turned) {
        rows[1].offset += (m - 1) * rows[1].strides[0];
        rows[1].strides[0] = -rows[1].strides[0];
    }
    st = array_new(vm, rows[0].dtype, 1, &count, ROOM_PLACED, out);
    if (st == ST_OK && count > 0) {
        st = record(vm, &rows[0], &rows[1], first, out->array);
        if (st != ST_OK) release(vm, *out);
    }
    release(vm, row);
    return st;
}
