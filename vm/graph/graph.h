// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The typed graph: recording nodes. The only way array work reaches the scheduler, but for what is so small
// that a node would be more work (Direct).

#ifndef NACRE_VM_GRAPH_GRAPH_H
#define NACRE_VM_GRAPH_GRAPH_H

#include "vm/graph/buffers.h"
#include "vm/graph/node.h"
#include "vm/value/kind.h"

// An operation whose result lies side by side: an elementwise one, or a copy (CAST), of as many elements, cast
// from their own types to the loop's; a reduction of all to one (REDUCE: by `combine`, which needs no
// identity), or the place of an extreme; the product of two
// rows (MATMUL); elements of a row that are read (TAKE: of the first operand) or written (PUT: of the result)
// where int64 indexes say (TAKE: the second operand, PUT: the first); a row that is sorted (SORT), or the places of
// its elements in order (ARGSORT); how often each number below the extent is there (BINCOUNT); rows that meet
// (CONVOLVE); or where elements (the second operand) belong in a sorted row (SEARCHSORTED: the
// first operand).
typedef struct Direct {
    OpId op;
    DType loop;
    int count;        // operands
    int64_t elements; // of each; of TAKE and PUT, so many indexes; of SEARCHSORTED, so many are looked up
    int64_t extent, stride; // of the row; the stride in bytes. WRAP_INDEX: the extent
    int64_t first, places;  // of SORT and ARGSORT: what has to be right, from which place on; 0: all. CONVOLVE: the
                            // first sum, and the length of the second row, which the stride is of
    bool right;             // of SEARCHSORTED: behind equal elements
    bool combines;          // of PUT: values do not take elements' places, but meet them, by this op
    OpId combine;
    struct DirectOperand {
        Storage *storage; // NULL: a number
        int64_t offset;
        DType own;        // type of the elements
        const View *view; // how they lie, if not side by side; not of rows, TAKE and PUT
        Scalar number;
    } operands[3];
    Storage *to;
    int64_t offset;
    const View *spread; // of CAST: how the results lie, if not side by side; of PUT with a result: what is put into
    int64_t *found; // of NONZERO: how many there are
    // Of MATMUL: of matrices, whose operands have views. Of TAKE: what is taken, and of PUT: what is put there, with
    // the places' axes first; the operands have views, the indexes are inside. NULL: all are rows.
    const View *result;
    AxisSet axes; // with that: those that places are of
    bool in_place; // operands of the result's storage are what is overwritten, element by element
} Direct;

// What the scheduler does for the layers below it; installed by the engine (vm/sched).
typedef struct GraphHooks {
    Status (*recorded)(Vm *vm); // a node has been appended
    // Runs what is needed to have the storage's value, and for writing also what is to see the value
    // of before. With NULL: everything pending.
    Status (*observe)(Vm *vm, Storage *storage, bool for_writing);
    // Makes the host's copy of an observed storage the valid one: for writing, the only one.
    Status (*to_host)(Vm *vm, Storage *storage, bool for_writing);
    void (*drop)(Vm *vm, Buffer *buffer); // the backend's part of a buffer that goes
    void (*free_host)(Vm *vm, Buffer *buffer); // the host's part of one that has been copied from there
    // Does it at once, if that is less work than a node and nobody can tell. False: it is to be recorded.
    bool (*direct)(Vm *vm, const Direct *direct);
} GraphHooks;

typedef struct Graph {
    SizeTable sizes;
    Node *first, *last; // recorded, not yet executed; program order
    Node *spare;        // free nodes
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

void graph_init(Graph *graph, Vm *vm);
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

// A blank node to be filled in by the caller; NULL: out of memory.
Node *graph_node(Vm *vm, OpId op);
// Gives up a node and what it holds.
void graph_discard(Vm *vm, Node *node);
// Sets an operand; retains the storage.
void node_input_view(Node *node, const View *view);
void node_input_dims(Node *node, Storage *storage, int64_t offset, DType dtype, int ndim,
                     const int64_t *shape, const int64_t *strides);
void node_input_scalar(Node *node, DType dtype, Scalar scalar);
void node_output(Node *node, const View *view); // retains the storage; sets the type too
void node_output_dims(Node *node, Storage *storage, int64_t offset, DType dtype, int ndim,
                      const int64_t *shape, const int64_t *strides);

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
    if (!storage->producer && buffer->valid & PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_host(vm, storage, false);
}
// What is written makes a new version.
static inline char *graph_write(Vm *vm, Storage *storage) {
    Buffer *buffer = &storage->components[0];
    storage->version++;
    if (!storage->held && buffer->valid == PLACE_HOST && !storage->doubted) return buffer->host;
    return graph_host(vm, storage, true);
}
static inline bool graph_direct(Vm *vm, const Direct *direct) {
    return graph_of(vm)->hooks.direct(vm, direct);
}
// The elements that a view shows, as an operand; the view has to last.
static inline struct DirectOperand direct_operand(const View *view) {
    return (struct DirectOperand){.storage = view->storage, .offset = view->offset, .own = view->dtype,
                                  .view = view_is_contiguous(view) ? NULL : view};
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
