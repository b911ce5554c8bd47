// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Identity of objects as scripts see it: id(), hashes by identity and so the order of sets, text such as <C object at
// 0x…>. The identity is the object's address. As addresses differ between processes that run the same program, it is
// a number instead, assigned at first use, where vm->numbered is set (before anything runs, and for good).

#ifndef NACRE_VM_VALUE_IDENTITY_H
#define NACRE_VM_VALUE_IDENTITY_H

#include "vm/value/vm.h"

// MemoryError: no number could be assigned.
Status identity_of(Vm *vm, const void *obj, uint64_t *out);
Status identity_text(Vm *vm, const void *obj, Buf *out); // in hexadecimal, after 0x

// Works for any value: one without an object is hashed by its kind and bits.
Status identity_hash(Vm *vm, Value v, int64_t *out);

#endif
