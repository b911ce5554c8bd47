// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Parses the templates of str.format.

#ifndef NACRE_VM_VALUE_STR_FIELDS_H
#define NACRE_VM_VALUE_STR_FIELDS_H

#include "vm/value/vm.h"

// A part of a template; empty when from == to.
typedef struct Span {
    const char *from, *to;
} Span;

// A piece of a template: literal text, then perhaps a field. A doubled brace ends the literal with one of the two.
typedef struct FormatPiece {
    Span literal;
    bool has_field;
    Span name, spec;
    uint32_t conversion; // the character after '!'; 0 when there is none
    bool has_fields;
} FormatPiece;

// Reads the next piece and moves format->from past it. ST_STOP: the end. ST_ERROR: ValueError.
Status format_next_piece(Vm *vm, Span *format, FormatPiece *out);

// Reads the first part of a field's name: empty, a number (index >= 0) or a key (index == -1).
Status format_first_name(Vm *vm, Span *name, Span *first, int64_t *index);

// A later part of a field's name: `.name` or `[key]`; index >= 0 if the key is a number. format_next_step reads the
// next one; ST_STOP at the end.
typedef struct FormatStep {
    bool attribute;
    Span name;
    int64_t index;
} FormatStep;
Status format_next_step(Vm *vm, Span *name, FormatStep *out);

#endif
