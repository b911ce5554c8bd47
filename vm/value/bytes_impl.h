// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of bytes: runs of bytes, reading arguments, characters of ASCII.

#ifndef NACRE_VM_VALUE_BYTES_IMPL_H
#define NACRE_VM_VALUE_BYTES_IMPL_H

#include "vm/value/bytes.h"
#include "vm/value/num.h"
#include "vm/value/seq_impl.h"

// A range of bytes, borrowed from their owner.
typedef struct Run {
    const char *at;
    size_t len;
} Run;

static inline Run run_of(const Bytes *bytes) {
    return (Run){bytes->data, bytes->len};
}
static inline Bytes *self_bytes(const Value *args) {
    return bytes_of(args[0]);
}
static inline Status bytes_same(Vm *vm, Bytes *bytes, Value *out) { // the object itself, or a copy of lent bytes
    if (bytes->obj.aux & BYTES_LENT) return bytes_out(vm, bytes_new(vm, bytes->data, bytes->len), out);
    bytes->obj.refs++;
    *out = v_obj(bytes);
    return ST_OK;
}
static inline Status bytes_run_out(Vm *vm, const char *at, size_t len, Value *out) {
    return bytes_out(vm, bytes_new(vm, at, len), out);
}

size_t bytes_block_size(const Obj *obj); // the `size` slot

// --- Arguments: TypeError in CPython's words ---------------------------------------------------

// Reads bytes or a bytearray, borrowed: "a bytes-like object is required, not 'str'".
Status bytes_arg(Vm *vm, Value v, Run *out);
// Reads a byte's value: "byte must be in range(0, 256)", a ValueError. ST_DEFER for a user's __index__.
Status bytes_arg_byte(Vm *vm, Value v, unsigned char *out);
// Reads bytes, or an int that stands for one byte, which is stored in *room.
Status bytes_arg_or_byte(Vm *vm, Value v, char *room, Run *out);

// --- Characters: ASCII, whatever the locale ----------------------------------------------------

static inline bool byte_is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
static inline bool byte_is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static inline bool byte_is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool byte_is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static inline char byte_to_upper(char c) {
    return byte_is_lower(c) ? (char)(c - 32) : c;
}
static inline char byte_to_lower(char c) {
    return byte_is_upper(c) ? (char)(c + 32) : c;
}

// --- Methods -----------------------------------------------------------------------------------

#define METHOD(name, signature, slow) Status bytes_m_##name(Vm *vm, const Value *args, Value *out);
#include "vm/value/bytes_methods.def"
#undef METHOD

extern const NativeDef bytes_construct_row;

#endif
