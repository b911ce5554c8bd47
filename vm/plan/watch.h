// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Watching: what a plan looks like after each pass, and which kernels are launched. One watcher at a
// time, Engine.watch; NULL costs a comparison for each plan, each kernel and each direct operation. What is run, and
// how, is the same with a watcher as without.

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
    const Site *sites; // kernel->site_count
    bool on_host;      // the host ran it, because the device cannot
    double begin, seconds; // of a clock with arbitrary origin. In bands: the kernel's share, by its work, of their time
    int64_t band;          // rows per band, if it was run in bands with others; 0: run by itself
    uint32_t loads_inside, stores_inside; // as in Bands: accesses to values that stayed in the threads' workspaces
} KernelRun;

// Callbacks must not record or observe arrays. Storages have numbers (plan_number) during `plan`
// and `pass`.
typedef struct Watch {
    // Called before a plan runs. Returns whether to show the passes' decisions and reasons.
    bool (*plan)(struct Watch *watch, Vm *vm, const Plan *plan, const PlanKey *key, PlanUse use);
    // Shows the plan after a pass; NULL: before the first one, which is the only call for
    // PLAN_SINGLE.
    void (*pass)(struct Watch *watch, const Making *making, const Pass *pass);
    void (*kernel)(struct Watch *watch, Vm *vm, const KernelRun *run);
    // Reports an operation that was run directly. There are many, of a microsecond each, so they are not timed. NULL:
    // not reported.
    void (*direct)(struct Watch *watch, Vm *vm, const Node *node);
    bool all; // turns direct execution off, so that every operation is planned
} Watch;

// watch.c
const char *why_text(WhyId id);
double watch_clock(void);

#endif
