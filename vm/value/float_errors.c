// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Float errors become what np.seterr wants of them.

#include "vm/value/float_errors.h"

#include "vm/value/vm.h"

static const char *const happened[] = {
    [FLOAT_DIVIDE] = "divide by zero",
    [FLOAT_OVERFLOW] = "overflow",
    [FLOAT_UNDERFLOW] = "underflow",
    [FLOAT_INVALID] = "invalid value",
};

Status vm_float_error(Vm *vm, FloatError what, const char *of, const char *operation) {
    switch (vm->float_errors.action[what]) {
    case FLOAT_IGNORE: return ST_OK;
    case FLOAT_RAISE:
        return vm_raise(vm, EXC_FloatingPointError, "%s encountered in %s%s", happened[what], of,
                        operation);
    default:
        vm_warn(vm, EXC_RuntimeWarning, "%s encountered in %s%s", happened[what], of, operation);
        return ST_OK;
    }
}
