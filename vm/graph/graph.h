// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The typed graph: array work reaches the scheduler only as recorded nodes. A node is filled in and
// recorded; if it has little work, the same description is executed directly.

#ifndef NACRE_VM_GRAPH_GRAPH_H
#define NACRE_VM_GRAPH_GRAPH_H

#include "vm/graph/buffers.h"
#include "vm/graph/node.h"
#include "vm/value/kind.h"

// Callbacks into the scheduler for the layers below it; installed by the engine (vm/sched).
typedef struct GraphHooks {
    Status (*recorded)(Vm *vm); // called after a node is appended
    // Runs what the storage's value depends on and, for writing, readers of the old value. NULL:
    // everything pending.
    Status (*observe)(Vm *vm, Storage *storage, bool for_writing);
    // Makes the host's copy of an observed storage valid; for writing, the only valid one.
    Status (*to_host)(Vm *vm, Storage *storage, bool for_writing);
    void (*drop)(Vm *vm, Buffer *buffer); // frees the backend's part of a buffer
    void (*free_host)(Vm *vm, Buffer *buffer); // frees a buffer's host memory, once no copy under way reads it
    // Executes a small node immediately if no program can observe the difference. False: append it.
    bool (*direct)(Vm *vm, const Node *node);
    // Called before an array is copied to the host although the program has not asked for its elements.
    Status (*fetched)(Vm *vm, const char *why);
    // Returns whether a storage is distributed, or will be once pending nodes have run. NULL on a single rank.
    bool (*distributed)(Vm *vm, const Storage *storage);
    // Returns the address of an element of an observed storage that is distributed or on a device, valid until the next
    // call; NULL: an exception is set.
    const char *(*element)(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
    // Returns whether a storage is valid on a device only, or will be once pending nodes have run, and one more access
    // to an element should not bring it to the host. Counts the access.
    bool (*away)(Vm *vm, Storage *storage);
    // Cuts a new array, in C order and without memory, over the ranks, if it is large: this rank then has memory for
    // its elements from … to. Otherwise from … to are all elements, and the array is unchanged.
    Status (*divide)(Vm *vm, const View *view, int64_t *from, int64_t *to);
} GraphHooks;

typedef struct Graph {
    Node *first, *last; // recorded but not executed; program order
    Node *spare;        // free list of nodes with NODE_FEW inputs
    BufferCache kept;   // free blocks of dead storages
    Reserving reserving;
    uint64_t pending_count;
    uint64_t recorded, executed, eliminated;
    size_t memory_max;  // size of the machine's memory
    bool has_fills;     // arrays of one value (fill.h) have been made
    size_t collected;   // bytes in use and promised at the last collection of cycles
    size_t promised;    // upper bound of what pending nodes will allocate
    bool apart;         // this rank works by itself: arrays made now exist on no other rank
    bool has_device;    // there is a device with memory of its own
    bool unfused;       // each operation is run by itself
    bool on_device;     // arrays are kept and computed on the device, except for little work
    GraphHooks hooks;
} Graph;

// struct Engine begins with its Graph.
static inline Graph *graph_of(Vm *vm) {
    return (Graph *)vm->engine;
}

void graph_init(Graph *graph);
void graph_free(Graph *graph, Vm *vm);

// Checks that `bytes` more fit into memory, after visible results of pending nodes have got theirs.
// If not, pending nodes run first. So MemoryError is raised at the line that asks for too much, as
// without deferred execution. MemoryError without a text, or the error of running the nodes.
Status graph_can_hold(Vm *vm, size_t bytes);
// Returns how many bytes of memory are left, once pending nodes have got theirs.
size_t graph_room(Vm *vm);
// Runs the cycle collector, before pending nodes run, if memory is too short for their results.
void graph_make_room(Vm *vm);
// Checks the same for a node's output, which may never need memory. If no exception handler could
// observe the difference, any reasonable size is allowed; MemoryError is then raised when the output
// has to be stored, and reported for the node's line.
Status graph_can_promise(Vm *vm, size_t bytes);

// Returns a blank node, whose operands, output and attributes the caller sets. It borrows its storages
// until it is recorded. NULL: out of memory.
Node *graph_node(Vm *vm, OpId op);
// Returns a node with its output and operands set; the operands are cast to `loop`.
Node *graph_node_of(Vm *vm, OpId op, DType loop, const View *output, int count, const View *const *operands);
void graph_discard(Vm *vm, Node *node); // frees a node that was not recorded
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

// Consumes the node, also on failure. Executes it at once if it has little work; otherwise verifies
// and appends it, giving the output's storage a new version. SystemError if malformed.
Status graph_record(Vm *vm, Node *node);
// Records a node as graph_record does, but never executes it at once.
Status graph_append(Vm *vm, Node *node);
// Consumes the node, and either executes it at once or drops it. False: nothing has happened.
bool graph_try(Vm *vm, Node *node);

// Pending nodes hold their storages: whoever replaces one must retain the new and release the old.
static inline void view_hold(View *view) {
    storage_retain(view->storage)->held++;
}
void node_hold(Node *node);
void node_let_go(Vm *vm, Node *node);

// Returns the first inconsistency of a node; NULL: none.
const char *graph_verify(const Node *node);

// The only way to elements on the host. Returns the address of the storage's first byte, valid
// until the next node is recorded; NULL: an exception is set.
char *graph_host(Vm *vm, Storage *storage, bool for_writing);
static inline const char *graph_read(Vm *vm, Storage *storage) {
    const Buffer *buffer = &storage->buffer;
    if (!storage->producer && buffer->valid & PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_host(vm, storage, false);
}
// Returns the address of one element, valid until the next call; a distributed storage stays distributed. NULL: an
// exception is set.
const char *graph_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes);
static inline const char *graph_read_element(Vm *vm, Storage *storage, int64_t offset, size_t bytes) {
    const Buffer *buffer = &storage->buffer;
    if (!storage->producer && buffer->valid & PLACE_HOST && !storage->doubted) return buffer->host + offset;
    return graph_element(vm, storage, offset, bytes);
}
// Returns whether writing one element should be recorded rather than done on the host; counts the question.
static inline bool graph_is_away(Vm *vm, Storage *storage) {
    return graph_of(vm)->has_device && graph_of(vm)->hooks.away(vm, storage);
}
// Returns whether the storage is distributed.
static inline bool graph_is_distributed(Vm *vm, const Storage *storage) {
    const GraphHooks *hooks = &graph_of(vm)->hooks;
    return hooks->distributed && hooks->distributed(vm, storage);
}
// Reads like graph_read, for the library's own purposes; `why` is reported if elements must be copied from a device.
const char *graph_bring(Vm *vm, Storage *storage, const char *why);
static inline const char *graph_fetch(Vm *vm, Storage *storage, const char *why) {
    const Buffer *buffer = &storage->buffer;
    if (!storage->producer && buffer->valid & PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_bring(vm, storage, why);
}
// Returns the address of the storage's first byte for writing, which makes a new version; NULL: an exception is set.
static inline char *graph_write(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->buffer;
    storage->version++;
    buffer->untouched = WRITTEN;
    if (!storage->held && buffer->valid == PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_host(vm, storage, true);
}
// Returns whether the storage's elements are never computed, since this is a dry run.
static inline bool graph_is_unknown(const Storage *storage) {
    return storage->buffer.valid == PLACE_UNKNOWN;
}
// Executes the pending nodes that the storage's value depends on.
static inline Status graph_observe(Vm *vm, Storage *storage) {
    return graph_of(vm)->hooks.observe(vm, storage, false);
}
static inline Status graph_observe_all(Vm *vm) {
    return graph_of(vm)->hooks.observe(vm, NULL, false);
}

// Sets the state of a pending node that was executed or dropped, and releases what it holds.
void graph_finish(Vm *vm, Node *node, NodeState state);
void graph_forget(Vm *vm); // drops all pending nodes
// Unlinks finished nodes.
void graph_sweep(Vm *vm);
// Visits the code objects that pending nodes hold.
void graph_visit(Vm *vm, Visitor *visitor);

#endif
