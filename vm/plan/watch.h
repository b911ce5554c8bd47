// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Watching: what a plan looks like after each pass, and which kernels are launched. One watcher at a
// time, Engine.watch; NULL costs a comparison for each plan, each kernel and each direct operation. What is run, and
// how, is the same with a watcher as without.

#ifndef NACRE_VM_PLAN_WATCH_H
#define NACRE_VM_PLAN_WATCH_H

#include "vm/plan/pass.h"

// How a plan comes to be run.
typedef enum PlanUse {
    PLAN_MADE,   // its recipe is new
    PLAN_REUSED, // by the recipe of an equal one
    PLAN_SINGLE, // node by node: there is nothing to be fused
} PlanUse;

// A kernel that has been run to its end. Nothing of it may be kept.
typedef struct KernelRun {
    const Kernel *kernel;
    const Site *sites; // kernel->site_count
    bool on_host;      // because the device cannot
    double begin, seconds; // a clock that counts from anywhere. In bands: a share of the time of all, by their work
    int64_t band;          // it was run in bands of so many rows, together with others; 0: by itself
    uint32_t loads_inside, stores_inside; // as in Bands: what has never been in memory
} KernelRun;

// Functions must not record or observe anything; views' storages have numbers (plan_number) during
// `plan` and `pass`.
typedef struct Watch {
    // A plan is going to be run. Whether to show what the passes make of it, with reasons.
    bool (*plan)(struct Watch *watch, Vm *vm, const Plan *plan, const PlanKey *key, PlanUse use);
    // The plan after a pass, before the first one with NULL: the only call for PLAN_SINGLE.
    void (*pass)(struct Watch *watch, const Making *making, const Pass *pass);
    void (*kernel)(struct Watch *watch, Vm *vm, const KernelRun *run);
    // An operation has been done where it was written. There are many, each of a microsecond: no time is taken. NULL: nobody asks.
    void (*direct)(struct Watch *watch, Vm *vm, const Node *node);
    bool all; // no operation is done directly
} Watch;

// watch.c
const char *why_text(WhyId id);
double watch_clock(void);

#endif
