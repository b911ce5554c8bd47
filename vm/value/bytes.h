// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Immutable bytes: making them, and what other kinds may ask about them. Methods are in
// bytes_methods.def, encodings in codec.h.

#ifndef NACRE_VM_VALUE_BYTES_H
#define NACRE_VM_VALUE_BYTES_H

#include "vm/value/class.h"
#include "vm/value/vm.h"

// All return owned, NULL when out of memory (no exception set). bytes_alloc leaves the bytes to the
// caller to write; bytes_from_buf frees buf in every case, and gives NULL also if buf failed.
Bytes *bytes_alloc(Vm *vm, size_t len);
Bytes *bytes_new(Vm *vm, const char *data, size_t len);
Bytes *bytes_from_buf(Vm *vm, Buf *buf);
// Same, as a Status with MemoryError.
Status bytes_out(Vm *vm, Bytes *bytes, Value *out); // consumes; NULL → MemoryError
Status bytes_buf_out(Vm *vm, Buf *buf, Value *out); // consumes buf

// The bytes in v (a bytearray's, a subclass's instance's), or NULL; borrowed.
static inline Bytes *bytes_of(Value v) {
    v = unwrap(v);
    return v.kind == K_BYTES ? v.bytes : v.kind == K_BYTEARRAY ? v.bytearray->bytes : NULL;
}

// Converts a bytes-like object in Python's sense: *out is owned, v itself if it is bytes, else a copy of an array's or
// a NumPy scalar's memory in C order. ST_NOTIMPL for anything else.
Status bytes_like(Vm *vm, Value v, Value *out);
// The array over the memory that a memoryview shows, owned; ST_NOTIMPL for anything else; ValueError if it is released.
Status bytes_view(Vm *vm, Value v, Value *array);
// bytes_like; TypeError for anything else.
Status bytes_need(Vm *vm, Value v, Value *out);

// Python's repr, b'…', to `out`.
void bytes_repr(const Bytes *bytes, Buf *out);

#endif
