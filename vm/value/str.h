// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text values: making, interning, slicing by code points. Methods are in str_methods.c, the format
// mini-language in format.c.

#ifndef NACRE_VM_VALUE_STR_H
#define NACRE_VM_VALUE_STR_H

#include "vm/value/vm.h"

// All return owned, NULL when out of memory (no exception set). Bytes must be valid UTF-8 (lone
// surrogates allowed). Empty and one-letter ASCII strings are shared.
Str *str_new(Vm *vm, const char *bytes, size_t len);
Str *str_concat_all(Vm *vm, const Value *strings, size_t count); // K_STR values, borrowed
Str *str_text(Vm *vm, const char *text); // NUL-terminated
Str *str_intern(Vm *vm, const char *bytes, size_t len);
Str *str_intern_str(Vm *vm, Str *str);   // borrows; the interned equal of str
Str *str_concat(Vm *vm, const Str *a, const Str *b);
Str *str_from_buf(Vm *vm, Buf *buf);     // frees buf in every case; NULL also if buf failed
// Same, as a Status with MemoryError.
Status str_out(Vm *vm, Str *str, Value *out);      // consumes; NULL → MemoryError
Status str_buf_out(Vm *vm, Buf *buf, Value *out);  // consumes buf

// Appends in place when `a` has one reference and room (s += t in a loop is linear): consumes a,
// borrows b; returns owned, or NULL with a untouched and still the caller's.
Str *str_append(Vm *vm, Str *a, const Str *b);

static inline bool str_is_ascii(const Str *s) {
    return s->obj.aux & STR_ASCII;
}
int64_t bytes_hash(const char *bytes, size_t len); // hash of str and bytes; 0 only if len is 0
int64_t str_hash(Str *str);
bool str_equal(const Str *a, const Str *b);
bool str_is(const Str *a, const char *text);
int str_cmp(const Str *a, const Str *b); // by code points

// Code points and byte offsets.
size_t str_offset(const Str *s, size_t index); // byte offset of code point number index
uint32_t str_decode(const char *bytes, const char *end, int *width);
Str *str_slice(Vm *vm, Str *s, size_t start, size_t stop); // code points, step 1
Status str_utf8_check(Vm *vm, const char *bytes, size_t len); // UnicodeDecodeError

void str_repr(const Str *s, Buf *out); // with quotes, Python's choice of them

// format(value, spec) for built-in kinds (int, float, complex, bool, str); format.c.
Status format_value(Vm *vm, Value v, const Str *spec, Buf *out);
// fmt % args
Status format_percent(Vm *vm, Str *fmt, Value args, Value *out);

void str_interned_drop(Vm *vm, Str *str); // called when an interned string dies

#endif
