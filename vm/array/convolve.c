// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Convolution of two rows.

#include "vm/array/methods.h"

enum { FEW_PRODUCTS = 1 << 13 };

static Status record(Vm *vm, const View *a, const View *v, int64_t first, Array *into) {
    View to;
    Node *node = graph_node(vm, AOP_CONVOLVE);
    if (!node) return vm_no_memory(vm);
    array_view(into, &to);
    node_input_view(node, a);
    node_input_view(node, v);
    node_output(node, &to);
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
    int64_t n = rows[0].shape[0], m = rows[1].shape[0];
    if (turned) {
        rows[1].offset += (m - 1) * rows[1].strides[0];
        rows[1].strides[0] = -rows[1].strides[0];
    }
    st = array_new(vm, rows[0].dtype, 1, &count, ROOM_PLACED, out);
    if (st == ST_OK && count > 0) {
        const Direct direct = {.op = AOP_CONVOLVE, .loop = rows[0].dtype, .count = 2, .elements = count, .extent = n,
                               .places = m, .stride = rows[1].strides[0], .first = first,
                               .operands = {{.storage = rows[0].storage, .offset = rows[0].offset},
                                            {.storage = rows[1].storage, .offset = rows[1].offset}},
                               .to = out->array->storage, .offset = out->array->offset};
        bool few = m <= FEW_PRODUCTS && n <= FEW_PRODUCTS && n * m <= FEW_PRODUCTS;
        if (!few || !graph_direct(vm, &direct)) st = record(vm, &rows[0], &rows[1], first, out->array);
        if (st != ST_OK) release(vm, *out);
    }
    release(vm, row);
    return st;
}
