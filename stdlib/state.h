// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// States of natives as values: a hash under way, a stream of zlib. Modules in the language keep
// them in attributes of their objects; scripts never see them by themselves.

#ifndef NACRE_STDLIB_STATE_H
#define NACRE_STDLIB_STATE_H

#include "vm/value/vm.h"

typedef struct StateKind {
    const char *name; // for messages
    size_t size;      // of the data
    void (*drop)(Vm *vm, void *data); // frees what the data owns; may be NULL
} StateKind;

// Zeroed data of a new state, which `*out` owns; NULL: MemoryError.
void *state_new(Vm *vm, const StateKind *kind, Value *out);
// The data in a value; NULL: TypeError.
void *state_of(Vm *vm, Value v, const StateKind *kind);
void *state_is(Value v, const StateKind *kind); // the same, NULL without an exception

#endif
