// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The typed graph: recording nodes. The only way array work reaches the scheduler.

#ifndef NACRE_VM_GRAPH_GRAPH_H
#define NACRE_VM_GRAPH_GRAPH_H

#include "vm/graph/node.h"

typedef struct Graph {
    SizeTable sizes;
    Node *first, *last; // recorded, not yet executed; program order
    Node *spare;        // free nodes
    uint64_t pending_count;
    uint64_t recorded, executed, eliminated;
    NodeSpan span;      // given to nodes recorded from now on
    // Installed by the engine (vm/sched): runs what is needed so that the storage can be read (or,
    // with `storage` NULL, everything), and what recording beyond the depth limit does.
    Status (*observe)(Vm *vm, Storage *storage);
    Status (*recorded_one)(Vm *vm);
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

// Everything that reads or writes elements asks first.
static inline Status graph_observe(Vm *vm, Storage *storage) {
    return storage->producer || !(storage->components[0].valid & PLACE_HOST)
               ? graph_of(vm)->observe(vm, storage)
               : ST_OK;
}
static inline Status graph_observe_all(Vm *vm) {
    return graph_of(vm)->first ? graph_of(vm)->observe(vm, NULL) : ST_OK;
}

// Hands out the next pending node in program order, unlinked; NULL: none.
Node *graph_take(Graph *graph);

#endif
