// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The one door through which native functions are called, and who may be asked there: a program that runs on
// many processes at once (ranks) has what reaches outside (Purity, kind.h) done by one of them.
//
// Whoever installs a hook promises, and may rely on, this:
// - Every rank runs the same program with the same values, and so comes to the same calls in the same order.
//   Before it decides, the hook may talk to the other ranks, as all of them stand at the same call.
// - The hook answers what a native does: ST_OK with *out, ST_ERROR with vm->error, ST_STOP where an iterator is at
//   its end, or ST_DEFER, after which the row's slow path runs, on every rank. With ST_DEFER and without a slow
//   path vm->asked and vm->asked_about say what the native wants to know (asking.h).
// - A native with an effect changes nothing of the VM and of its arguments, but for handles (open files, mapped
//   arrays), whose state belongs to the rank that has them. It never answers ST_TAIL. Its arguments are
//   plain values (None, numbers, text, bytes, and tuples, lists and dicts of those), arrays and handles, or what it
//   refuses or defers; its result is a plain value, an array or a handle.
// - Array work that has been put off is not done by asking. Who has one rank do a native with arrays among its
//   arguments first calls engine_observe_all on every rank, so that warnings and errors come everywhere.
// - While the hook runs it is not asked again: what the native calls in its turn belongs to the one call.

#ifndef NACRE_VM_VALUE_EFFECTS_H
#define NACRE_VM_VALUE_EFFECTS_H

#include "vm/value/vm.h"

typedef struct EffectHook {
    void *ctx;
    Status (*run)(void *ctx, Vm *vm, const NativeDef *def, const Value *args, Value *out);
    // The exception just raised stops the program on this rank only: an interrupt, or the end of its time limit. Not
    // called during `run`. NULL: no notice is needed.
    void (*broken_off)(void *ctx, Vm *vm);
} EffectHook;

// NULL takes it away; it has to live as long as it is there. Not called by the hook itself.
void effects_hook(Vm *vm, const EffectHook *hook);

static inline bool has_effect(const NativeDef *def) {
    return def->purity > INNER;
}

Status effect_run(Vm *vm, const NativeDef *def, const Value *args, Value *out); // asks the hook

// For the hook: the native itself.
static inline Status effect_perform(Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    return def->fn(vm, args, out);
}

// Calls a native function with arguments that are bound already.
static inline Status native_run(Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    if (__builtin_expect(vm->effects != NULL, 0) && has_effect(def)) return effect_run(vm, def, args, out);
    return def->fn(vm, args, out);
}

#endif
