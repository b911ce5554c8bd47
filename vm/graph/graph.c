// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Records and verifies nodes.

#include "vm/graph/graph.h"

#include "vm/graph/fill.h"
#include "vm/value/object.h"

#include <string.h>

static size_t node_bytes(int room) {
    return offsetof(Node, inputs) + (size_t)room * sizeof(NodeInput);
}

void graph_init(Graph *graph) {
    memset(graph, 0, sizeof *graph);
}

void graph_free(Graph *graph, Vm *vm) {
    graph_forget(vm);
    while (graph->spare) {
        Node *next = graph->spare->next;
        mem_free(&vm->mem, graph->spare, node_bytes(NODE_FEW));
        graph->spare = next;
    }
    buffers_free(vm, &graph->kept);
}

// Returns the bytes that results of pending nodes will need. Excludes results that are not visible
// outside: most of them are never stored.
static size_t promised_now(const Graph *graph) {
    size_t bytes = 0;
    for (const Node *node = graph->first; node; node = node->next) {
        const Storage *to = node->output.storage;
        if (to->producer == node && !to->buffer.valid && to->refs > to->held)
            bytes += to->buffer.bytes;
    }
    return bytes;
}

static size_t limit_of(const Vm *vm, const Graph *graph) {
    size_t limit = vm->mem.limit;
    return limit && limit < graph->memory_max ? limit : graph->memory_max;
}

static bool has_room(const Vm *vm, const Graph *graph, size_t promised, size_t bytes) {
    size_t limit = limit_of(vm, graph), used = vm->mem.in_use - graph->kept.bytes;
    return bytes <= limit && used <= limit - bytes && promised <= limit - bytes - used;
}

size_t graph_room(Vm *vm) {
    const Graph *graph = graph_of(vm);
    const size_t limit = limit_of(vm, graph), used = vm->mem.in_use - graph->kept.bytes;
    return used < limit && graph->promised < limit - used ? limit - used - graph->promised : 0;
}

// Collects cycles, which may hold memory, before memory is refused; returns whether there is room
// then. This is safe when arrays are made: no graph structure is being changed, and callers hold what
// they use. Does nothing until a sixteenth of the limit was allocated since the last time.
static bool collect_cycles(Vm *vm, Graph *graph, size_t bytes) {
    enum { PARTS = 16 };
    size_t now = vm->mem.in_use + promised_now(graph), part = limit_of(vm, graph) / PARTS;
    if (vm->gc_disabled || now < graph->collected + part) return false;
    gc_collect(vm);
    size_t promised = promised_now(graph);
    graph->collected = vm->mem.in_use + promised;
    return has_room(vm, graph, promised, bytes);
}

void graph_make_room(Vm *vm) {
    Graph *graph = graph_of(vm);
    if (!has_room(vm, graph, graph->promised, 0)) collect_cycles(vm, graph, 0);
}

Status graph_can_hold(Vm *vm, size_t bytes) {
    Graph *graph = graph_of(vm);
    if (has_room(vm, graph, graph->promised, bytes) || collect_cycles(vm, graph, bytes)) return ST_OK;
    bool held = graph->first && bytes <= limit_of(vm, graph); // pending nodes may hold the last
                                                              // references
    if (!has_room(vm, graph, 0, bytes) && !held) return vm_no_memory(vm);
    if (has_room(vm, graph, promised_now(graph), bytes)) return ST_OK;
    Status st = graph_observe_all(vm);
    if (st != ST_OK) return st;
    return has_room(vm, graph, promised_now(graph), bytes) ? ST_OK : vm_no_memory(vm);
}

Status graph_can_promise(Vm *vm, size_t bytes) {
    enum { REASON = 256 }; // times the machine's memory: limits the address range
    const Graph *graph = graph_of(vm);
    if (has_room(vm, graph, graph->promised, bytes)) return ST_OK;
    bool hidden = vm->guarded && bytes / REASON < graph->memory_max && !vm->guarded(vm);
    return hidden ? ST_OK : graph_can_hold(vm, bytes);
}

Node *graph_node(Vm *vm, OpId op) {
    Graph *graph = graph_of(vm);
    int room = op_info[op].arity <= NODE_FEW ? NODE_FEW : NODE_INPUTS;
    Node *node = room == NODE_FEW ? graph->spare : NULL;
    if (node) graph->spare = node->next;
    else if (!(node = mem_alloc(&vm->mem, node_bytes(room)))) return NULL;
    node->room = (uint8_t)room;
    node->op = op;
    node->state = NODE_RECORDED;
    node->input_count = 0;
    node->aside = node->batched = false;
    node->hints = 0;
    node->attrs = (NodeAttrs){.loop = DT_NONE, .combine = AOP_NONE};
    node->place = (CodePlace){.code = NULL};
    node->output.storage = NULL;
    node->next = NULL;
    return node;
}

static void let_go(Vm *vm, Storage *storage) {
    if (!storage) return;
    storage->held--;
    storage_release(vm, storage);
}

void node_let_go(Vm *vm, Node *node) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) let_go(vm, node->inputs[i].view.storage);
    let_go(vm, node->output.storage);
    if (node->place.code) release_obj(vm, node->place.code);
    node->place.code = NULL;
}

void node_hold(Node *node) {
    for (int i = 0; i < node->input_count; i++)
        if (!node->inputs[i].is_scalar) view_hold(&node->inputs[i].view);
    view_hold(&node->output);
}

static void keep_spare(Vm *vm, Node *node) {
    Graph *graph = graph_of(vm);
    if (node->room != NODE_FEW) {
        mem_free(&vm->mem, node, node_bytes(node->room));
        return;
    }
    node->next = graph->spare;
    graph->spare = node;
}

void graph_discard(Vm *vm, Node *node) {
    keep_spare(vm, node);
}

void node_input_view(Node *node, const View *view) {
    node_input_dims(node, view->storage, view->offset, view->dtype, view->ndim, view->shape,
                    view->strides);
}

void node_input_scalar(Node *node, DType dtype, Scalar scalar) {
    NodeInput *input = &node->inputs[node->input_count++];
    input->is_scalar = true;
    input->dtype = dtype;
    input->scalar = scalar;
}

void node_output(Node *node, const View *view) {
    node_output_dims(node, view->storage, view->offset, view->dtype, view->ndim, view->shape,
                     view->strides);
}

Node *graph_node_of(Vm *vm, OpId op, DType loop, const View *output, int count, const View *const *operands) {
    Node *node = graph_node(vm, op);
    if (!node) return NULL;
    for (int i = 0; i < count; i++) node_input_view(node, operands[i]);
    node_output(node, output);
    node->attrs.loop = loop;
    return node;
}

// --- Verifying ---------------------------------------------------------------------------------

// Operands already have the output's rank: broadcasting is expressed by strides of 0.
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
    bool any_number = node->op == AOP_HOST && node->input_count > 0 && node->attrs.host;
    if (node->input_count != info->arity && !any_number) return "wrong number of operands";
    if (!node->output.storage) return "no output";
    if (node->attrs.raw) return "unchecked indices";
    if (node->attrs.loop >= DT_COUNT || node->output.dtype >= DT_COUNT) return "no type";
    if (node->output.ndim > NDIM_MAX) return "too many dimensions";
    if (info->op_class == CLASS_ELEMENTWISE) return verify_elementwise(node);
    if (info->op_class == CLASS_REDUCTION) return verify_reduction(node);
    return NULL;
}

// --- The host's view ---------------------------------------------------------------------------

char *graph_host(Vm *vm, Storage *storage, bool for_writing) {
    const GraphHooks *hooks = &graph_of(vm)->hooks;
    if (fill_settle(vm, storage) != ST_OK) return NULL;
    if (hooks->observe(vm, storage, for_writing) != ST_OK ||
        hooks->to_host(vm, storage, for_writing) != ST_OK)
        return NULL;
    return storage->buffer.host;
}

const char *graph_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes) {
    const GraphHooks *hooks = &graph_of(vm)->hooks;
    if (storage->fill) return fill_element(vm, storage, offset);
    if (hooks->observe(vm, storage, false) != ST_OK) return NULL;
    if (graph_is_distributed(vm, storage) || graph_is_away(vm, storage)) return hooks->element(vm, storage, offset, bytes);
    const char *base = graph_read(vm, storage);
    return base ? base + offset : NULL;
}

const char *graph_bring(Vm *vm, Storage *storage, const char *why) {
    const GraphHooks *hooks = &graph_of(vm)->hooks;
    if (hooks->observe(vm, storage, false) != ST_OK) return NULL;
    bool is_away = storage->buffer.valid && !(storage->buffer.valid & (PLACE_HOST | PLACE_UNKNOWN));
    if (is_away && hooks->fetched(vm, why) != ST_OK) return NULL;
    return graph_read(vm, storage);
}

// --- Recording ---------------------------------------------------------------------------------

bool graph_try(Vm *vm, Node *node) {
    bool done = !fill_concerns(vm, node) && graph_of(vm)->hooks.direct(vm, node);
    graph_discard(vm, node);
    return done;
}

Status graph_record(Vm *vm, Node *node) {
    if (__builtin_expect(fill_concerns(vm, node), 0)) return fill_record(vm, node);
    if (!graph_of(vm)->hooks.direct(vm, node)) return graph_append(vm, node);
    graph_discard(vm, node);
    return ST_OK;
}

Status graph_append(Vm *vm, Node *node) {
    Graph *graph = graph_of(vm);
    const char *problem = graph_verify(node);
    if (problem) {
        const char *name = node->op < AOP_COUNT ? op_info[node->op].name : "?";
        graph_discard(vm, node);
        return vm_raise(vm, EXC_SystemError, "malformed array operation %s: %s", name, problem);
    }
    node_hold(node);
    if (vm->where) vm->where(vm, 0, &node->place);
    if (node->place.code) node->place.code->refs++;
    node->version = ++node->output.storage->version;
    node->output.storage->producer = node;
    if (!node->output.storage->buffer.valid)
        graph->promised += node->output.storage->buffer.bytes;
    if (graph->last) graph->last->next = node;
    else graph->first = node;
    graph->last = node;
    graph->recorded++;
    graph->pending_count++;
    return graph->hooks.recorded(vm);
}

void graph_finish(Vm *vm, Node *node, NodeState state) {
    Graph *graph = graph_of(vm);
    node->state = (uint8_t)state;
    if (node->output.storage->producer == node) node->output.storage->producer = NULL;
    if (state == NODE_EXECUTED) graph->executed++;
    else graph->eliminated++;
    graph->pending_count--;
    node_let_go(vm, node);
}

void graph_sweep(Vm *vm) {
    Graph *graph = graph_of(vm);
    Node **at = &graph->first, *node;
    graph->last = NULL;
    while ((node = *at)) {
        if (node->state == NODE_RECORDED) {
            graph->last = node;
            at = &node->next;
            continue;
        }
        *at = node->next;
        keep_spare(vm, node);
    }
    if (!graph->first) graph->promised = 0;
}

void graph_forget(Vm *vm) {
    for (Node *node = graph_of(vm)->first; node; node = node->next)
        graph_finish(vm, node, NODE_ELIMINATED);
    graph_sweep(vm);
}

void graph_visit(Vm *vm, Visitor *visitor) {
    for (Node *node = graph_of(vm)->first; node; node = node->next)
        if (node->place.code) visitor->visit(visitor, node->place.code);
}
