// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Watching: an observer sees a plan after each pass, and each kernel launch. There is one watcher
// at a time, Engine.watch; NULL costs one comparison per plan and per kernel.

#ifndef NACRE_VM_PLAN_WATCH_H
#define NACRE_VM_PLAN_WATCH_H

#include "vm/plan/pass.h"

// Where a plan's recipe comes from.
typedef enum PlanUse {
    PLAN_MADE,   // newly made
    PLAN_REUSED, // cached
    PLAN_SINGLE, // none: node by node, since there is nothing to fuse
} PlanUse;

// A kernel that has run. Only valid during the call.
typedef struct KernelRun {
    const Kernel *kernel;
    const Site *sites; // kernel->site_count entries
    bool on_host;      // ran on the host because the device does not support it
    double begin, seconds; // seconds on a clock with arbitrary origin
} KernelRun;

// Callbacks must not record or observe arrays. Storages have numbers (plan_number) during `plan`
// and `pass`.
typedef struct Watch {
    // A plan is about to run. Returns whether to show the passes' decisions and reasons.
    bool (*plan)(struct Watch *watch, Vm *vm, const Plan *plan, const PlanKey *key, PlanUse use);
    // Shows the plan after a pass; NULL: before the first one, which is the only call for
    // PLAN_SINGLE.
    void (*pass)(struct Watch *watch, const Making *making, const Pass *pass);
    void (*kernel)(struct Watch *watch, Vm *vm, const KernelRun *run);
} Watch;

// watch.c
const char *why_text(WhyId id);
double watch_clock(void);

#endif
