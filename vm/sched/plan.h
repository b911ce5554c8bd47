// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What is run at one observation, and which of it together.

#ifndef NACRE_VM_SCHED_PLAN_H
#define NACRE_VM_SCHED_PLAN_H

#include "vm/sched/kernel.h"

// Nodes that may be pending: at most, unless told otherwise, and before a loop's back-edge runs them.
// There plans begin where iterations do, so the same ones come again.
enum { DEPTH_MAX = 256, DEPTH_DEFAULT = 128, LOOP_DEPTH = 32 };

// A view that a pending node reads or writes. Those of one storage are linked, the last one first.
typedef struct Access {
    const View *view;
    uint16_t node;   // its place among the nodes
    bool writes;
    uint32_t before; // number of the one before of the same storage, from 1; 0: none
} Access;

// Nodes that become one kernel.
typedef struct Group {
    uint16_t first, last, count; // linked by Plan.next
    bool open;                   // takes further nodes
    bool reduces;
    int ndim;
    const int64_t *shape;
    int loads, params, code;
} Group;

// What is run at one observation: nodes in program order, and groups of them in the order in which
// they are run.
typedef struct Plan {
    int node_count, group_count, access_count;
    Node *nodes[DEPTH_MAX];
    uint16_t group_of[DEPTH_MAX], next[DEPTH_MAX]; // next in its group; itself: it is the last
    Group groups[DEPTH_MAX];
    Access accesses[DEPTH_MAX * (NODE_INPUTS + 1)];
} Plan;

// A right-hand side is read before the left-hand side is written: an operand that overlaps the output
// without being the same elements in the same order has to be copied first. -1: there is none.
int clashing_operand(const Node *node);
// Arranges the plan's nodes in groups.
void plan_groups(Plan *plan);

#endif
