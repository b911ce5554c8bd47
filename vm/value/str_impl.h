// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Shared by the files of str: building strings, walking characters, reading arguments.

#ifndef NACRE_VM_VALUE_STR_IMPL_H
#define NACRE_VM_VALUE_STR_IMPL_H

#include "vm/value/class.h"
#include "vm/value/num.h"
#include "vm/value/str.h"

// --- Bytes and characters ----------------------------------------------------------------------

// Returns the length in bytes of the character that begins with this byte.
static inline int utf8_width(char first) {
    unsigned char b = (unsigned char)first;
    return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
}

// Returns the length in bytes of the character that ends before `end`. There must be one.
static inline int utf8_width_before(const char *end) {
    int width = 1;
    while (((unsigned char)end[-width] & 0xC0) == 0x80) width++;
    return width;
}

static inline uint32_t str_next(const char **at, const char *end) {
    int width;
    uint32_t cp = str_decode(*at, end, &width);
    *at += width;
    return cp;
}

static inline const char *str_end(const Str *s) {
    return s->data + s->len;
}

// Returns a string of `len` bytes that the caller writes before calling str_finish, which determines
// whether it is ASCII and how many characters it has. NULL when out of memory or too long.
Str *str_alloc(Vm *vm, size_t len);
void str_finish(Str *s);
size_t str_block_size(const Obj *obj); // the `size` slot
bool bytes_ascii(const char *bytes, size_t len);
size_t str_count_chars(const char *bytes, size_t len);

Str *str_char(Vm *vm, uint32_t cp);                       // one character
Status str_bytes_out(Vm *vm, const char *bytes, size_t len, Value *out);
static inline Status str_same(Str *s, Value *out) { // returns the string itself
    s->obj.refs++;
    *out = v_obj(s);
    return ST_OK;
}

// Appends text with everything but printable ASCII escaped, as ascii() does to a repr.
void str_escape_ascii(const char *bytes, size_t len, Buf *out);

// --- Arguments ---------------------------------------------------------------------------------

// Returns the str in v, which may be an instance of a subclass, or NULL.
static inline Str *str_of(Value v) {
    v = unwrap(v);
    return v.kind == K_STR ? v.str : NULL;
}
static inline Str *self_str(const Value *args) {
    return str_of(args[0]);
}

// A byte range of a string, resolved from optional start and end arguments.
typedef struct StrRange {
    size_t from, to;  // bytes; from <= to
    bool empty;       // start is after end, or beyond the text: not even "" is found there
    size_t first;     // `from` in characters
} StrRange;
Status str_arg_range(Vm *vm, const Str *s, Value start, Value end, StrRange *out);

// Reads an int argument that CPython keeps in a ssize_t: OverflowError when too large.
Status str_arg_size(Vm *vm, Value v, int64_t *out);

// --- Methods -----------------------------------------------------------------------------------

#define METHOD(name, signature, slow) Status str_m_##name(Vm *vm, const Value *args, Value *out);
#include "vm/value/str_methods.def"
#undef METHOD

#endif
