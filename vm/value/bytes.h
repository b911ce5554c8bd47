// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Immutable bytes: constructors, and conversions for other kinds. Methods are in bytes_methods.def, encodings in
// codec.h.

#ifndef NACRE_VM_VALUE_BYTES_H
#define NACRE_VM_VALUE_BYTES_H

#include "vm/value/class.h"
#include "vm/value/vm.h"

// All return an owned object, NULL when out of memory (no exception set). bytes_alloc does not initialise the bytes.
// bytes_from_buf frees buf in every case, and returns NULL also if buf failed.
Bytes *bytes_alloc(Vm *vm, size_t len);
Bytes *bytes_new(Vm *vm, const char *data, size_t len);
Bytes *bytes_from_buf(Vm *vm, Buf *buf);
// Store the object in *out.
Status bytes_out(Vm *vm, Bytes *bytes, Value *out); // consumes; NULL → MemoryError
Status bytes_buf_out(Vm *vm, Buf *buf, Value *out); // consumes buf; failed → MemoryError

// Returns the bytes of v, borrowed: of bytes, a bytearray, or an instance of a class derived from them; else NULL.
static inline Bytes *bytes_of(Value v) {
    v = unwrap(v);
    return v.kind == K_BYTES ? v.bytes : v.kind == K_BYTEARRAY ? v.bytearray->bytes : NULL;
}

// Converts a bytes-like object in Python's sense: *out is owned, v itself if it is bytes, else a copy of an array's or
// a NumPy scalar's memory in C order. ST_NOTIMPL for anything else.
Status bytes_like(Vm *vm, Value v, Value *out);
// Sets *array to the array (owned) over a memoryview's memory. ST_NOTIMPL: v is no memoryview. ValueError: it has been
// released.
Status bytes_view(Vm *vm, Value v, Value *array);
// As bytes_like, but TypeError instead of ST_NOTIMPL.
Status bytes_need(Vm *vm, Value v, Value *out);

// Writes Python's repr, b'…', to `out`.
void bytes_repr(const Bytes *bytes, Buf *out);

#endif
