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
    uint64_t operations[(AOP_COUNT + 63) / 64]; // set of the operations it looks for; all bits: any plan
    bool each_time;
    NacreEditFn run;
    void *ctx;
    void (*drop)(void *ctx);
} HostPass;

typedef struct HostPasses {
    Editor editor, once_editor; // editor: for the engine's plans; once_editor: for nacre_edit
    HostPass *first;
    NacreEditFn once; // nacre_edit's pass, with `ctx`; NULL: the list is run
    void *ctx;
    Shown shown;
} HostPasses;

// api_edits returns whether a pass or an editing function runs that may edit node `node` of the plan.
// api_edits_operand also checks that the node has the operand (or EDIT_RESULT).
bool api_edits(const NacreVm *handle, int node);
bool api_edits_operand(const NacreVm *handle, int node, int operand);

#endif
