// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Runs of loop rounds among pending nodes. A round is `period` consecutive nodes; the next round has nodes of the same
// operations, of the same places in the program, whose views have the same shapes and strides. A storage of the round
// is one of two:
//
//  - shared: all rounds access the same storage, and an access moves by a fixed step from round to round;
//  - private: nodes of this round alone use it, and nothing else sees it.
//
// Scalars may differ from round to round. A round may itself be a batch: of units, along its leading axis.

#ifndef NACRE_VM_SCHED_ROUNDS_H
#define NACRE_VM_SCHED_ROUNDS_H

#include "vm/plan/plan.h"

enum {
    PERIOD_MOST = DEVICE_LOOP_DEPTH / 2,
    VIEW_OUTPUT = NODE_INPUTS, // the output's number among a node's views
};

// How a view of the first round advances from unit to unit.
typedef struct Progression {
    int maker;    // the round's node that first writes the view's private storage; -1: the storage is shared
    int64_t step; // bytes from one unit to the next, of a shared storage or in the batched private one
    bool known;   // whether `step` is known
    bool varies;  // a scalar: the units have different ones, or did when they were batched
} Progression;

// A run of rounds, and what is known of it so far.
typedef struct RoundRun {
    Node *const *nodes; // all pending nodes from the first round's first on
    int period, rounds;
    int inner; // 1: the first round is a batch, whose leading axis goes on; 0: the rounds become units of a new axis
    int64_t units; // in all rounds
    int64_t unit_bytes[PERIOD_MOST]; // of the private storage that a node makes
    Progression progressions[PERIOD_MOST][NODE_INPUTS + 1];
} RoundRun;

bool node_is_batchable(const Node *node);
// Returns whether nothing but pending nodes knows a storage, and nobody has written to it.
bool storage_is_new(const Storage *storage);
// Returns whether a new storage has zeros where nobody writes.
bool storage_is_zeroed(const Storage *storage);
// Returns an operand of a node that is no scalar, or its output; NULL: there is none.
static inline const View *view_at(const Node *node, int at) {
    if (at == VIEW_OUTPUT) return &node->output;
    return at < node->input_count && !node->inputs[at].is_scalar ? &node->inputs[at].view : NULL;
}

typedef struct RunLimits {
    int rounds;   // fewer are not batched, unless the first is a batch
    size_t bytes; // the most that private storages may take
} RunLimits;
// Finds the rounds from nodes[0] on that can be batched: the run's units are independent of each other, and few enough.
// Returns false if there are too few.
bool run_find(RoundRun *run, Node *const *nodes, int count, int period, int inner, const RunLimits *limits);
int64_t run_units_of(const RoundRun *run, int round);
// Makes the view of `units` units from unit `from` on, given that of the first round and its step.
void view_of_units(View *to, const View *first, int inner, int64_t step, int64_t from, int64_t units);

#endif
