// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _weak: weak references as numbers, for module weakref.

#include "vm/value/weak.h"

#include "stdlib/stdlib.h"

static Status fn_number(Vm *vm, const Value *args, Value *out) {
    int64_t number;
    Status st = weak_number(vm, args[0], &number);
    if (st == ST_OK) *out = v_int(number);
    return st;
}

static Status need_number(Vm *vm, Value v) {
    return v.kind == K_INT ? ST_OK : vm_raise(vm, EXC_TypeError, "a number of number() is needed");
}

static Status fn_object(Vm *vm, const Value *args, Value *out) {
    if (need_number(vm, args[0]) != ST_OK) return ST_ERROR;
    *out = weak_object(vm, args[0].i);
    return ST_OK;
}

static Status fn_watch(Vm *vm, const Value *args, Value *out) {
    if (need_number(vm, args[0]) != ST_OK) return ST_ERROR;
    *out = V_NONE;
    return weak_watch(vm, args[0].i) ? ST_OK : vm_no_memory(vm);
}

static Status fn_dead(Vm *vm, const Value *args, Value *out) {
    (void)args;
    return weak_dead(vm, out);
}

static Status fn_waker(Vm *vm, const Value *args, Value *out) {
    weak_waker(vm, args[0].kind == K_NONE ? V_UNDEF : retain(args[0]));
    *out = V_NONE;
    return ST_OK;
}

const NativeDef weak_functions[] = {
    {"number", "obj, /", fn_number, NULL, PURE},     {"object", "number, /", fn_object, NULL, PURE},
    {"watch", "number, /", fn_watch, NULL, PURE},    {"dead", "", fn_dead, NULL, PURE},
    {"waker", "generator, /", fn_waker, NULL, PURE}, {0},
};
