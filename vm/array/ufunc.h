// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the implementations of a ufunc call (ufunc.c).

#ifndef NACRE_VM_ARRAY_UFUNC_H
#define NACRE_VM_ARRAY_UFUNC_H

#include "vm/array/array.h"

static inline bool ufunc_is_masked(const UfuncCall *u) {
    return u->where.kind != K_UNDEF && !(u->where.kind == K_BOOL && u->where.i);
}

// Applies a call without where=. ST_NOTIMPL: an operand is not a number.
Status ufunc_everywhere(Vm *vm, const UfuncCall *u, Value *out);

// ufunc_plain.c: the fast path for common calls. False: not applicable, nothing has happened.
bool ufunc_plain(Vm *vm, const UfuncCall *u, Value *out, Status *st);

// Checks that there is a loop, casts are allowed and out= is writeable; *result: the result's type.
Status ufunc_check_types(Vm *vm, const UfuncCall *u, DType *result);

// Raises ValueError unless out= has the operands' broadcast shape (broadcast.c).
Status check_output_shape(Vm *vm, const View *into, const int64_t *shape, int ndim);

#endif
