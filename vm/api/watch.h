// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The watcher that hands plans and kernels to the host.

#ifndef NACRE_VM_API_WATCH_H
#define NACRE_VM_API_WATCH_H

#include "vm/api/api.h"
#include "vm/array/array.h"
#include "vm/sched/watch.h"

// A plan that has been seen, by what it is made of and where.
typedef struct SeenPlan {
    uint64_t hash, number, runs;
} SeenPlan;

typedef enum Showing { SHOWING_NOTHING, SHOWING_PASS, SHOWING_RUN, SHOWING_KERNEL } Showing;

typedef struct Watcher {
    Watch watch; // first: the engine's
    NacreVm *handle;
    NacreWatch host;
    SeenPlan *seen; // open addressing
    size_t seen_count, seen_cap;
    // The plan at hand.
    const Plan *plan;
    const PlanKey *key;
    NacrePlan about;
    int node_count; // those that were pending when it began
    Showing showing;
    SourceLine lines[DEPTH_MAX];
} Watcher;

// watch_names.c: the variable that holds an array of the storage, or a part of it; NULL: none does.
// Both are borrowed from the program.
const char *variable_of(Vm *vm, const Storage *storage, Array **array);

#endif
