// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module gc: runs the cycle collector, and turns it on and off.

#include "stdlib/stdlib.h"
#include "vm/value/object.h"

static Status fn_collect(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_int((int64_t)gc_collect(vm));
    return ST_OK;
}

static Status fn_enable(Vm *vm, const Value *args, Value *out) {
    (void)args;
    vm->gc_disabled = false;
    safe_point_arm(vm);
    *out = V_NONE;
    return ST_OK;
}

static Status fn_disable(Vm *vm, const Value *args, Value *out) {
    (void)args;
    vm->gc_disabled = true;
    safe_point_arm(vm);
    *out = V_NONE;
    return ST_OK;
}

static Status fn_isenabled(Vm *vm, const Value *args, Value *out) {
    (void)args;
    *out = v_bool(!vm->gc_disabled);
    return ST_OK;
}

const NativeDef gc_functions[] = {
    {"collect", "generation=2", fn_collect, NULL, PURE},
    {"enable", "", fn_enable, NULL, PURE},
    {"disable", "", fn_disable, NULL, PURE},
    {"isenabled", "", fn_isenabled, NULL, PURE},
    {0},
};
