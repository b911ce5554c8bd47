// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Questions of natives about objects of the script's classes (asking.h), and look-up of the answers.

#include "vm/value/asking.h"
#include "vm/value/dict.h"

enum { QUESTION_BITS = 4 }; // objects begin at multiples of 16

Value ask_key(Question what, Value v) {
    return v_int((int64_t)((v.bits >> QUESTION_BITS << QUESTION_BITS) | what));
}

Status op_ask(Vm *vm, Question what, Value v, Value *out) {
    if (!vm->answers) return ST_DEFER;
    Value found;
    Status st = dict_get(vm, vm->answers, ask_key(what, v), &found);
    if (st == ST_OK) *out = found;
    if (st != ST_STOP) return st;
    if (vm->asked_about == ASK_NONE) {
        vm->asked_about = what;
        vm->asked = retain(v);
    }
    return ST_DEFER;
}

Status op_ask_owned(Vm *vm, Question what, Value v, Value *out) {
    Status st = op_ask(vm, what, v, out);
    if (st == ST_OK) retain(*out);
    return st;
}

void ask_forget(Vm *vm) {
    clear(vm, &vm->asked);
    vm->asked_about = ASK_NONE;
}
