// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A node of the typed graph: one array operation, recorded and perhaps not yet executed.

#ifndef NACRE_VM_GRAPH_NODE_H
#define NACRE_VM_GRAPH_NODE_H

#include "vm/graph/op.h"
#include "vm/graph/storage.h"
#include "vm/graph/wish.h"

// Inputs of a node at most, and of nearly all of them: those of elementwise operations.
enum { NODE_INPUTS = 6, NODE_FEW = 3 };

typedef enum NodeState {
    NODE_RECORDED,   // pending
    NODE_EXECUTED,
    NODE_ELIMINATED, // nobody can see what it would have made, or it failed
} NodeState;

// An operand: a view (broadcast to the iteration space or not), or a scalar by value.
typedef struct NodeInput {
    bool is_scalar;
    DType dtype;
    Scalar scalar;
    View view; // storage owned by the node
} NodeInput;

// How much of its factors QR, EIGH and SVD give.
typedef enum Part { PART_VALUES, PART_REDUCED, PART_COMPLETE, PART_RAW } Part;

typedef struct NodeAttrs {
    AxisSet axes;    // reductions, scans, sorts, TAKE and PUT
    OpId combine;    // REDUCE, ACCUMULATE, REDUCEAT, COUNT_TRUE; PUT: AOP_NONE for plain writing
    bool begun;      // reductions: the output's elements take part
    int axis;        // WRAP_INDEX: what errors call it
    int64_t step;    // TAKE and PUT; SORT and ARGSORT: see points
    bool right;      // SEARCHSORTED: behind equal elements; PACK_BITS, UNPACK_BITS: lowest bit first
    bool upper;      // CHOLESKY, EIGH: which triangle
    bool or_nan;     // INVERSE: NaN for a singular matrix, and no error
    uint8_t part;    // Part
    int64_t points;  // RFFT; SORT, ARGSORT: so many places of a row, from `step` on, have what a sorted one
                     // has there, and nothing larger stands before them, nothing smaller behind; 0: all
    DType loop;       // type the operands are cast to
    const char *called; // by warnings, static: ufunc.at, or an operation with two results; NULL: the op's name
    bool scalar;      // an operator on NumPy scalars: warnings call it "scalar add"
    bool quiet;       // float conditions in it are nobody's business
    const struct HostOp *host; // of HOST (vm/kernel/host_op.h); lives as long as the VM
} NodeAttrs;

typedef struct Node {
    OpId op;
    uint8_t state; // NodeState
    uint8_t input_count;
    bool aside; // a stop left it: it is run for whoever wants its value, not with all that is pending
    NodeWish wish;
    NodeAttrs attrs;
    CodePlace place; // where it was written; the code object is held
    View output; // storage owned by the node. Reductions: strides 0 along reduced axes are implied
    uint64_t version; // of the output's storage that this node makes
    struct Node *next; // program order
    uint8_t room;      // inputs that there is memory for: NODE_FEW or NODE_INPUTS
    NodeInput inputs[NODE_INPUTS]; // last: most nodes are allocated with NODE_FEW
} Node;

#endif
