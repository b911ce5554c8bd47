// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _devices: chooses the device on which kernels run, and moves arrays between devices.

#include "stdlib/stdlib.h"
#include "vm/array/array.h"
#include "vm/sched/sched.h"
#include "vm/sched/sharing.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

static Status need_array(Vm *vm, Value v) {
    if (v.kind == K_ARRAY) return ST_OK;
    return vm_raise(vm, EXC_TypeError, "an array is needed, not '%s'", type_name(vm, v));
}

static Status find_place(Vm *vm, Value name, Place *place) {
    if (name.kind != K_STR) return vm_raise(vm, EXC_TypeError, "a device is named by a str, not '%s'", type_name(vm, name));
    return placing_find(vm, name.str->data, place);
}

// choose(name): makes kernels run on that device from now on. Returns the previous choice, for resume.
static Status fn_choose(Vm *vm, const Value *args, Value *out) {
    Place place;
    Placing before = PLACING_HOST;
    Status st = find_place(vm, args[0], &place);
    if (st == ST_OK) st = placing_choose(vm, place, &before);
    *out = v_int(before);
    return st;
}

static Status fn_resume(Vm *vm, const Value *args, Value *out) {
    *out = V_NONE;
    if (args[0].kind != K_INT || args[0].i < PLACING_DEVICE || args[0].i > PLACING_HOST)
        return vm_raise(vm, EXC_ValueError, "an answer of choose is needed");
    return placing_resume(vm, (Placing)args[0].i);
}

// move(x, name): moves the memory of an array to a device. Borrowed memory cannot be moved.
static Status fn_move(Vm *vm, const Value *args, Value *out) {
    Place place;
    Status st = need_array(vm, args[0]);
    if (st == ST_OK) st = find_place(vm, args[1], &place);
    if (st == ST_OK && args[0].array->storage->owner)
        st = vm_raise(vm, EXC_ValueError, "memory that somebody else owns stays where it is");
    if (st == ST_OK) st = placing_move(vm, args[0].array->storage, place);
    *out = V_NONE;
    return st;
}

static Status fn_name(Vm *vm, const Value *args, Value *out) {
    if (need_array(vm, args[0]) != ST_OK) return ST_ERROR;
    const char *name = placing_name(vm, args[0].array->storage);
    return name ? str_out(vm, str_text(vm, name), out) : ST_ERROR;
}

// shared(x): returns DLPack's (device type, device number) of the array's memory.
static Status fn_shared(Vm *vm, const Value *args, Value *out) {
    bool there;
    if (need_array(vm, args[0]) != ST_OK || sharing_find(vm, args[0].array->storage, &there) != ST_OK) return ST_ERROR;
    return tuple_of(vm, (const Value[]){v_int(there ? sharing_type(vm) : 1), v_int(0)}, 2, out);
}

// order(stream): makes the stream wait for all kernels launched so far. -1, DLPack's "no wait", does nothing.
static Status fn_order(Vm *vm, const Value *args, Value *out) {
    *out = V_NONE;
    if (args[0].kind != K_INT) return vm_raise(vm, EXC_TypeError, "a stream is an int, not '%s'", type_name(vm, args[0]));
    if (args[0].i < -1 || args[0].i == 0)
        return vm_raise(vm, EXC_ValueError, "there is no stream %lld", (long long)args[0].i);
    return args[0].i < 0 ? ST_OK : sharing_order(vm, args[0].i);
}

const NativeDef devices_functions[] = {
    {"choose", "name", fn_choose, NULL, ENV},
    {"resume", "before", fn_resume, NULL, PURE},
    {"move", "x, name", fn_move, NULL, ENV},
    {"name", "x", fn_name, NULL, PURE},
    {"shared", "x", fn_shared, NULL, PURE},
    {"order", "stream", fn_order, NULL, PURE},
    {0},
};
