// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Module _numpy_errors: the native part of np.seterr, and the classes of numpy.exceptions that the engine raises
// itself. Actions are passed as numbers (FloatAction), in the order of FloatError; stdlib/numpy/_errors.ncr has their
// names.

#include "stdlib/numpy/numpy.h"
#include "stdlib/stdlib.h"
#include "vm/sched/engine.h"
#include "vm/value/class.h"
#include "vm/value/ops.h"
#include "vm/value/seq.h"
#include "vm/value/str.h"

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
        if (array_long(vm, actions->items[i], &action) != ST_OK) return op_refused(vm);
        if (action < FLOAT_IGNORE || action > FLOAT_PRINT)
            return vm_raise(vm, EXC_ValueError, "no such action");
        errors.action[i] = (FloatAction)action;
    }
    Status st = engine_observe_all(vm); // pending nodes run with the old actions
    vm->float_errors = errors;
    *out = V_NONE;
    return st;
}

Status numpy_exceptions_init(Vm *vm) {
    static const ExcKind own[] = {EXC_AxisError, EXC_ComplexWarning};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        Str *home = str_text(vm, "numpy.exceptions");
        if (!home) return vm_no_memory(vm);
        replace(vm, &vm->exceptions[own[i]]->module, v_obj(home));
    }
    return ST_OK;
}

Status numpy_errors_init(Vm *vm, Module *module) {
    Status st = module_set(vm, module, "AxisError", retain(v_obj(vm->exceptions[EXC_AxisError])));
    if (st != ST_OK) return st;
    return module_set(vm, module, "ComplexWarning", retain(v_obj(vm->exceptions[EXC_ComplexWarning])));
}

const NativeDef numpy_errors_functions[] = {
    {"get", "", fn_get, NULL, PURE},
    {"set", "actions, /", fn_set, NULL, PURE},
    {0},
};
