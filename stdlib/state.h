// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values that hold the state of a native module, as a hash in progress or a stream of zlib. Modules in the
// language keep them in attributes of their objects, and scripts see those objects only.

#ifndef NACRE_STDLIB_STATE_H
#define NACRE_STDLIB_STATE_H

#include "vm/value/vm.h"

typedef struct StateKind {
    const char *name; // for messages
    size_t size;      // of the data
    void (*drop)(Vm *vm, void *data); // frees what the data owns; may be NULL
} StateKind;

// Makes a state. Returns its data, zeroed, which `*out` owns; NULL: raised MemoryError.
void *state_new(Vm *vm, const StateKind *kind, Value *out);
// Returns the data of a state; NULL: raised TypeError, as v is not a state of that kind.
void *state_of(Vm *vm, Value v, const StateKind *kind);
void *state_is(Value v, const StateKind *kind); // as state_of, but NULL without an exception

#endif
