// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Objects that are called very often and whose class is written in the language: functools.partial and the functions
// with a cache of functools.lru_cache. Their class has one of the natives here for a __call__, and instances have what a
// call needs in a tuple, attribute _call_state. What is not common is left to methods of the class.

#ifndef NACRE_VM_INTERP_CALL_STATE_H
#define NACRE_VM_INTERP_CALL_STATE_H

#include "vm/interp/interp.h"

Status call_state_init(Vm *vm, Module *module); // of module _nacre: call_partial, call_cached, bind

// What such a call leads to.
typedef enum StateCall {
    STATE_OTHER,  // something else has to be done; nothing has happened
    STATE_RESULT, // *out is its result
    STATE_CALL,   // *func (owned) has to be called with the arguments in `slots`
    STATE_MISS,   // the same, and its result goes to cached_result, with *out (owned), before it is the call's
    STATE_ERROR,
} StateCall;

enum { STATE_SLOTS = 16, STATE_SPARE = 2 };

// Borrows the arguments. `stores`: STATE_MISS is an answer. `slots` has STATE_SLOTS values, of which the first STATE_SPARE stay free; *names are the
// keywords of the last of them, owned, or NULL.
StateCall call_state(Vm *vm, const NativeDef *row, Instance *inst, const Value *args, uint32_t count, const Tuple *given,
                     bool stores, Value *func, Value *slots, uint32_t *total, Tuple **names, Value *out);

// Keeps a result (consumed) in the cache that STATE_MISS has named (borrowed). As call_value: the result is that of the
// call.
Status cached_result(Vm *vm, Value of, Value result, RetKind ret, uint16_t dest, Value *out);

#endif
