// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Python's format mini-language: [[fill]align][sign][z][#][0][width][grouping][.precision][type].

#ifndef NACRE_VM_VALUE_FORMAT_H
#define NACRE_VM_VALUE_FORMAT_H

#include "vm/value/vm.h"

typedef struct FormatSpec {
    uint32_t fill; // code point
    uint32_t type; // code point; 0: none given and the kind has no default
    char align;    // < > = ^
    char sign;     // + - space, or 0
    char group;    // , or _, or 0
    int group_size;
    bool alternate;
    bool no_negative_zero;
    int64_t width, precision; // -1: not given
} FormatSpec;

// Reads a specification; ValueError. `type_name` is for messages.
Status format_parse(Vm *vm, const Str *text, char default_type, char default_align,
                    const char *type_name, FormatSpec *out);
Status format_unknown_type(Vm *vm, uint32_t type, const char *type_name); // the ValueError

// Parts of a number's text. Digits are grouped, everything else is copied.
typedef struct NumberText {
    bool negative;
    const char *prefix, *digits, *rest; // "0x", "123", ".5e+10"
    size_t prefix_len, digits_len, rest_len;
    size_t rest_chars; // code points in rest
} NumberText;
void format_number(const FormatSpec *spec, const NumberText *number, Buf *out);

// The share of padding before and after a text of `chars` code points.
typedef struct Padding {
    size_t before, after;
} Padding;
Padding format_padding(const FormatSpec *spec, size_t chars);
void format_fill(uint32_t fill, size_t count, Buf *out);

// format(v, spec) for one kind. They fail with ValueError, OverflowError, MemoryError.
Status format_int(Vm *vm, Value v, const Str *spec, Buf *out); // any int or bool
Status format_int64(Vm *vm, int64_t i, const Str *spec, Buf *out);
Status format_double(Vm *vm, double d, const Str *spec, Buf *out);
Status format_complex(Vm *vm, double re, double im, const Str *spec, Buf *out);
Status format_str(Vm *vm, const Str *s, const Str *spec, Buf *out);

// __format__(self, format_spec) of the built-in kinds that have one of their own.
Status format_method(Vm *vm, const Value *args, Value *out);

#endif
