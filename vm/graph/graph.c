// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Recording and verifying nodes.

#include "vm/graph/graph.h"

#include <string.h>

void graph_init(Graph *graph, Vm *vm) {
    memset(graph, 0, sizeof *graph);
    size_table_init(&graph->sizes, &vm->mem);
}

void graph_free(Graph *graph, Vm *vm) {
    for (Node *node; (node = graph_take(graph));) graph_discard(vm, node);
    while (graph->spare) {
        Node *next = graph->spare->next;
        mem_free(&vm->mem, graph->spare, sizeof(Node));
        graph->spare = next;
    }
    size_table_free(&graph->sizes);
    buffers_free(vm, &graph->kept);
}

Node *graph_node(Vm *vm, OpId op) {
    Graph *graph = graph_of(vm);
    Node *node = graph->spare;
    if (node) graph->spare = node->next;
    else if (!(node = mem_alloc(&vm->mem, sizeof *node))) return NULL;
    node->op = op;
    node->state = NODE_RECORDED;
    node->input_count = 0;
    node->attrs = (NodeAttrs){.loop = DT_NONE, .combine = AOP_NONE};
    node->span = graph->span;
    node->output.storage = NULL;
    node->next = NULL;
    return node;
}

void graph_discard(Vm *vm, Node *node) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) storage_release(vm, node->inputs[i].view.storage);
    storage_release(vm, node->output.storage);
    Graph *graph = graph_of(vm);
    node->next = graph->spare;
    graph->spare = node;
}

static void view_copy(View *to, const View *from) {
    size_t dims = (size_t)from->ndim * sizeof *from->shape;
    to->storage = from->storage;
    to->offset = from->offset;
    to->dtype = from->dtype;
    to->ndim = from->ndim;
    memcpy(to->shape, from->shape, dims);
    memcpy(to->strides, from->strides, dims);
}

void node_input_view(Node *node, const View *view) {
    NodeInput *input = &node->inputs[node->input_count++];
    input->is_scalar = false;
    input->dtype = view->dtype;
    view_copy(&input->view, view);
    storage_retain(view->storage);
}

void node_input_scalar(Node *node, DType dtype, Scalar scalar) {
    NodeInput *input = &node->inputs[node->input_count++];
    input->is_scalar = true;
    input->dtype = dtype;
    input->scalar = scalar;
}

void node_output(Node *node, const View *view) {
    view_copy(&node->output, view);
    storage_retain(view->storage);
    node->type.dtype = view->dtype;
    node->type.format = view->storage->format;
    node->type.placement = view->storage->placement;
    node->type.distribution = view->storage->distribution;
    node->type.ndim = view->ndim;
    memcpy(node->type.shape, view->shape, (size_t)view->ndim * sizeof *view->shape);
}

// --- Verifying ---------------------------------------------------------------------------------

// Elementwise operands have the output's rank already: broadcasting is strides of 0.
static const char *verify_elementwise(const Node *node) {
    for (int i = 0; i < node->input_count; i++) {
        const NodeInput *input = &node->inputs[i];
        if (input->is_scalar) continue;
        if (input->view.ndim != node->output.ndim) return "an operand is not of the output's rank";
        for (int d = 0; d < node->output.ndim; d++)
            if (input->view.shape[d] != node->output.shape[d])
                return "an operand is not of the output's shape";
    }
    return NULL;
}

static const char *verify_reduction(const Node *node) {
    if (node->inputs[0].is_scalar) return "a scalar is reduced";
    int kept = 0;
    for (int d = 0; d < node->inputs[0].view.ndim; d++) kept += !(node->attrs.axes >> d & 1);
    if (node->op != AOP_ARGMAX && node->op != AOP_ARGMIN && kept != node->output.ndim)
        return "a reduction's output has another rank than the axes kept";
    return NULL;
}

const char *graph_verify(const Node *node) {
    if (node->op >= AOP_COUNT) return "no such op";
    const OpInfo *info = &op_info[node->op];
    if (node->input_count != info->arity) return "wrong number of operands";
    if (!node->output.storage) return "no output";
    if (node->attrs.loop >= DT_COUNT || node->type.dtype >= DT_COUNT) return "no type";
    if (node->output.ndim > NDIM_MAX) return "too many dimensions";
    if (info->op_class == CLASS_ELEMENTWISE) return verify_elementwise(node);
    if (info->op_class == CLASS_REDUCTION) return verify_reduction(node);
    return NULL;
}

// --- The host's view ---------------------------------------------------------------------------

char *graph_host(Vm *vm, Storage *storage, bool for_writing) {
    const GraphHooks *hooks = &graph_of(vm)->hooks;
    if (hooks->observe(vm, storage) != ST_OK || hooks->to_host(vm, storage, for_writing) != ST_OK)
        return NULL;
    return storage->components[0].host;
}

// --- Recording ---------------------------------------------------------------------------------

static bool intern_sizes(Graph *graph, NodeType *type) {
    for (int d = 0; d < type->ndim; d++)
        if (!size_constant(&graph->sizes, type->shape[d], &type->sizes[d])) return false;
    return true;
}

// The table must not grow with the number of sizes ever met: nothing pending refers to it.
static void forget_sizes(Graph *graph) {
    enum { MANY = 1 << 12 };
    if (graph->first || graph->sizes.count < MANY) return;
    size_table_free(&graph->sizes);
}

Status graph_record(Vm *vm, Node *node) {
    Graph *graph = graph_of(vm);
    const char *problem = graph_verify(node);
    forget_sizes(graph);
    if (problem || !intern_sizes(graph, &node->type)) {
        const char *name = node->op < AOP_COUNT ? op_info[node->op].name : "?";
        graph_discard(vm, node);
        if (!problem) return vm_no_memory(vm);
        return vm_raise(vm, EXC_SystemError, "malformed array operation %s: %s", name, problem);
    }
    node->version = ++node->output.storage->version;
    node->output.storage->producer = node;
    if (graph->last) graph->last->next = node;
    else graph->first = node;
    graph->last = node;
    graph->recorded++;
    graph->pending_count++;
    return graph->hooks.recorded(vm);
}

Node *graph_take(Graph *graph) {
    Node *node = graph->first;
    if (!node) return NULL;
    graph->first = node->next;
    if (!graph->first) graph->last = NULL;
    graph->pending_count--;
    if (node->output.storage->producer == node) node->output.storage->producer = NULL;
    node->next = NULL;
    return node;
}
