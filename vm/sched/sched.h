// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The scheduler: record → observe → plan → run. Recording is in vm/graph; what is here happens when
// a value is observed or the depth limit is reached.

#ifndef NACRE_VM_SCHED_SCHED_H
#define NACRE_VM_SCHED_SCHED_H

#include "vm/graph/graph.h"
#include "vm/sched/backend.h"

// The engine of one VM. It begins with its graph (see graph_of).
struct Engine {
    Graph graph;
    const Backend *backend;
    void *ctx; // the backend's
    uint64_t depth_limit; // so many nodes may be pending
    uint64_t kernels, library_calls, fallbacks, copies;
    bool running; // guards against observing from inside a run
};

// Makes the storage (NULL: everything) readable on the host.
Status sched_observe(Vm *vm, Storage *storage);
// Called after each recorded node: runs what is beyond the depth limit.
Status sched_recorded(Vm *vm);

// Plan of one step: which kernel, after which preparations.
typedef struct Step {
    Kernel kernel;
    Storage *temporary; // a copy of an operand that the output would overwrite too early; or NULL
} Step;
Status sched_plan(Vm *vm, Node *node, Step *step);
Status sched_run(Vm *vm, Step *step); // warnings and errors of the kernel included

#endif
