// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Planning and running: for now one node is one kernel, in program order.

#include "vm/sched/sched.h"

#include <string.h>

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

static Status launch(Vm *vm, Kernel *kernel);

// Copies the operand's elements into a storage of their own and lets the node read that one.
static Status copy_operand(Vm *vm, NodeInput *input, Storage **temporary) {
    View copy = input->view;
    size_t bytes = (size_t)view_size(&copy) * dtype_size(copy.dtype);
    Storage *storage = storage_new(vm, bytes ? bytes : 1, false);
    if (!storage) return vm_no_memory(vm);
    copy.storage = storage;
    copy.offset = 0;
    view_fill_strides(&copy);
    Node node = {.op = AOP_CAST, .input_count = 1, .attrs.loop = copy.dtype};
    node.inputs[0] = *input;
    node.output = copy;
    Kernel kernel;
    kernel_from_node(&kernel, &node);
    kernel_simplify(&kernel);
    Status st = launch(vm, &kernel);
    if (st != ST_OK) {
        storage_release(vm, storage);
        return st;
    }
    storage_release(vm, input->view.storage);
    input->view = copy; // takes over the only reference
    *temporary = storage;
    return ST_OK;
}

Status sched_plan(Vm *vm, Node *node, Step *step) {
    step->temporary = NULL;
    for (int clash; (clash = clashing_operand(node)) >= 0;) {
        Status st = copy_operand(vm, &node->inputs[clash], &step->temporary);
        if (st != ST_OK) return st;
    }
    kernel_from_node(&step->kernel, node);
    if (step->kernel.library == AOP_NONE) kernel_simplify(&step->kernel);
    const char *problem = kernel_verify(&step->kernel);
    if (!problem) return ST_OK;
    return vm_raise(vm, EXC_SystemError, "malformed kernel of %s: %s", op_info[node->op].name,
                    problem);
}

// --- Running -----------------------------------------------------------------------------------

// NumPy's name of the operation in warnings.
static const char *warned_name(const Node *node) {
    switch (node->op) {
    case AOP_SUM: return "reduce";
    case AOP_PROD: return "reduce";
    case AOP_CUMSUM: return "accumulate";
    case AOP_CUMPROD: return "accumulate";
    default: return op_info[node->op].name;
    }
}

static Status report(Vm *vm, const Node *node, uint32_t flags) {
    const char *name = warned_name(node), *of = node->attrs.scalar ? "scalar " : "";
    if (flags & FLAG_INTERRUPTED) return vm_poll(vm);
    if (flags & FLAG_NO_MEMORY) return vm_no_memory(vm);
    if (flags & FLAG_NEGATIVE_POWER)
        return vm_raise(vm, EXC_ValueError,
                        "Integers to negative integer powers are not allowed.");
    if (flags & FLAG_DIVIDE)
        vm_warn(vm, EXC_RuntimeWarning, "divide by zero encountered in %s%s", of, name);
    if (flags & FLAG_OVERFLOW)
        vm_warn(vm, EXC_RuntimeWarning, "overflow encountered in %s%s", of, name);
    if (flags & FLAG_INVALID)
        vm_warn(vm, EXC_RuntimeWarning, "invalid value encountered in %s%s", of, name);
    return ST_OK;
}

static Status launch(Vm *vm, Kernel *kernel) {
    struct Engine *engine = vm->engine;
    uint32_t flags = 0;
    Event event = 0;
    engine->backend->launch(vm, engine->ctx, kernel, NULL, &flags, &event);
    if (event && engine->backend->wait) engine->backend->wait(engine->ctx, event);
    if (kernel->library == AOP_NONE) engine->kernels++;
    else engine->library_calls++;
    return report(vm, kernel->node, flags);
}

static bool prepare_output(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->components[0];
    if (buffer->host) return true;
    struct Engine *engine = vm->engine;
    return engine->backend->alloc(vm, engine->ctx, buffer);
}

Status sched_run(Vm *vm, Step *step) {
    const Node *node = step->kernel.node;
    if (!prepare_output(vm, node->output.storage)) return vm_no_memory(vm);
    return launch(vm, &step->kernel);
}

static Status run_next(Vm *vm) {
    struct Engine *engine = vm->engine;
    Node *node = graph_take(&engine->graph);
    if (!node) return ST_OK;
    Step step;
    Status st = sched_plan(vm, node, &step);
    if (st == ST_OK) st = sched_run(vm, &step);
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
    if (!storage || storage->components[0].valid & PLACE_HOST) return ST_OK;
    return vm_raise(vm, EXC_RuntimeError, "the array's value could not be computed");
}

Status sched_recorded(Vm *vm) {
    struct Engine *engine = vm->engine;
    while (engine->graph.pending_count >= engine->depth_limit) {
        Status st = run_next(vm);
        if (st != ST_OK) return st;
    }
    return ST_OK;
}
