// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Numbers drawn where arrays are. A node gets the generator's state by value, so it may run at any time: the generator has
// jumped over its draws when it is recorded.

#include "stdlib/numpy/random.h"
#include "vm/sched/engine.h"

bool random_is_away(Vm *vm, const Bits *g, int64_t count) {
    const Graph *graph = graph_of(vm);
    return graph->on_device && count >= engine_device_least(vm) && draws_can_jump((BitsKind)g->obj.aux) &&
           !graph->hooks.divide;
}

// Numbers that are left of a draw, or of Philox's block of draws.
static int64_t begun(const Filling *f) {
    const Bits *g = f->g;
    const int64_t left = g->obj.aux == BITS_PHILOX && g->at < PHILOX_BLOCK ? PHILOX_BLOCK - g->at : 0;
    return f->draw_bits == 64 ? left : 2 * left + g->has_half;
}

static void row_of(const View *to, int64_t from, int64_t count, View *row) {
    *row = (View){.storage = to->storage, .dtype = to->dtype, .ndim = 1, .shape = {count}};
    row->strides[0] = (int64_t)dtype_size(to->dtype);
    row->offset = to->offset + from * row->strides[0];
}

// Those are drawn here, and copied.
static Status record_begun(Vm *vm, const Filling *f, const View *to, int64_t count) {
    Value array;
    View row;
    Status st = array_new(vm, to->dtype, 1, &count, ROOM_HOST, &array);
    if (st != ST_OK) return st;
    char *at = array_write(vm, array.array);
    if (at) f->fill(f->ctx, at, count);
    row_of(to, 0, count, &row);
    st = at ? array_assign(vm, &row, array) : ST_ERROR;
    release(vm, array);
    return st;
}

Status random_record(Vm *vm, const Filling *f, const View *to) {
    const int64_t all = view_size(to);
    int64_t count = begun(f);
    if (count > all) count = all;
    if (count > 0 && record_begun(vm, f, to, count) != ST_OK) return ST_ERROR;
    if (count == all) return ST_OK;
    Node *node = graph_node(vm, AOP_DRAW);
    View row;
    if (!node) return vm_no_memory(vm);
    row_of(to, count, all - count, &row);
    for (int i = 0; i < DRAW_WORDS; i++) node_input_scalar(node, DT_UINT64, (Scalar){.u = f->g->lanes[i]});
    node_output(node, &row);
    node->attrs.loop = DT_UINT64;
    node->attrs.part = (uint8_t)f->g->obj.aux;
    if (graph_record(vm, node) != ST_OK) return ST_ERROR;
    if (f->draw_bits == 64) bits_skip_64(f->g, (uint64_t)(all - count));
    else bits_skip_32(f->g, (uint64_t)(all - count));
    return ST_OK;
}

static Status record_with(Vm *vm, OpId op, Scalar number, Array *x) {
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    node_input_scalar(node, DT_FLOAT64, number);
    node_input_array(node, x);
    node_output_array(node, x);
    node->attrs.loop = DT_FLOAT64;
    node->attrs.quiet = true; // as where numbers are drawn on the host
    return graph_record(vm, node);
}

Status random_scale(Vm *vm, Array *x, Scalar low, Scalar span) {
    Status st = record_with(vm, AOP_MULTIPLY, span, x);
    return st == ST_OK ? record_with(vm, AOP_ADD, low, x) : st;
}
