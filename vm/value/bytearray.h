// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Bytes that change. A bytearray holds a bytes object, which it may share: with bytes() made of it,
// slices and results of methods that are all of it. What is shared is copied before it is written.

#ifndef NACRE_VM_VALUE_BYTEARRAY_H
#define NACRE_VM_VALUE_BYTEARRAY_H

#include "vm/value/bytes.h"

Status bytearray_out(Vm *vm, Bytes *bytes, Value *out); // consumes; NULL → MemoryError
// Its bytes for writing, `len` of them from now on (those that are new are not written yet); NULL:
// MemoryError. Valid until anything else may look at the object.
char *bytearray_write(Vm *vm, ByteArray *array, size_t len);

#endif
