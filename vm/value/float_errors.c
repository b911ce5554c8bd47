// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Float errors are handled as np.seterr demands.

#include "vm/value/float_errors.h"

#include "vm/value/vm.h"

static const char *const happened[] = {
    [FLOAT_DIVIDE] = "divide by zero",
    [FLOAT_OVERFLOW] = "overflow",
    [FLOAT_UNDERFLOW] = "underflow",
    [FLOAT_INVALID] = "invalid value",
};

static Status print_error(Vm *vm, const char *what, const char *of, const char *operation) {
    Buf text;
    buf_init(&text, &vm->mem);
    buf_printf(&text, "Warning: %s encountered in %s%s\n", what, of, operation);
    Status st = text.failed ? vm_no_memory(vm) : ST_OK;
    if (st == ST_OK && vm->host.write) (void)vm->host.write(vm->host.ctx, 2, text.data, text.len);
    buf_free(&text);
    return st;
}

Status vm_float_error(Vm *vm, FloatError what, const char *of, const char *operation) {
    FloatAction action = vm->float_errors.action[what];
    if (action != FLOAT_IGNORE && vm_settle(vm) != ST_OK) return ST_ERROR;
    switch (action) {
    case FLOAT_IGNORE: return ST_OK;
    case FLOAT_RAISE:
        return vm_raise(vm, EXC_FloatingPointError, "%s encountered in %s%s", happened[what], of,
                        operation);
    case FLOAT_PRINT: return print_error(vm, happened[what], of, operation);
    default:
        return vm_warn(vm, EXC_RuntimeWarning, "%s encountered in %s%s", happened[what], of, operation);
    }
}
