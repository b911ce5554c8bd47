// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Objects that are called very often and whose class is written in the language: functools.partial and the functions
// with a cache of functools.lru_cache. Their class has one of the natives call_partial and call_cached as __call__, and
// an instance's attribute _call_state is a tuple with what a call needs. Rare cases are left to methods of the class.

#ifndef NACRE_VM_INTERP_CALL_STATE_H
#define NACRE_VM_INTERP_CALL_STATE_H

#include "vm/interp/interp.h"

Status call_state_init(Vm *vm, Module *module); // adds call_partial, call_cached and bind to module _nacre

// What call_state returns.
typedef enum StateCall {
    STATE_OTHER,  // the call has to be made in the usual way; nothing has happened
    STATE_RESULT, // *out is the result
    STATE_CALL,   // *func (owned) has to be called with the arguments in `slots`
    STATE_MISS,   // as STATE_CALL, but the result has to pass through cached_result, with *out (owned) as `of`
    STATE_ERROR,
} StateCall;

enum { STATE_SLOTS = 16, STATE_SPARE = 2 };

// Finds out what a call of inst leads to. Borrows args, of which the last are keyword arguments named by `given` (or
// NULL). `stores`: the caller can handle STATE_MISS. `slots` has room for STATE_SLOTS values, of which the first
// STATE_SPARE stay free; *total values follow, the last ones by the keywords in *names (owned, or NULL).
StateCall call_state(Vm *vm, const NativeDef *row, Instance *inst, const Value *args, uint32_t count, const Tuple *given,
                     bool stores, Value *func, Value *slots, uint32_t *total, Tuple **names, Value *out);

// Stores a result (consumed) in the cache, `of` being what STATE_MISS returned in *out (borrowed). Returns as
// call_value does, with the same result.
Status cached_result(Vm *vm, Value of, Value result, RetKind ret, uint16_t dest, Value *out);

#endif
