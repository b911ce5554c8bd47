// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The time limit of a VM: a thread that stops calls that run too long, and requests progress reports.

#ifndef NACRE_VM_API_DEADLINE_H
#define NACRE_VM_API_DEADLINE_H

#include <stdbool.h>

#include "vm/value/vm.h"

typedef struct Deadline Deadline;

// Starts a thread. NULL: out of memory, or no thread could be started.
Deadline *deadline_new(Vm *vm);
void deadline_free(Vm *vm, Deadline *deadline); // NULL is fine; not while something runs

// deadline_begin starts a time limit in seconds, and progress reports each `interval` seconds; 0: none. deadline_end
// ends both.
void deadline_begin(Deadline *deadline, double seconds, double interval);
void deadline_reported(Deadline *deadline); // The progress report was made; sets the time of the next one.
void deadline_end(Deadline *deadline);

#endif
