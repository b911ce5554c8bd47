// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The plan that a host is shown, by its watcher or by one of its passes.

#ifndef NACRE_VM_API_SHOWN_H
#define NACRE_VM_API_SHOWN_H

#include "vm/api/api.h"
#include "vm/array/array.h"
#include "vm/plan/watch.h"
#include "vm/sched/engine.h"

typedef enum Showing {
    SHOWING_NOTHING,
    SHOWING_EDIT, // to a pass of the host
    SHOWING_PASS, // behind a pass
    SHOWING_RUN,
    SHOWING_KERNEL
} Showing;

typedef struct Shown {
    const Plan *plan;
    const PlanKey *key;
    int node_count; // those that were pending when it began
    Showing showing;
    bool data;      // elements of inputs are wanted
    SourceLine lines[DEPTH_MAX];
} Shown;

// shown.c. Notes a plan, and its nodes' lines.
void shown_begin(Shown *shown, Vm *vm, const Plan *plan, const PlanKey *key);
NacreView shown_view(const Shown *shown, const View *view);
// Whether the plan's node of that number may be looked at now.
bool shown_has(const Shown *shown, int index);

// watch_names.c: the variable that holds an array of the storage, or a part of it; NULL: none does.
// Both are borrowed from the program.
const char *variable_of(Vm *vm, const Storage *storage, Array **array);

#endif
