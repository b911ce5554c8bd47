// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of the steppers.

#ifndef NACRE_VM_VALUE_STEPPER_IMPL_H
#define NACRE_VM_VALUE_STEPPER_IMPL_H

#include "vm/value/seq.h"
#include "vm/value/stepper.h"

#define STEPPER(id, ...)                                                          \
    StepWant step_##id(Vm *vm, Stepper *it, Act *act, StepEvent event, Value in); \
    Status stepper_make_##id(Vm *vm, const Value *args, Value *out);
#include "vm/value/steppers.def"
#undef STEPPER

enum { GROUP_ITEM, GROUP_KEY, GROUP_EQUAL }; // phases of groupby and its groups

// Makes the pair of a key and a group that groupby returns, for the key that comes next.
Status stepper_give_group(Vm *vm, Stepper *it, Value *out);

static inline StepWant step_give(Act *act, Value owned) {
    v_store(&act->value, owned);
    return STEP_GIVE;
}

static inline StepWant step_ask(Act *act, Value source) {
    act->callee = source;
    return STEP_NEXT;
}

// Sets up a call of callee with owned arguments (the second one may be UNDEF), and returns `how`.
static inline StepWant step_call(Act *act, StepWant how, Value callee, Value a, Value b) {
    act->callee = callee;
    act->helper = NULL;
    act->args[0] = a;
    act->args[1] = b;
    act->count = b.kind == K_UNDEF ? 1 : 2;
    return how;
}

static inline StepWant step_help(Act *act, const char *helper, Value a, Value b) {
    step_call(act, STEP_CALL, V_UNDEF, a, b);
    act->helper = helper;
    return STEP_CALL;
}

#endif
