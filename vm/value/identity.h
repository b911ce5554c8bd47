// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Identity of objects as scripts see it: id(), hashes by identity, and with them the order of sets, texts as <C object
// at 0x…>. It is the address. Addresses differ between processes that run the same program; where vm->numbered is set
// (before anything runs, and for good), it is a number, given when it is first asked for.

#ifndef NACRE_VM_VALUE_IDENTITY_H
#define NACRE_VM_VALUE_IDENTITY_H

#include "vm/value/vm.h"

// MemoryError where a number cannot be given.
Status identity_of(Vm *vm, const void *obj, uint64_t *out);
Status identity_text(Vm *vm, const void *obj, Buf *out); // in hexadecimal, behind 0x

// Works for any value: one without an object is hashed by its kind and bits.
Status identity_hash(Vm *vm, Value v, int64_t *out);

#endif
