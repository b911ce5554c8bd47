// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Calls of native functions with an effect through the hook.

#include "vm/value/effects.h"

void effects_hook(Vm *vm, const EffectHook *hook) {
    vm->effects = hook;
}

Status effect_run(Vm *vm, const NativeDef *def, const Value *args, Value *out) {
    const EffectHook *hook = vm->effects;
    vm->effects = NULL;
    Status st = hook->run(hook->ctx, vm, def, args, out);
    vm->effects = hook;
    if (st != ST_TAIL) return st;
    vm_clear_tail(vm); // a call that other ranks would not make
    return vm_raise(vm, EXC_SystemError, "%s() has an effect, and cannot ask for a call", def->name);
}
