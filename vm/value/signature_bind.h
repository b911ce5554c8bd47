// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Errors of binding a call, between signature_bind.c and signature_error.c.

#ifndef NACRE_VM_VALUE_SIGNATURE_BIND_H
#define NACRE_VM_VALUE_SIGNATURE_BIND_H

#include "vm/value/func.h"

typedef enum BindFailure {
    BIND_OK,
    BIND_RAISED,          // vm->error is set
    BIND_UNEXPECTED,      // keyword that is no parameter, or a positional-only one
    BIND_MULTIPLE,        // given by position and by name
    BIND_TOO_MANY,        // positional arguments
    BIND_MISSING,         // a positional parameter
    BIND_MISSING_KEYWORD, // a keyword-only parameter
} BindFailure;

typedef struct Call {
    const Signature *sig;
    const Value *args;
    size_t count;
    const Tuple *names; // or NULL
    const Value *slots;
    Str *name;          // the keyword a failure is about
    int index;          // its parameter's number
} Call;

// Raises the TypeError; returns ST_ERROR.
Status signature_error(Vm *vm, BindFailure failure, const Call *call);

#endif
