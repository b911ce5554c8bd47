// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Instructions, or parts of them, that the dispatch loop leaves to a function. Values are borrowed and
// results owned unless a comment says otherwise; `items` are registers that are consumed.

#ifndef NACRE_VM_INTERP_STEPS_H
#define NACRE_VM_INTERP_STEPS_H

#include "vm/interp/interp.h"
#include "vm/value/ops.h"

// Compute operators whose operands are not immediate. May push a frame (ST_TAIL).
Status step_binary(Vm *vm, Instr i, Value a, Value b, Value *out);
Status step_compare(Vm *vm, Instr i, Value a, Value b, Value *out);
// Compares a tuple that TUPLE at `ip` is about to make with another, or with that of the TUPLE behind it, from the
// registers of the items (consumed), if nothing but the comparison that follows reads it. Returns that comparison, with
// its result and status. NULL: another case, in which nothing has happened.
const Instr *step_compare_rows(Vm *vm, Frame *frame, const Instr *ip, Status *st, Value *out);
Status step_unary(Vm *vm, UnaryOp op, Value a, uint16_t dest, Value *out);
// Appends t to s in place for `s = s + t` and `s += t` of strings, if nothing else holds s. True: *st is ST_OK and the
// instruction is complete, or *st is an error and nothing has changed. False: it is another case; nothing was done.
bool step_append_text(Vm *vm, Frame *frame, const Instr *ip, Value *a, Value *b, Status *st);

Status step_build(Vm *vm, Instr i, Value *items, Value *out); // TUPLE, LIST, CONCAT
Status step_build_set(Vm *vm, Instr i, Value *items, Value *out);
Status step_build_dict(Vm *vm, Instr i, Value *items, Value *out);
Status step_add_key(Vm *vm, Value into, Value key, Value value);

// Read and write v[key, key, …] without a tuple of the keys, by the kind's getitems and setitems. The keys are consumed
// with ST_OK only. ST_NOTIMPL: the kind cannot do that.
Status step_getitems(Vm *vm, Value v, Value *keys, uint32_t count, Value *out);
Status step_setitems(Vm *vm, Value v, Value *keys, uint32_t count, Value value);
// Returns whether v[start:stop:step], with `bounds` for these three registers, can do without a slice object.
bool step_slices_at_once(Value v, const Value *bounds);
// Computes it. Leaves the three registers undefined.
Status step_sliced(Vm *vm, Value v, Value *bounds, Value *out);

Status step_setattr(Vm *vm, Value v, Str *name, Value value, Instr *cache);
Status step_delattr(Vm *vm, Value v, Str *name);
// Sets a name of a class body that is set already, and tells the metaclass of a base if it has the hook for that
// (NAME_set_again).
Status step_name_again(Vm *vm, Frame *frame, Str *name, Value value);
Status step_name_delete(Vm *vm, Frame *frame, Str *name);

Status step_raise(Vm *vm, Value exc, Value cause, bool has_cause, Value *out);
Status step_raise_again(Vm *vm);
Status step_assert_fail(Vm *vm, bool has_message, Value message);
void step_exc_enter(Vm *vm, Frame *frame, uint16_t reg);
void step_exc_leave(Vm *vm, Frame *frame, uint16_t reg);
void step_exc_triple(Vm *vm, Frame *frame, Instr i);
Status step_with_prep(Vm *vm, Frame *frame, Instr i);
Status step_yield_from(Vm *vm, Frame *frame, Instr i);
Status step_display(Vm *vm, Value v);

#endif
