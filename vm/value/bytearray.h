// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Mutable bytes. A bytearray refers to a bytes object, which it may share with bytes(array), and with slices and
// method results that have the same content. A shared bytes object is copied before it is written.

#ifndef NACRE_VM_VALUE_BYTEARRAY_H
#define NACRE_VM_VALUE_BYTEARRAY_H

#include "vm/value/bytes.h"

Status bytearray_out(Vm *vm, Bytes *bytes, Value *out); // consumes; NULL → MemoryError
// Resizes the array to `len` bytes, and returns its memory for writing; added bytes are not initialised. NULL: an
// exception has been raised (MemoryError; BufferError if lent memory would be resized). The pointer is valid until
// other code may use the object.
char *bytearray_write(Vm *vm, ByteArray *array, size_t len);

#endif
