// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Counting in bins of one width.

#include "vm/array/methods.h"
#include "vm/value/ops.h"

static Status as_row(Vm *vm, Value v, Value *out) {
    Status st = array_from(vm, v, DT_FLOAT64, out);
    if (st != ST_OK) return st;
    if (out->array->ndim == 1) return ST_OK;
    release(vm, *out);
    return vm_raise(vm, EXC_ValueError, "object of too small depth for desired array");
}

static Status record(Vm *vm, Array *a, Array *edges, Value weights, Array *into) {
    Node *node = graph_node(vm, AOP_HISTOGRAM);
    if (!node) return vm_no_memory(vm);
    node_input_array(node, a);
    node_input_array(node, edges);
    if (weights.kind == K_ARRAY) node_input_array(node, weights.array);
    else node_input_scalar(node, DT_INT64, (Scalar){.i = 1});
    node_output_array(node, into);
    node->attrs.loop = into->dtype;
    return graph_record(vm, node);
}

static Status count(Vm *vm, Array *a, Array *edges, Value weights, Value *out) {
    int64_t bins = array_size(edges) - 1;
    if (bins < 1) return vm_raise(vm, EXC_ValueError, "there is no bin");
    if (weights.kind == K_ARRAY && array_size(weights.array) != array_size(a))
        return vm_raise(vm, EXC_ValueError, "weights should have the same shape as a.");
    DType type = weights.kind == K_ARRAY ? DT_FLOAT64 : DT_INT64;
    Status st = array_new(vm, type, 1, &bins, ROOM_ZEROED, out);
    if (st != ST_OK) return st;
    st = record(vm, a, edges, weights, out->array);
    if (st != ST_OK) release(vm, *out);
    return st;
}

Status array_histogram(Vm *vm, const Value *args, Value *out) {
    Value a = V_UNDEF, edges = V_UNDEF, weights = V_NONE;
    Status st = as_row(vm, args[0], &a);
    if (st == ST_OK) st = as_row(vm, args[1], &edges);
    if (st == ST_OK && args[2].kind != K_NONE) st = as_row(vm, args[2], &weights);
    if (st == ST_OK) st = count(vm, a.array, edges.array, weights, out);
    release(vm, a);
    release(vm, edges);
    release(vm, weights);
    return st;
}
