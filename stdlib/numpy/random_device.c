// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Draws random numbers on a device. A node takes the generator's state by value, and the generator jumps over the
// node's draws when the node is recorded. So the node may run at any later time.

#include "stdlib/numpy/random.h"
#include "vm/sched/engine.h"

int64_t random_size(int ndim, const int64_t *shape) {
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(size, shape[d], &size)) return 0;
    return size;
}

bool random_is_away(Vm *vm, const Bits *g, int64_t count) {
    const Graph *graph = graph_of(vm);
    return graph->on_device && count >= engine_device_least(vm) && draws_can_jump((BitsKind)g->obj.aux) &&
           !graph->hooks.divide;
}

// Returns how many numbers remain of the generator's last step: of a 64-bit draw, or of Philox's block of draws.
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

static Status record_draws(Vm *vm, const Filling *f, const View *row) {
    const uint64_t count = (uint64_t)row->shape[0];
    Node *node = graph_node(vm, AOP_DRAW);
    if (!node) return vm_no_memory(vm);
    for (int i = 0; i < DRAW_WORDS; i++) node_input_scalar(node, DT_UINT64, (Scalar){.u = f->g->lanes[i]});
    node_output(node, row);
    node->attrs.loop = DT_UINT64;
    node->attrs.part = (uint8_t)f->g->obj.aux;
    if (f->draw_bits == 64) bits_skip_64(f->g, count);
    else bits_skip_32(f->g, count);
    return graph_record(vm, node);
}

// The numbers that remain of the last step are drawn on the host first, as they precede those of the node, and are
// assigned to the array after the node is recorded.
Status random_record(Vm *vm, const Filling *f, const View *to) {
    const int64_t all = view_size(to), left = begun(f), count = left < all ? left : all;
    Value first = V_UNDEF;
    View row;
    Status st = count > 0 ? random_first(vm, f, to->dtype, count, &first) : ST_OK;
    if (st == ST_OK && count < all) {
        row_of(to, count, all - count, &row);
        st = record_draws(vm, f, &row);
    }
    if (st == ST_OK && count > 0) {
        row_of(to, 0, count, &row);
        st = array_assign(vm, &row, first);
    }
    release(vm, first);
    return st;
}

static Status record_with(Vm *vm, OpId op, Scalar number, Array *x) {
    Node *node = graph_node(vm, op);
    if (!node) return vm_no_memory(vm);
    node_input_scalar(node, DT_FLOAT64, number);
    node_input_array(node, x);
    node_output_array(node, x);
    node->attrs.loop = DT_FLOAT64;
    node->attrs.quiet = true; // float flags are not reported, as for draws on the host
    return graph_record(vm, node);
}

Status random_scale(Vm *vm, Array *x, Scalar low, Scalar span) {
    Status st = record_with(vm, AOP_MULTIPLY, span, x);
    return st == ST_OK ? record_with(vm, AOP_ADD, low, x) : st;
}
