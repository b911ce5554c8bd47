// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Planning and running: for now one node is one kernel, in program order.

#include "vm/sched/sched.h"

// --- Planning ----------------------------------------------------------------------------------

// A right-hand side is read before the left-hand side is written: an operand that overlaps the
// output without being the same elements in the same order is copied first.
static int clashing_operand(const Node *node) {
    bool elementwise = op_info[node->op].op_class == CLASS_ELEMENTWISE;
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        if (input->is_scalar || !view_may_overlap(&input->view, &node->output)) continue;
        if (!elementwise || !view_same(&input->view, &node->output)) return i;
    }
    return -1;
}

static Status run_node(Vm *vm, const Node *node);

// Copies the operand's elements into a storage of their own and lets the node read that one.
static Status copy_operand(Vm *vm, NodeInput *input) {
    View copy = input->view;
    size_t bytes = (size_t)view_size(&copy) * dtype_size(copy.dtype);
    Storage *storage = storage_new(vm, bytes);
    if (!storage) return vm_no_memory(vm);
    copy.storage = storage;
    copy.offset = 0;
    view_fill_strides(&copy);
    Node node = {.op = AOP_CAST, .input_count = 1, .attrs.loop = copy.dtype};
    node.inputs[0] = *input;
    node.output = copy;
    Status st = run_node(vm, &node);
    if (st != ST_OK) {
        storage_release(vm, storage);
        return st;
    }
    storage_release(vm, input->view.storage);
    input->view = copy; // takes over the only reference
    return ST_OK;
}

static Status make_kernel(Vm *vm, const Node *node, Kernel *kernel) {
    kernel_from_node(kernel, node);
    if (kernel->library == AOP_NONE) kernel_simplify(kernel);
    kernel->underflow = vm->float_errors.action[FLOAT_UNDERFLOW] != FLOAT_IGNORE;
    const char *problem = kernel_verify(kernel);
    if (!problem) return ST_OK;
    return vm_raise(vm, EXC_SystemError, "malformed kernel of %s: %s", op_info[node->op].name,
                    problem);
}

// --- Running -----------------------------------------------------------------------------------

static const Device *device_for(struct Engine *engine, const Kernel *kernel) {
    const Device *device = &engine->device;
    if (device->backend->supports(device->ctx, kernel) == SUPPORT_YES) return device;
    engine->stats.fallbacks++;
    return &engine->host;
}

static Status bring_operands(Vm *vm, const Device *device, const Node *node) {
    Status st = ST_OK;
    for (int i = 0; st == ST_OK && i < node->input_count; i++)
        if (!node->inputs[i].is_scalar)
            st = memory_to_device(vm, device, node->inputs[i].view.storage);
    return st == ST_OK ? memory_to_device(vm, device, node->output.storage) : st;
}

static char *base_of(const Device *device, const Storage *storage) {
    const Buffer *buffer = &storage->components[0];
    return device->backend->place == PLACE_HOST ? buffer->host : buffer->device;
}

static void find_memory(const Device *device, Kernel *kernel) {
    for (int i = 0; i < kernel->load_count; i++)
        kernel->loads[i].base = base_of(device, kernel->loads[i].storage);
    for (int i = 0; i < kernel->store_count; i++)
        kernel->stores[i].to.base = base_of(device, kernel->stores[i].to.storage);
    if (kernel->library == AOP_NONE) return;
    for (int i = 0; i < op_info[kernel->library].arity; i++)
        if (!kernel->args[i].is_scalar)
            kernel->args[i].base = base_of(device, kernel->args[i].view.storage);
    kernel->result.base = base_of(device, kernel->result.view.storage);
}

static void note_use(const Node *node, Event event) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) node->inputs[i].view.storage->components[0].busy = event;
    node->output.storage->components[0].busy = event;
}

static Status run_node(Vm *vm, const Node *node) {
    Kernel kernel;
    Event event = 0;
    Status st = make_kernel(vm, node, &kernel);
    if (st != ST_OK) return st;
    const Device *device = device_for(vm->engine, &kernel);
    st = bring_operands(vm, device, node);
    if (st != ST_OK) return st;
    find_memory(device, &kernel);
    memory_written(vm, device, node->output.storage);
    vm->engine->runs[node->op]++;
    st = flight_launch(vm, device, &kernel, node, &event);
    if (event) note_use(node, event);
    return st;
}

static Status run_next(Vm *vm) {
    struct Engine *engine = vm->engine;
    Node *node = graph_take(&engine->graph);
    if (!node) return ST_OK;
    Status st = ST_OK;
    for (int clash; st == ST_OK && (clash = clashing_operand(node)) >= 0;)
        st = copy_operand(vm, &node->inputs[clash]);
    if (st == ST_OK) st = run_node(vm, node);
    node->state = st == ST_OK ? NODE_EXECUTED : NODE_ELIMINATED;
    if (st == ST_OK) engine->graph.executed++;
    else engine->graph.eliminated++;
    graph_discard(vm, node);
    return st;
}

Status sched_observe(Vm *vm, Storage *storage) {
    struct Engine *engine = vm->engine;
    while (engine->graph.first && (!storage || storage->producer)) {
        Status st = run_next(vm);
        if (st != ST_OK) return st;
    }
    return storage ? ST_OK : flight_settle_all(vm);
}

Status sched_recorded(Vm *vm) {
    struct Engine *engine = vm->engine;
    while (engine->graph.pending_count >= engine->depth_limit) {
        Status st = run_next(vm);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}
