// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A plan: the nodes run at one observation, and what the passes (pass.h) decide about them.

#ifndef NACRE_VM_PLAN_PLAN_H
#define NACRE_VM_PLAN_PLAN_H

#include "vm/kernel/kernel.h"

// Limits of the number of pending nodes: maximum, default, and default in loops, where a back edge runs
// them from LOOP_DEPTH on. Plans then start where iterations do, so the same plans recur. On devices more nodes stay
// pending: iterations are batched (vm/sched/batch.h) only if two of them are.
enum { DEPTH_MAX = 256, DEPTH_DEFAULT = 128, LOOP_DEPTH = 32, DEVICE_LOOP_DEPTH = 64 };

// Maximum number of views, and so of storages.
enum { VIEWS_MAX = DEPTH_MAX * (NODE_INPUTS + 1) };

// A view that a pending node reads or writes. Views of one storage form a linked list, newest
// first.
typedef struct Access {
    const View *view;
    uint16_t node;   // the node's index
    bool writes;
    uint32_t before; // previous access to the storage, counted from 1; 0: none
} Access;

// Nodes fused into one library call, by step (GemmStep); -1: no such step.
typedef struct Call {
    int16_t steps[GEMM_STEPS];
    bool takes_over; // the result may reuse the addend's memory (buffer donation)
} Call;

// Nodes that are candidates for one kernel.
typedef struct Group {
    uint16_t first, last, count; // linked by Plan.next
    bool open;                   // accepts further nodes
    bool apart;                  // accepts no node recorded before its own (HINT_APART)
    int16_t call;                // the call that it consists of; -1: none
    int16_t reduction;           // one of its reduction nodes; -1: none
    int ndim;
    const int64_t *shape;
    int loads, lines, params, code; // bounds of what the kernel has
} Group;

// Disposition of a node.
typedef enum Fate {
    FATE_LIVE,   // undecided
    FATE_DEAD,   // result is never used: not run
    FATE_STORED,
    FATE_ELIDED, // computed but not stored: used only within its kernel
} Fate;

// Why a node was not fused with earlier ones; `with` is the other node involved. In WHY(ID, text)
// the text continues with that node's operation or line, if any.
#define WHYS(WHY)                                                                                  \
    WHY(NONE, "")                                                                                  \
    WHY(ALONE, "shares no data with what was written before")                                      \
    WHY(ROUTINE, "is done by a library routine")                                                   \
    WHY(HINTED, "a hint keeps it apart")                                                            \
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
    int16_t with; // index of a node of the plan; -1: none
} Why;

// A kernel group: consecutive nodes of Plan.order that become one kernel.
typedef struct Piece {
    uint16_t from, count;
    bool is_loop; // false: a call, or a single node of any class
    int16_t call; // -1: none
} Piece;

// The nodes of one observation, in program order, then the decisions of the passes, in their order.
typedef struct Plan {
    int node_count;
    Node *nodes[DEPTH_MAX];
    uint8_t fates[DEPTH_MAX]; // Fate
    // Library calls, and the call that each node is part of; -1: none.
    int call_count;
    int16_t call_of[DEPTH_MAX];
    Call calls[DEPTH_MAX];
    // Fusion groups in the order in which they run.
    int group_count, access_count;
    bool has_lines; // as in Making
    uint16_t group_of[DEPTH_MAX], next[DEPTH_MAX]; // next node of the group; the last one points to
                                                   // itself
    Group groups[DEPTH_MAX];
    Access accesses[VIEWS_MAX];
    Why whys[DEPTH_MAX]; // filled only if a watcher wants reasons
    // Kernels, and their stores.
    int order_count, piece_count;
    uint16_t order[DEPTH_MAX]; // nodes in execution order
    int last[VIEWS_MAX];       // position of a storage's last use, by number
    Piece pieces[DEPTH_MAX];
} Plan;

// Sizes as fusion sees them: no elements; launch costs more than the work; in between; too large to
// stay in the cache between kernels.
typedef enum SizeClass { SIZE_EMPTY, SIZE_FEW, SIZE_SOME, SIZE_MANY } SizeClass;
SizeClass view_size_class(const View *view);
bool view_repeats(const View *view); // elements repeat along a dimension (broadcast)

// Returns the number of an operand that must be copied before the output is written, because it
// overlaps the output without being the same elements in the same order; -1: none.
int clashing_operand(const Node *node);

// call.c. Builds the kernel of a call.
void kernel_from_call(Kernel *kernel, Node *const *nodes, const Call *call);
// Makes a call's kernel read its addend from the result's memory.
void kernel_take_over(Kernel *kernel);
const View *call_addend(Node *const *nodes, const Call *call); // returns the addend's view; NULL: none

// Returns the call's last node, which writes its result.
static inline int call_root(const Call *call) {
    int root = 0;
    for (int s = 0; s < GEMM_STEPS; s++)
        if (call->steps[s] > root) root = call->steps[s];
    return root;
}

#endif
