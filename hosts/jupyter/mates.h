// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A kernel on several ranks: rank 0 is the kernel's VM, the others are VMs in threads of their own, which are given what
// rank 0 is to run and run it too. They show nothing and ask nobody.

#ifndef NACRE_HOSTS_JUPYTER_MATES_H
#define NACRE_HOSTS_JUPYTER_MATES_H

#include <jansson.h>
#include <stdbool.h>

#include "nacre/nacre.h"

typedef struct Mates Mates;

typedef enum MateTaskKind { MATE_CELL, MATE_COMPLETE, MATE_INSPECT } MateTaskKind;

// What all ranks do; borrowed until mates_done.
typedef struct MateTask {
    MateTaskKind kind;
    const char *text; // of a cell; of a line; a name
    size_t len;
    const char *filename; // of a cell, and how it is taken; and the client's expressions
    NacreMode mode;
    json_t *expressions;
} MateTask;

// Makes a VM a kernel's: names that every notebook has. *after_cell: what libraries want done when a cell has ended.
typedef bool (*MateReadyFn)(NacreVm *vm, NacreValue **after_cell);

// Starts ranks 1 … ranks-1; `options` become those of rank 0, whose VM is made next. NULL: they cannot be started.
Mates *mates_start(NacreOptions *options, int ranks, MateReadyFn ready);
// Has them do what rank 0 does from here to mates_done.
void mates_do(Mates *mates, const MateTask *task);
// Waits for them. False: ranks have parted, and can run nothing together any more.
bool mates_done(Mates *mates, NacreVm *own);
// After rank 0's VM is gone: ends them. NULL is fine.
void mates_free(Mates *mates);

#endif
