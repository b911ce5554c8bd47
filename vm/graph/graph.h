// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The typed graph: recording nodes. The only way array work reaches the scheduler.

#ifndef NACRE_VM_GRAPH_GRAPH_H
#define NACRE_VM_GRAPH_GRAPH_H

#include "vm/graph/buffers.h"
#include "vm/graph/node.h"

// What the scheduler does for the layers below it; installed by the engine (vm/sched).
typedef struct GraphHooks {
    Status (*recorded)(Vm *vm); // a node has been appended
    // Runs what is needed to have the storage's value; with NULL, everything pending.
    Status (*observe)(Vm *vm, Storage *storage);
    // Makes the host's copy of an observed storage the valid one: for writing, the only one.
    Status (*to_host)(Vm *vm, Storage *storage, bool for_writing);
    // Gives a new storage memory where the backend wants it; elements are undefined.
    bool (*place)(Vm *vm, Storage *storage);
    void (*drop)(Vm *vm, Buffer *buffer); // the backend's part of a buffer that goes
} GraphHooks;

typedef struct Graph {
    SizeTable sizes;
    Node *first, *last; // recorded, not yet executed; program order
    Node *spare;        // free nodes
    BufferCache kept;   // memory of storages that are gone
    uint64_t pending_count;
    uint64_t recorded, executed, eliminated;
    NodeSpan span;      // given to nodes recorded from now on
    GraphHooks hooks;
} Graph;

// struct Engine begins with its Graph.
static inline Graph *graph_of(Vm *vm) {
    return (Graph *)vm->engine;
}

void graph_init(Graph *graph, Vm *vm);
void graph_free(Graph *graph, Vm *vm);

// A blank node to be filled in by the caller; NULL: out of memory.
Node *graph_node(Vm *vm, OpId op);
// Owned storages of a node that is not going to be recorded.
void graph_discard(Vm *vm, Node *node);
// Sets an operand; retains the storage.
void node_input_view(Node *node, const View *view);
void node_input_scalar(Node *node, DType dtype, Scalar scalar);
void node_output(Node *node, const View *view); // retains the storage; sets the type too

// Appends the node (consumed, also on failure) after verifying it: SystemError on a malformed one.
// The output's storage becomes a new version.
Status graph_record(Vm *vm, Node *node);

// What is wrong with a node; NULL: nothing.
const char *graph_verify(const Node *node);

// Everything that reads or writes elements on the host asks here. The address is that of the
// storage's first byte, and holds until the next node is recorded; NULL: an exception is set.
char *graph_host(Vm *vm, Storage *storage, bool for_writing);
static inline const char *graph_read(Vm *vm, Storage *storage) {
    const Buffer *buffer = &storage->components[0];
    if (!storage->producer && buffer->valid & PLACE_HOST) return buffer->host;
    return graph_host(vm, storage, false);
}
// What is written makes a new version.
static inline char *graph_write(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->components[0];
    storage->version++;
    if (!storage->producer && buffer->valid == PLACE_HOST) return buffer->host;
    return graph_host(vm, storage, true);
}
static inline Status graph_observe_all(Vm *vm) {
    return graph_of(vm)->hooks.observe(vm, NULL);
}

// Hands out the next pending node in program order, unlinked; NULL: none.
Node *graph_take(Graph *graph);

#endif
