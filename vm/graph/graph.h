// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The typed graph: recording nodes, the only way array work reaches the scheduler. A node is filled in and
// recorded; one with little to do is done at once instead, by the same description.

#ifndef NACRE_VM_GRAPH_GRAPH_H
#define NACRE_VM_GRAPH_GRAPH_H

#include "vm/graph/buffers.h"
#include "vm/graph/node.h"
#include "vm/value/kind.h"

// What the scheduler does for the layers below it; installed by the engine (vm/sched).
typedef struct GraphHooks {
    Status (*recorded)(Vm *vm); // a node has been appended
    // Runs what is needed to have the storage's value, and for writing also what is to see the value
    // of before. With NULL: everything pending.
    Status (*observe)(Vm *vm, Storage *storage, bool for_writing);
    // Makes the host's copy of an observed storage the valid one: for writing, the only one.
    Status (*to_host)(Vm *vm, Storage *storage, bool for_writing);
    void (*drop)(Vm *vm, Buffer *buffer); // the backend's part of a buffer that goes
    // Does a node's work at once, if that is less than keeping it and nobody can tell the difference. False: it
    // is to be kept.
    bool (*direct)(Vm *vm, const Node *node);
    // An array is about to be brought to the host though the program has not asked for its elements.
    Status (*fetched)(Vm *vm, const char *why);
} GraphHooks;

typedef struct Graph {
    Node *first, *last; // recorded, not yet executed; program order
    Node *spare;        // free nodes with room for NODE_FEW inputs
    BufferCache kept;   // memory of storages that are gone
    uint64_t pending_count;
    uint64_t recorded, executed, eliminated;
    size_t memory_max;  // bytes that the machine has
    size_t collected;   // bytes in use and promised when it was last tried whether cycles hold some
    size_t promised;    // at most so many will be asked for by pending nodes
    GraphHooks hooks;
} Graph;

// struct Engine begins with its Graph.
static inline Graph *graph_of(Vm *vm) {
    return (Graph *)vm->engine;
}

void graph_init(Graph *graph);
void graph_free(Graph *graph, Vm *vm);

// Whether there is room for so many bytes more, when all have got memory that pending nodes write and
// somebody sees. Where that is more than there is, what is pending is run first. So memory ends at the
// line that asks for too much, as it does where nothing is put off. MemoryError without a text, or what
// came of running.
Status graph_can_hold(Vm *vm, size_t bytes);
// Before pending nodes are run: collects cycles if there is not enough for what has been promised.
void graph_make_room(Vm *vm);
// The same for what a node will write, which may never have to be stored. Where no handler could tell, it
// is as much as it likes, within reason: if it has to be stored after all, memory ends then, at its line.
Status graph_can_promise(Vm *vm, size_t bytes);

// A blank node to be filled in by the caller: operands, output, attributes. Until it is recorded it borrows its
// storages. NULL: out of memory.
Node *graph_node(Vm *vm, OpId op);
// The same with an output and operands, which are cast to `loop`.
Node *graph_node_of(Vm *vm, OpId op, DType loop, const View *output, int count, const View *const *operands);
void graph_discard(Vm *vm, Node *node); // gives up a node that was not recorded
void node_input_view(Node *node, const View *view);
static inline void node_input_dims(Node *node, Storage *storage, int64_t offset, DType dtype, int ndim,
                                   const int64_t *shape, const int64_t *strides) {
    NodeInput *input = &node->inputs[node->input_count++];
    input->is_scalar = false;
    input->dtype = dtype;
    view_set(&input->view, storage, offset, dtype, ndim, shape, strides);
}
void node_input_scalar(Node *node, DType dtype, Scalar scalar);
void node_output(Node *node, const View *view);
static inline void node_output_dims(Node *node, Storage *storage, int64_t offset, DType dtype, int ndim,
                                    const int64_t *shape, const int64_t *strides) {
    view_set(&node->output, storage, offset, dtype, ndim, shape, strides);
}

// Takes the node over, also on failure: does its work at once where that is little, else verifies and appends
// it, when the output's storage becomes a new version. SystemError on a malformed one.
Status graph_record(Vm *vm, Node *node);
// The same, but the node is always appended.
Status graph_append(Vm *vm, Node *node);
// Takes the node over, too, but only does its work at once, or leaves it. False: nothing has happened.
bool graph_try(Vm *vm, Node *node);

// A pending node holds its storages: those who change one hold what they put in, and let go what they take out.
static inline void view_hold(View *view) {
    storage_retain(view->storage)->held++;
}
void node_hold(Node *node);
void node_let_go(Vm *vm, Node *node);

// What is wrong with a node; NULL: nothing.
const char *graph_verify(const Node *node);

// Everything that reads or writes elements on the host asks here. The address is that of the
// storage's first byte, and holds until the next node is recorded; NULL: an exception is set.
char *graph_host(Vm *vm, Storage *storage, bool for_writing);
static inline const char *graph_read(Vm *vm, Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    if (!storage->producer && buffer->valid & PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_host(vm, storage, false);
}
// The same for a purpose of the library's own, which is told if elements have to be brought from a device.
const char *graph_bring(Vm *vm, Storage *storage, const char *why);
static inline const char *graph_fetch(Vm *vm, Storage *storage, const char *why) {
    const Buffer *buffer = &storage->buffer;
    if (!storage->producer && buffer->valid & PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_bring(vm, storage, why);
}
// What is written makes a new version.
static inline char *graph_write(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    storage->version++;
    if (!storage->held && buffer->valid == PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_host(vm, storage, true);
}
// Runs what leads to the storage's value.
static inline Status graph_observe(Vm *vm, Storage *storage) {
    return graph_of(vm)->hooks.observe(vm, storage, false);
}
static inline Status graph_observe_all(Vm *vm) {
    return graph_of(vm)->hooks.observe(vm, NULL, false);
}

// A pending node has been executed, or is not going to be: gives up what it holds, at once.
void graph_finish(Vm *vm, Node *node, NodeState state);
void graph_forget(Vm *vm); // all that are pending
// Takes finished nodes out of the pending ones.
void graph_sweep(Vm *vm);
// The code objects that pending nodes hold.
void graph_visit(Vm *vm, Visitor *visitor);

#endif
