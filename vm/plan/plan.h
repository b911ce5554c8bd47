// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What is run at one observation, and what the passes (pass.h) decide about it.

#ifndef NACRE_VM_PLAN_PLAN_H
#define NACRE_VM_PLAN_PLAN_H

#include "vm/kernel/kernel.h"

// Nodes that may be pending: at most, unless told otherwise, and before a loop's back-edge runs them.
// There plans begin where iterations do, so the same ones come again.
enum { DEPTH_MAX = 256, DEPTH_DEFAULT = 128, LOOP_DEPTH = 32 };

// Views of a plan's nodes at most, and so storages.
enum { VIEWS_MAX = DEPTH_MAX * (NODE_INPUTS + 1) };

// A view that a pending node reads or writes. Those of one storage are linked, the last one first.
typedef struct Access {
    const View *view;
    uint16_t node;   // its place among the nodes
    bool writes;
    uint32_t before; // number of the one before of the same storage, from 1; 0: none
} Access;

// Nodes that one call of a library routine does, by their steps (GemmStep); -1: it has none.
typedef struct Call {
    int16_t steps[GEMM_STEPS];
    bool takes_over; // the result may have the addend's memory, which nobody wants any more
} Call;

// Nodes that may become one kernel.
typedef struct Group {
    uint16_t first, last, count; // linked by Plan.next
    bool open;                   // takes further nodes
    bool apart;                  // takes none that were written before it
    int16_t call;                // that it is; -1: none
    int16_t reduction;           // one of its nodes; -1: none
    int ndim;
    const int64_t *shape;
    int loads, params, code;
} Group;

// What becomes of a node.
typedef enum Fate {
    FATE_LIVE,   // not decided
    FATE_DEAD,   // nobody will know of it: not run
    FATE_STORED,
    FATE_ELIDED, // computed, but only handed on within its kernel
} Fate;

// Why a node is not in the kernel of those before it, and `with` which node that has to do.
// WHY(ID, text): the text goes on with the other node's operation or line where there is one.
#define WHYS(WHY)                                                                                  \
    WHY(NONE, "")                                                                                  \
    WHY(ALONE, "shares no data with what was written before")                                      \
    WHY(ROUTINE, "is done by a library routine")                                                   \
    WHY(WISHED, "is wished to be apart")                                                            \
    WHY(MAY_RAISE, "may raise, so runs where it is written")                                       \
    WHY(ORDER, "adds in an order of its own")                                                      \
    WHY(EMPTY, "has no elements")                                                                  \
    WHY(OVERLAP, "reads other elements of the array that it writes")                               \
    WHY(REPEATED, "writes elements more than once")                                                \
    WHY(SHIFTED, "needs other elements of the result of")                                          \
    WHY(WHOLE, "needs the whole result of")                                                        \
    WHY(OVERWRITES, "overwrites elements in use by")                                               \
    WHY(BEHIND, "has to run behind")                                                               \
    WHY(SPACE, "has another shape than")                                                           \
    WHY(REDUCES, "reduces in another way than")                                                    \
    WHY(SHARES, "would save too little with")                                                      \
    WHY(FULL, "finds the kernel full of")                                                          \
    WHY(WIDE, "a kernel can store only so much, with")

typedef enum WhyId {
#define WHY_ID(ID, text) WHY_##ID,
    WHYS(WHY_ID)
#undef WHY_ID
    WHY_COUNT
} WhyId;

typedef struct Why {
    uint8_t id; // WhyId
    int16_t with; // a node of the plan; -1: none
} Why;

// Nodes that become one kernel: some that follow one another in Plan.order.
typedef struct Piece {
    uint16_t from, count;
    bool is_loop; // otherwise a call, or a single node of any class
    int16_t call; // -1: none
} Piece;

// What is run at one observation: nodes in program order. The rest is decided by the passes, one after
// the other.
typedef struct Plan {
    int node_count;
    Node *nodes[DEPTH_MAX];
    uint8_t fates[DEPTH_MAX]; // Fate
    // Calls, and which one a node is part of; -1: none.
    int call_count;
    int16_t call_of[DEPTH_MAX];
    Call calls[DEPTH_MAX];
    // Groups of nodes in the order in which they are run.
    int group_count, access_count;
    uint16_t group_of[DEPTH_MAX], next[DEPTH_MAX]; // next in its group; itself: it is the last
    Group groups[DEPTH_MAX];
    Access accesses[VIEWS_MAX];
    Why whys[DEPTH_MAX]; // only where somebody asked for reasons
    // Kernels, and what is stored.
    int order_count, piece_count;
    uint16_t order[DEPTH_MAX]; // the nodes in the order in which they are run
    int last[VIEWS_MAX];       // where in that order a storage is used for the last time, by number
    Piece pieces[DEPTH_MAX];
} Plan;

// What fusion asks of a size: nothing to do; a second kernel costs more than its work; in between; does
// not stay in the cache from one kernel to the next.
typedef enum SizeClass { SIZE_EMPTY, SIZE_FEW, SIZE_SOME, SIZE_MANY } SizeClass;
SizeClass view_size_class(const View *view);
bool view_repeats(const View *view); // elements, along a dimension

// A right-hand side is read before the left-hand side is written: an operand that overlaps the output
// without being the same elements in the same order has to be copied first. -1: there is none.
int clashing_operand(const Node *node);

// call.c: the kernel of a call of the plan's nodes, and the view of its addend; NULL: there is none.
void kernel_from_call(Kernel *kernel, Node *const *nodes, const Call *call);
// The same with the addend where the result will be.
void kernel_take_over(Kernel *kernel);
const View *call_addend(Node *const *nodes, const Call *call);

// The call's last node, which writes its result.
static inline int call_root(const Call *call) {
    int root = 0;
    for (int s = 0; s < GEMM_STEPS; s++)
        if (call->steps[s] > root) root = call->steps[s];
    return root;
}

#endif
