// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The one place from which native functions are called, and its hook. A program that runs on many processes at once
// (ranks) uses the hook to run natives with an effect outside the VM (Purity, kind.h) on one rank only.
//
// Whoever installs a hook promises, and may rely on, this:
// - Every rank runs the same program with the same values, and so comes to the same calls in the same order.
//   Before it decides, the hook may talk to the other ranks, as all of them stand at the same call.
// - The hook returns what a native returns: ST_OK with *out, ST_ERROR with vm->error, ST_STOP where an iterator is at
//   its end, or ST_DEFER, after which the row's slow path runs, on every rank. With ST_DEFER and without a slow
//   path, vm->asked_about and vm->asked are the native's question and its object (asking.h).
// - A native with an effect does not change the VM or its arguments, except handles (open files, mapped arrays),
//   whose state belongs to the rank that has them. It never returns ST_TAIL. Its arguments are plain values (None,
//   numbers, text, bytes, and tuples, lists and dicts of those), arrays and handles; it refuses or defers others.
//   Its result is a plain value, an array or a handle.
// - Calling the hook does not run pending array nodes. A hook that runs a native with array arguments on one rank
//   first calls engine_observe_all on every rank, so that warnings and errors are raised on all of them.
// - While the hook runs it is not called again: natives that the native calls belong to the one call.

#ifndef NACRE_VM_VALUE_EFFECTS_H
#define NACRE_VM_VALUE_EFFECTS_H

#include "vm/value/vm.h"

typedef struct EffectHook {
    void *ctx;
    Status (*run)(void *ctx, Vm *vm, const NativeDef *def, const Value *args, Value *out);
    // Notifies the hook that the exception just raised stops the program on this rank only: an interrupt, or the end of
    // its time limit. Not called during `run`. NULL: no notice is needed.
    void (*broken_off)(void *ctx, Vm *vm);
} EffectHook;

// Installs a hook, which must stay valid while it is installed; NULL removes it. Not to be called by the hook itself.
void effects_hook(Vm *vm, const EffectHook *hook);

static inline bool has_effect(const NativeDef *def) {
    return def->purity > INNER;
}

Status effect_run(Vm *vm, const NativeDef *def, const Value *args, Value *out); // calls the hook

// Runs the native itself; for the hook.
static inline Status effect_perform(Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    return def->fn(vm, args, out);
}

// Calls a native function with arguments that are bound already.
static inline Status native_run(Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    if (__builtin_expect(vm->effects != NULL, 0) && has_effect(def)) return effect_run(vm, def, args, out);
    return def->fn(vm, args, out);
}

#endif
