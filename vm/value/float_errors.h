// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Handling of float errors in NumPy's arithmetic (np.seterr). The VM has one set of actions; Python's own floats do not
// use it.

#ifndef NACRE_VM_VALUE_FLOAT_ERRORS_H
#define NACRE_VM_VALUE_FLOAT_ERRORS_H

#include "vm/value/value.h"

typedef enum FloatError {
    FLOAT_DIVIDE,
    FLOAT_OVERFLOW,
    FLOAT_UNDERFLOW,
    FLOAT_INVALID,
    FLOAT_ERROR_COUNT
} FloatError;

typedef enum FloatAction { FLOAT_IGNORE, FLOAT_WARN, FLOAT_RAISE, FLOAT_PRINT } FloatAction;

typedef struct FloatErrors {
    FloatAction action[FLOAT_ERROR_COUNT];
} FloatErrors;

#define FLOAT_ERRORS_DEFAULT {{FLOAT_WARN, FLOAT_WARN, FLOAT_IGNORE, FLOAT_WARN}}

// Handles a float error in an operation according to its action, in NumPy's words. `of` is "scalar " or "".
Status vm_float_error(Vm *vm, FloatError what, const char *of, const char *operation);

#endif
