// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs graphs that a host provides: records them node by node, like a script's.

#include <string.h>

#include "vm/api/graph_check.h"
#include "vm/api/sizes.h"
#include "vm/sched/engine.h"

typedef struct Loading {
    Vm *vm;
    const NacreGraph *graph; // its nodes and storages have the host's structure size
    Storage **storages; // owned, so that passes take their contents for visible outside the plan
    bool *written;      // per storage: has contents
} Loading;

// --- Storages ----------------------------------------------------------------------------------

// Allocates a storage's memory and copies `data` into it; NULL: fills it with zeros.
static Status fill(Vm *vm, Storage *storage, const void *data) {
    Buffer *buffer = &storage->buffer;
    if (!buffer_alloc_host(vm, buffer, data ? FRESH_ANY : FRESH_ZEROED)) return vm_no_memory(vm);
    if (data && buffer->bytes) memcpy(buffer->host, data, buffer->bytes);
    return ST_OK;
}

static Status make_storages(Loading *l) {
    Vm *vm = l->vm;
    for (int i = 0; i < l->graph->storage_count; i++) {
        const NacreStorage *from = &l->graph->storages[i];
        if (from->bytes > INT64_MAX) return vm_no_memory(vm);
        Status st = graph_can_hold(vm, from->bytes);
        if (st != ST_OK) return st;
        l->storages[i] = storage_new(vm, from->bytes);
        if (!l->storages[i]) return vm_no_memory(vm);
        if (from->data && fill(vm, l->storages[i], from->data) != ST_OK) return ST_ERROR;
        l->written[i] = from->data;
    }
    return ST_OK;
}

// Zero-fills a storage that is read, or partly written, before the host or a node has written it.
static Status begin_storage(Loading *l, int number) {
    if (l->written[number]) return ST_OK;
    l->written[number] = true;
    return fill(l->vm, l->storages[number], NULL);
}

static Status begin_storages(Loading *l, const CheckedNode *node, int operands) {
    Status st = ST_OK;
    int to = node->storages[operands];
    for (int i = 0; st == ST_OK && i < operands; i++)
        if (node->storages[i] >= 0) st = begin_storage(l, node->storages[i]);
    if (st == ST_OK &&
        (node->attrs.begun || !view_is_whole(&node->output, l->graph->storages[to].bytes)))
        st = begin_storage(l, to);
    l->written[to] = true;
    return st;
}

// --- Nodes -------------------------------------------------------------------------------------

static Status record(Loading *l, CheckedNode *checked, int operands) {
    Vm *vm = l->vm;
    Node *node = graph_node(vm, checked->op);
    if (!node) return vm_no_memory(vm);
    node->attrs = checked->attrs;
    for (int i = 0; i < operands; i++) {
        NodeInput *input = &checked->inputs[i];
        if (input->is_scalar) {
            node_input_scalar(node, input->dtype, input->scalar);
            continue;
        }
        input->view.storage = l->storages[checked->storages[i]];
        node_input_view(node, &input->view);
    }
    checked->output.storage = l->storages[checked->storages[operands]];
    node_output(node, &checked->output);
    return graph_append(vm, node); // recorded, not run directly, so that passes see it
}

static Status add_node(Loading *l, int number) {
    const NacreNode *from = &l->graph->nodes[number];
    CheckedNode checked;
    const char *problem = graph_check(from, l->graph->storages, l->graph->storage_count, &checked);
    if (problem) return vm_raise(l->vm, EXC_ValueError, "node %d: %s", number, problem);
    Status st = begin_storages(l, &checked, from->operand_count);
    return st == ST_OK ? record(l, &checked, from->operand_count) : st;
}

// --- All of it ---------------------------------------------------------------------------------

// Releases all storages but the results, so that intermediate ones can be elided.
static void let_go(Loading *l, bool all) {
    for (int i = 0; i < l->graph->storage_count; i++) {
        if (!all && l->graph->storages[i].is_seen) continue;
        storage_release(l->vm, l->storages[i]);
        l->storages[i] = NULL;
    }
}

static Status hand_out(const Loading *l, NacreResultFn each, void *ctx) {
    for (int i = 0; i < l->graph->storage_count; i++) {
        if (!l->graph->storages[i].is_seen) continue;
        if (!l->written[i] && fill(l->vm, l->storages[i], NULL) != ST_OK) return ST_ERROR;
        const char *data = graph_read(l->vm, l->storages[i]);
        if (!data && l->graph->storages[i].bytes) return ST_ERROR;
        if (each) each(ctx, i, data, l->graph->storages[i].bytes);
    }
    return ST_OK;
}

static Status run(Loading *l, NacreResultFn each, void *ctx) {
    Status st = make_storages(l);
    for (int i = 0; st == ST_OK && i < l->graph->node_count; i++) st = add_node(l, i);
    let_go(l, false);
    if (st == ST_OK) st = engine_observe_all(l->vm);
    if (st == ST_OK) st = hand_out(l, each, ctx);
    engine_forget(l->vm); // drops nodes that an error left pending
    let_go(l, true);
    return st;
}

// Copies an array of the host's structures to an array of the library's. The first one's struct_size gives the size of
// each.
static Status take_all(Vm *vm, const char *what, void *to, size_t size, size_t least, const void *given, int count) {
    size_t theirs = count ? *(const size_t *)given : 0;
    for (int i = 0; i < count; i++) {
        const char *from = (const char *)given + (size_t)i * theirs;
        if (*(const size_t *)from != theirs || !api_take((char *)to + (size_t)i * size, size, least, from))
            return vm_raise(vm, EXC_ValueError, "%s %d: struct_size of another library", what, i);
    }
    return ST_OK;
}

static Status run_taken(Vm *vm, const NacreGraph *given, NacreResultFn each, void *ctx) {
    size_t count = (size_t)given->storage_count, nodes = (size_t)given->node_count;
    NacreNode *own_nodes = mem_alloc(&vm->mem, nodes * sizeof *own_nodes);
    NacreStorage *own_storages = mem_alloc(&vm->mem, count * sizeof *own_storages);
    NacreGraph graph = *given;
    Loading l = {.vm = vm,
                 .graph = &graph,
                 .storages = mem_zalloc(&vm->mem, count * sizeof(Storage *)),
                 .written = mem_zalloc(&vm->mem, count * sizeof(bool))};
    bool room = (count == 0 || (l.storages && l.written && own_storages)) && (nodes == 0 || own_nodes);
    Status st = room ? ST_OK : vm_no_memory(vm);
    graph.nodes = own_nodes;
    graph.storages = own_storages;
    if (st == ST_OK)
        st = take_all(vm, "storage", own_storages, sizeof *own_storages, FIRST_STORAGE, given->storages,
                      given->storage_count);
    if (st == ST_OK)
        st = take_all(vm, "node", own_nodes, sizeof *own_nodes, FIRST_NODE, given->nodes, given->node_count);
    if (st == ST_OK) st = run(&l, each, ctx);
    mem_free(&vm->mem, l.storages, count * sizeof *l.storages);
    mem_free(&vm->mem, l.written, count * sizeof *l.written);
    mem_free(&vm->mem, own_storages, count * sizeof *own_storages);
    mem_free(&vm->mem, own_nodes, nodes * sizeof *own_nodes);
    return st;
}

NacreStatus nacre_run_graph(NacreVm *handle, const NacreGraph *given, NacreResultFn each,
                            void *ctx) {
    NacreGraph graph;
    if (!api_is_alive(handle) || !API_TAKE(&graph, FIRST_GRAPH, given) || handle->running)
        return NACRE_MISUSE;
    if (graph.node_count < 0 || graph.storage_count < 0 || (graph.node_count && !graph.nodes) ||
        (graph.storage_count && !graph.storages))
        return NACRE_MISUSE;
    api_begin(handle);
    Status st = run_taken(&handle->vm, &graph, each, ctx);
    NacreStatus status = st == ST_OK ? NACRE_OK : api_failed(handle);
    api_left(handle);
    return status;
}
