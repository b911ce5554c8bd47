// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A node of the typed graph: one array operation, recorded and possibly not yet executed.

#ifndef NACRE_VM_GRAPH_NODE_H
#define NACRE_VM_GRAPH_NODE_H

#include "vm/graph/op.h"
#include "vm/graph/storage.h"
#include "vm/graph/hints.h"

// Maximum number of inputs; and the number that suffices for elementwise operations, nearly all
// nodes.
enum { NODE_INPUTS = 6, NODE_FEW = 3 };

typedef enum NodeState {
    NODE_RECORDED,   // pending
    NODE_EXECUTED,
    NODE_ELIMINATED, // its result is never used, or it failed
} NodeState;

// An operand: a view, possibly already broadcast, or a scalar by value.
typedef struct NodeInput {
    bool is_scalar;
    DType dtype;
    Scalar scalar;
    View view; // the node holds its storage
} NodeInput;

// Extent of the factors of QR, EIGH and SVD.
typedef enum Part { PART_VALUES, PART_REDUCED, PART_COMPLETE, PART_RAW } Part;

typedef struct NodeAttrs {
    AxisSet axes;    // reductions, scans, sorts, TAKE and PUT
    OpId combine;    // combining op of REDUCE, ACCUMULATE, REDUCEAT, COUNT_TRUE; of PUT, AOP_NONE
                     // for plain stores
    bool begun;      // reductions: accumulate into the output's elements
    int axis;        // WRAP_INDEX: axis number for error messages
    int64_t step;    // TAKE, PUT: bytes for each unit of an index; CONVOLVE: the first place that is computed; SORT,
                     // ARGSORT, NONZERO: the first position, see points
    bool right;      // SEARCHSORTED: insert after equal elements; PACK_BITS, UNPACK_BITS: lowest
                     // bit first; SPARSE_PRODUCT: columns are compressed
    bool upper;      // CHOLESKY, EIGH: use the upper triangle
    bool or_nan;     // INVERSE: gives NaN for a singular matrix instead of an error
    uint8_t part;    // Part
    int64_t points;  // RFFT: length; SORT, ARGSORT: number of positions of a row, from `step` on,
                     // that must be sorted, with nothing larger before and nothing smaller after
                     // (partition); NONZERO: how many elements, from `step` on, are searched; 0: all
    DType loop;       // type that operands are cast to
    const char *called; // name in warnings, static: ufunc.at, or an operation with two results;
                        // NULL: the op's name
    bool scalar;      // an operator on NumPy scalars: warnings say "scalar add"
    bool raw;         // TAKE, PUT: indices may be negative or out of range; only for graph_try
    bool quiet;       // float flags are ignored
    bool spared;      // dead code elimination drops the node even if it can raise float flags: its consumer
                      // has computed what it needed from the operands (sampled products)
    const struct HostOp *host; // HOST only (vm/kernel/host_op.h); lives as long as the VM
} NodeAttrs;

typedef struct Node {
    OpId op;
    uint8_t state; // NodeState
    uint8_t input_count;
    bool aside; // left behind by an interrupt: only run when its value is needed, not with all
                // pending nodes
    bool batched; // stands for rounds of a loop, along its leading axis (vm/sched/batch.h)
    NodeHints hints;
    NodeAttrs attrs;
    CodePlace place; // source location; holds the code object
    View output; // the node holds its storage. For reductions, strides of 0 along reduced axes are
                 // implied
    uint64_t version; // version of the output's storage that this node makes
    struct Node *next; // program order
    uint8_t room;      // allocated inputs: NODE_FEW or NODE_INPUTS
    NodeInput inputs[NODE_INPUTS]; // last, since most nodes are allocated with NODE_FEW
} Node;

#endif
