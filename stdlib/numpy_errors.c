// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _numpy_errors: the native behind np.seterr. Actions are numbers here (FloatAction), in the
// order of FloatError; stdlib/numpy/_errors.ncr knows their names.

#include "stdlib/stdlib.h"
#include "vm/sched/engine.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"

static Status fn_get(Vm *vm, const Value *args, Value *out) {
    Value items[FLOAT_ERROR_COUNT];
    (void)args;
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++) items[i] = v_int(vm->float_errors.action[i]);
    return tuple_of(vm, items, FLOAT_ERROR_COUNT, out);
}

static Status fn_set(Vm *vm, const Value *args, Value *out) {
    const Tuple *actions = args[0].tuple;
    FloatErrors errors;
    if (args[0].kind != K_TUPLE || actions->len != FLOAT_ERROR_COUNT)
        return vm_raise(vm, EXC_TypeError, "a tuple with an action for each sort of error is needed");
    for (int i = 0; i < FLOAT_ERROR_COUNT; i++) {
        int64_t action;
        if (op_index(vm, actions->items[i], &action) != ST_OK) return op_refused(vm);
        if (action < FLOAT_IGNORE || action > FLOAT_RAISE)
            return vm_raise(vm, EXC_ValueError, "no such action");
        errors.action[i] = (FloatAction)action;
    }
    Status st = engine_observe_all(vm); // what was written before is not concerned
    vm->float_errors = errors;
    *out = V_NONE;
    return st;
}

const NativeDef numpy_errors_functions[] = {
    {"get", "", fn_get, NULL, PURE},
    {"set", "actions, /", fn_set, NULL, PURE},
    {0},
};
