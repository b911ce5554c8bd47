// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plan that is shown to the host, by its watcher or to one of its passes.

#ifndef NACRE_VM_API_SHOWN_H
#define NACRE_VM_API_SHOWN_H

#include "vm/api/api.h"
#include "vm/array/array.h"
#include "vm/plan/watch.h"
#include "vm/sched/engine.h"

typedef enum Showing {
    SHOWING_NOTHING,
    SHOWING_EDIT, // to a pass of the host, which may edit
    SHOWING_PASS, // after a pass of the engine
    SHOWING_RUN,
    SHOWING_KERNEL
} Showing;

typedef struct Shown {
    const Plan *plan;
    const PlanKey *key;
    int node_count; // nodes that were pending when it was first shown
    Showing showing;
    bool data;      // the host also wants elements of inputs
    SourceLine lines[DEPTH_MAX];
} Shown;

// shown.c. Sets the plan, and the source lines of its nodes.
void shown_begin(Shown *shown, Vm *vm, const Plan *plan, const PlanKey *key);
NacreView shown_view(const Shown *shown, const View *view);
// Returns whether the plan's node of that number may be accessed now.
bool shown_has(const Shown *shown, int index);

// watch_names.c: finds a variable that holds an array over the storage, preferably all of it. Returns its name and sets
// *array, both borrowed from the program. NULL: there is none.
const char *variable_of(Vm *vm, const Storage *storage, Array **array);

#endif
