// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Objects that are called very often and whose class is written in the language: functools.partial and the functions
// with a cache of functools.lru_cache. Their class has one of the natives here for a __call__, and instances have what a
// call needs in a tuple, attribute _call_state. What is not common is left to methods of the class.

#ifndef NACRE_VM_INTERP_CALL_STATE_H
#define NACRE_VM_INTERP_CALL_STATE_H

#include "vm/value/vm.h"

Status call_state_init(Vm *vm, Module *module); // of module _nacre: call_partial, call_cached, bind

// What such a call leads to.
typedef enum StateCall {
    STATE_OTHER,  // something else has to be done; nothing has happened
    STATE_RESULT, // *out is its result
    STATE_CALL,   // *func (owned) has to be called with the arguments in `slots`
    STATE_ERROR,
} StateCall;

enum { STATE_SLOTS = 16, STATE_SPARE = 2 };

// Borrows the arguments. `slots` has STATE_SLOTS values, of which the first STATE_SPARE stay free; *names are the
// keywords of the last of them, owned, or NULL.
StateCall call_state(Vm *vm, const NativeDef *row, Instance *inst, const Value *args, uint32_t count, const Tuple *given,
                     Value *func, Value *slots, uint32_t *total, Tuple **names, Value *out);

#endif
