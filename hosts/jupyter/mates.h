// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A kernel on several ranks. Rank 0 is the kernel's VM. The other ranks are VMs in threads of their own, which run the
// same tasks as rank 0. They discard output, and have no input.

#ifndef NACRE_HOSTS_JUPYTER_MATES_H
#define NACRE_HOSTS_JUPYTER_MATES_H

#include <jansson.h>
#include <stdbool.h>

#include "nacre/nacre.h"

typedef struct Mates Mates;

typedef enum MateTaskKind { MATE_CELL, MATE_COMPLETE, MATE_INSPECT } MateTaskKind;

// A task for all ranks; borrowed until mates_done.
typedef struct MateTask {
    MateTaskKind kind;
    const char *text; // text of a cell, a partial line, or a name
    size_t len;
    const char *filename; // for a cell: its name in error messages
    NacreMode mode;       // for a cell: how its text is parsed
    json_t *expressions;  // for a cell: the client's user_expressions
} MateTask;

// Prepares a VM for a kernel: defines the names that every notebook has. Sets *after_cell to the function that runs
// what libraries have scheduled for the end of a cell. Returns false on failure.
typedef bool (*MateReadyFn)(NacreVm *vm, NacreValue **after_cell);

// Does what nacre_prepare does, for a process of several ranks. Called before other threads start.
void mates_prepare(void);
// Starts ranks 1 … ranks-1. Changes `options` to those of rank 0, whose VM the caller creates next. Returns NULL if the
// ranks cannot be started.
Mates *mates_start(NacreOptions *options, int ranks, MateReadyFn ready);
// Makes the other ranks run a task. The caller runs the same on rank 0, and then calls mates_done.
void mates_do(Mates *mates, const MateTask *task);
// Waits until all ranks have finished the task. Returns false if they did not end alike, after which they cannot run
// anything together.
bool mates_done(Mates *mates, NacreVm *own);
// Ends the other ranks. Called after rank 0's VM has been destroyed. NULL is allowed.
void mates_free(Mates *mates);

#endif
