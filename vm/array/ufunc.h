// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What the forms of an operation's call share (ufunc.c).

#ifndef NACRE_VM_ARRAY_UFUNC_H
#define NACRE_VM_ARRAY_UFUNC_H

#include "vm/array/array.h"

static inline bool ufunc_is_masked(const UfuncCall *u) {
    return u->where.kind != K_UNDEF && !(u->where.kind == K_BOOL && u->where.i);
}

// A call without its where=. ST_NOTIMPL: an operand is no number.
Status ufunc_everywhere(Vm *vm, const UfuncCall *u, Value *out);

// ufunc_plain.c: does a call that needs no more than the short way. False: it does, nothing has happened.
bool ufunc_plain(Vm *vm, const UfuncCall *u, Value *out, Status *st);

// Whether there is a loop for the operands' types, their casts are allowed, and out= may be written;
// what type the result has.
Status ufunc_check_types(Vm *vm, const UfuncCall *u, DType *result);

// ValueError unless out= has the operands' common shape (broadcast.c).
Status check_output_shape(Vm *vm, const View *into, const int64_t *shape, int ndim);

#endif
