// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The time limit of a VM: a thread of its own that stops what runs too long, and has the host told how far it
// has come.

#ifndef NACRE_VM_API_DEADLINE_H
#define NACRE_VM_API_DEADLINE_H

#include <stdbool.h>

#include "vm/value/vm.h"

typedef struct Deadline Deadline;

// A thread that waits. NULL: out of memory, or no thread to be had.
Deadline *deadline_new(Vm *vm);
void deadline_free(Vm *vm, Deadline *deadline); // NULL is fine; not while something runs

// Starts, and ends, a time limit in seconds, with a progress report to the host each `interval` seconds (0: neither).
void deadline_begin(Deadline *deadline, double seconds, double interval);
void deadline_reported(Deadline *deadline); // it has been told
void deadline_end(Deadline *deadline);

#endif
