// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Values that hold the state of a native module.

#include "stdlib/state.h"

#include "vm/value/object.h"

typedef struct State {
    Obj obj;
    const StateKind *kind;
    _Alignas(16) char data[];
} State;

static void state_drop(Vm *vm, Obj *obj) {
    State *state = (State *)obj;
    if (state->kind->drop) state->kind->drop(vm, state->data);
}

static size_t state_size(const Obj *obj) {
    return sizeof(State) + ((const State *)obj)->kind->size;
}

const TypeSlots kind_STATE = {.drop = state_drop, .size = state_size};

void *state_new(Vm *vm, const StateKind *kind, Value *out) {
    State *state = obj_new(vm, K_STATE, sizeof *state + kind->size);
    if (!state) {
        vm_no_memory(vm);
        return NULL;
    }
    state->kind = kind;
    *out = v_obj(state);
    return state->data;
}

void *state_is(Value v, const StateKind *kind) {
    State *state = v.kind == K_STATE ? (State *)v.obj : NULL;
    return state && state->kind == kind ? state->data : NULL;
}

void *state_of(Vm *vm, Value v, const StateKind *kind) {
    void *data = state_is(v, kind);
    if (data) return data;
    vm_raise(vm, EXC_TypeError, "%s is needed, not '%s'", kind->name, type_name(vm, v));
    return NULL;
}
