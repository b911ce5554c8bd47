// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Passes of the host.

#ifndef NACRE_VM_API_PASSES_H
#define NACRE_VM_API_PASSES_H

#include "vm/api/shown.h"
#include "vm/sched/edit.h"

typedef struct HostPass {
    struct HostPass *next;
    char *name, *doc; // owned; `doc` may be NULL
    uint64_t operations[(AOP_COUNT + 63) / 64]; // a set; of all for any plan
    bool each_time;
    NacreEditFn run;
    void *ctx;
    void (*drop)(void *ctx);
} HostPass;

typedef struct HostPasses {
    Editor editor, once_editor; // the engine's; nacre_edit's
    HostPass *first;
    NacreEditFn once; // with `ctx`; NULL: the list's turn
    void *ctx;
    Shown shown;
} HostPasses;

// Whether the plan's node of that number, with that operand, may be edited now.
bool api_edits(const NacreVm *handle, int node);
bool api_edits_operand(const NacreVm *handle, int node, int operand);

#endif
