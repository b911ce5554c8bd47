// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The grammar of str.format's templates.

#include "vm/value/str_fields.h"

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

static Status bad(Vm *vm, const char *what) {
    return vm_raise(vm, EXC_ValueError, "%s", what);
}

// Reads up to a brace. A doubled brace ends the literal with one of the two.
static Status read_literal(Vm *vm, Span *format, FormatPiece *out) {
    const char *at = format->from, *end = format->to;
    while (at < end && *at != '{' && *at != '}') at++;
    out->literal = (Span){format->from, at};
    format->from = at < end ? at + 1 : end;
    if (at == end) return ST_OK;
    if (at + 1 < end && at[1] == *at) {
        out->literal.to = at + 1;
        format->from = at + 2;
        return ST_OK;
    }
    if (*at == '}') return bad(vm, "Single '}' encountered in format string");
    if (at + 1 == end) return bad(vm, "Single '{' encountered in format string");
    out->has_field = true;
    return ST_OK;
}

// Reads a name up to `}`, `:` or `!`, which is returned; 0 at the end, -1 for an error.
static int read_name(Vm *vm, Span *format, Span *name) {
    const char *at = format->from, *end = format->to;
    name->from = at;
    for (; at < end; at++) {
        char c = *at;
        if (c == '{') {
            bad(vm, "unexpected '{' in field name");
            return -1;
        }
        if (c == '[')
            while (at < end && *at != ']') at++;
        if (c == '}' || c == ':' || c == '!') {
            name->to = at;
            format->from = at + 1;
            return c;
        }
        if (at == end) break;
    }
    format->from = name->to = end;
    return 0;
}

// Reads `x}` or `x:` after a `!`. *more tells whether a specification follows.
static Status read_conversion(Vm *vm, Span *format, FormatPiece *out, bool *more) {
    *more = true;
    if (format->from == format->to)
        return bad(vm, "end of string while looking for conversion specifier");
    out->conversion = str_next(&format->from, format->to);
    if (format->from == format->to) return ST_OK;
    char c = *format->from++;
    *more = c != '}';
    return c == '}' || c == ':' ? ST_OK : bad(vm, "expected ':' after conversion specifier");
}

static Status read_spec(Vm *vm, Span *format, FormatPiece *out) {
    const char *at = format->from;
    for (int depth = 1; at < format->to; at++) {
        if (*at == '{') {
            out->has_fields = true;
            depth++;
        } else if (*at == '}' && --depth == 0) {
            out->spec = (Span){format->from, at};
            format->from = at + 1;
            return ST_OK;
        }
    }
    return bad(vm, "unmatched '{' in format spec");
}

Status format_next_piece(Vm *vm, Span *format, FormatPiece *out) {
    *out = (FormatPiece){.conversion = 0};
    if (format->from == format->to) return ST_STOP;
    Status st = read_literal(vm, format, out);
    if (st != ST_OK || !out->has_field) return st;
    int stop = read_name(vm, format, &out->name);
    if (stop < 0) return ST_ERROR;
    if (stop == 0) return bad(vm, "expected '}' before end of string");
    bool more = stop == ':';
    if (stop == '!') st = read_conversion(vm, format, out, &more);
    return st == ST_OK && more ? read_spec(vm, format, out) : st;
}

// Reads a number in decimal digits (of any script); -1 if the text is none.
static Status read_index(Vm *vm, Span text, int64_t *out) {
    int64_t value = text.from < text.to ? 0 : -1;
    *out = -1;
    for (const char *at = text.from; at < text.to;) {
        int digit = uni_decimal(str_next(&at, text.to));
        if (digit < 0) return ST_OK;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return bad(vm, "Too many decimal digits in format string");
    }
    *out = value;
    return ST_OK;
}

static Span read_until_step(Span *name) {
    Span part = {name->from, name->from};
    while (part.to < name->to && *part.to != '.' && *part.to != '[') part.to++;
    name->from = part.to;
    return part;
}

Status format_first_name(Vm *vm, Span *name, Span *first, int64_t *index) {
    *first = read_until_step(name);
    return read_index(vm, *first, index);
}

static Status read_key(Vm *vm, Span *name, FormatStep *out) {
    const char *at = name->from;
    while (at < name->to && *at != ']') at++;
    if (at == name->to) return bad(vm, "Missing ']' in format string");
    out->name = (Span){name->from, at};
    name->from = at + 1;
    return read_index(vm, out->name, &out->index);
}

Status format_next_step(Vm *vm, Span *name, FormatStep *out) {
    if (name->from == name->to) return ST_STOP;
    *out = (FormatStep){.attribute = *name->from == '.', .index = -1};
    Status st = ST_OK;
    char c = *name->from++;
    if (c == '.')
        out->name = read_until_step(name);
    else if (c == '[')
        st = read_key(vm, name, out);
    else
        st = bad(vm, "Only '.' or '[' may follow ']' in format field specifier");
    if (st == ST_OK && out->name.from == out->name.to)
        st = bad(vm, "Empty attribute in format string");
    return st;
}
