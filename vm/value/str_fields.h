// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Taking the template of str.format apart.

#ifndef NACRE_VM_VALUE_STR_FIELDS_H
#define NACRE_VM_VALUE_STR_FIELDS_H

#include "vm/value/vm.h"

// A part of a template; empty when from == to.
typedef struct Span {
    const char *from, *to;
} Span;

// A piece of a template: literal text (braces undoubled by cutting it short), then perhaps a field.
typedef struct FormatPiece {
    Span literal;
    bool has_field;
    Span name, spec;
    uint32_t conversion; // the character after '!'; 0 when there is none
    bool jit_has_fields;
} FormatPiece;

// Reads the next piece and moves template->from behind it; ST_STOP at the end, ValueError.
Status format_next_piece(Vm *vm, Span *format, FormatPiece *out);

// The first part of a field's name: empty, a number (index >= 0) or a key (index == -1).
Status format_first_name(Vm *vm, Span *name, Span *first, int64_t *index);

// One step behind it: `.name` or `[key]`; index >= 0 when the key is a number. ST_STOP at the end.
typedef struct FormatStep {
    bool attribute;
    Span name;
    int64_t index;
} FormatStep;
Status format_next_step(Vm *vm, Span *name, FormatStep *out);

#endif
