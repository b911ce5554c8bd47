// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The engine's door for the rest of the VM: start, stop, observe everything, figures.

#ifndef NACRE_VM_SCHED_ENGINE_H
#define NACRE_VM_SCHED_ENGINE_H

#include "vm/value/vm.h"

// Creates vm->engine for a backend by name (NULL: "cpu"). False when out of memory or unknown.
bool engine_start(Vm *vm, const char *backend, int threads);
void engine_stop(Vm *vm); // harmless when not started

// Runs every pending node, so that what follows (a clock, the end of a script) sees their effects.
Status engine_observe_all(Vm *vm);

void engine_stats(const Vm *vm, uint64_t *recorded, uint64_t *executed, uint64_t *eliminated,
                  uint64_t *kernels, uint64_t *library_calls);

// Appends lines about backends and libraries, for `nacre info`.
void engine_describe(Buf *out);

#endif
