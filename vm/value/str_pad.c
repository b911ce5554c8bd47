// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of str that add or take away at the sides: strip and its family, center, ljust, rjust,
// zfill; and expandtabs.

#include <string.h>

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

// --- strip -------------------------------------------------------------------------------------

enum { LEFT = 1, RIGHT = 2 };

// Returns whether a character (of `width` bytes) is to be stripped. chars == NULL: white space.
static bool strips(const Str *chars, const char *at, int width) {
    if (chars && width == 1) return memchr(chars->data, *at, chars->len) != NULL;
    uint32_t cp = str_decode(at, at + width, &width);
    if (!chars) return uni_is(cp, UNI_SPACE);
    for (const char *c = chars->data; c < str_end(chars); c += utf8_width(*c))
        if (utf8_width(*c) == width && memcmp(c, at, (size_t)width) == 0) return true;
    return false;
}

static Status strip_method(Vm *vm, const Value *args, const char *name, int sides, Value *out) {
    Str *s = self_str(args), *chars = str_of(args[1]);
    if (!chars && args[1].kind != K_NONE)
        return vm_raise(vm, EXC_TypeError, "%s arg must be None or str", name);
    const char *from = s->data, *to = str_end(s);
    for (size_t n = 0; sides & LEFT && from < to && strips(chars, from, utf8_width(*from)); n++) {
        from += utf8_width(*from);
        if (vm_poll_at(vm, n) != ST_OK) return ST_ERROR;
    }
    for (size_t n = 0; sides & RIGHT && from < to; n++) {
        if (vm_poll_at(vm, n) != ST_OK) return ST_ERROR;
        int width = utf8_width_before(to);
        if (!strips(chars, to - width, width)) break;
        to -= width;
    }
    if ((size_t)(to - from) == s->len) return str_same(s, out);
    return str_bytes_out(vm, from, (size_t)(to - from), out);
}

Status str_m_strip(Vm *vm, const Value *args, Value *out) {
    return strip_method(vm, args, "strip", LEFT | RIGHT, out);
}

Status str_m_lstrip(Vm *vm, const Value *args, Value *out) {
    return strip_method(vm, args, "lstrip", LEFT, out);
}

Status str_m_rstrip(Vm *vm, const Value *args, Value *out) {
    return strip_method(vm, args, "rstrip", RIGHT, out);
}

// --- Padding -----------------------------------------------------------------------------------

static void put_fill(Buf *buf, const Str *fill, int64_t count) {
    if (fill->len == 1) {
        buf_fill(buf, fill->data[0], (size_t)count);
        return;
    }
    for (; count > 0 && !buf->failed; count--) buf_put(buf, fill->data, fill->len);
}

static Status pad_args(Vm *vm, const Value *args, int64_t *width, Str **fill) {
    Status st = str_arg_size(vm, args[1], width);
    if (st != ST_OK) return st;
    *fill = str_of(args[2]);
    if (!*fill)
        return vm_raise(vm, EXC_TypeError, "The fill character must be a unicode character, not %s",
                        type_name(vm, args[2]));
    if ((*fill)->chars != 1)
        return vm_raise(vm, EXC_TypeError,
                        "The fill character must be exactly one character long");
    return ST_OK;
}

static Status padded(Vm *vm, Str *s, const Str *fill, int64_t left, int64_t right, Value *out) {
    Buf buf;
    buf_init(&buf, &vm->mem);
    put_fill(&buf, fill, left);
    buf_put(&buf, s->data, s->len);
    put_fill(&buf, fill, right);
    return str_buf_out(vm, &buf, out);
}

Status str_m_ljust(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *fill;
    int64_t width;
    Status st = pad_args(vm, args, &width, &fill);
    if (st != ST_OK) return st;
    if (width <= s->chars) return str_same(s, out);
    return padded(vm, s, fill, 0, width - s->chars, out);
}

Status str_m_rjust(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *fill;
    int64_t width;
    Status st = pad_args(vm, args, &width, &fill);
    if (st != ST_OK) return st;
    if (width <= s->chars) return str_same(s, out);
    return padded(vm, s, fill, width - s->chars, 0, out);
}

// If the padding is odd, its extra character goes to the left when the width is odd, as in CPython.
Status str_m_center(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args), *fill;
    int64_t width;
    Status st = pad_args(vm, args, &width, &fill);
    if (st != ST_OK) return st;
    if (width <= s->chars) return str_same(s, out);
    int64_t margin = width - s->chars;
    int64_t left = margin / 2 + (margin & width & 1);
    return padded(vm, s, fill, left, margin - left, out);
}

Status str_m_zfill(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    int64_t width;
    Status st = str_arg_size(vm, args[1], &width);
    if (st != ST_OK) return st;
    if (width <= s->chars) return str_same(s, out);
    size_t sign = s->len && (s->data[0] == '+' || s->data[0] == '-');
    Buf buf;
    buf_init(&buf, &vm->mem);
    buf_put(&buf, s->data, sign);
    buf_fill(&buf, '0', (size_t)(width - s->chars));
    buf_put(&buf, s->data + sign, s->len - sign);
    return str_buf_out(vm, &buf, out);
}

// --- expandtabs --------------------------------------------------------------------------------

Status str_m_expandtabs(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    int64_t size = 0, column = 0;
    bool big = unwrap(args[1]).kind == K_BIGINT;
    Status st = big ? ST_OK : str_arg_size(vm, args[1], &size);
    if (st != ST_OK) return st;
    if (big || size > INT32_MAX || size < INT32_MIN)
        return vm_raise(vm, EXC_OverflowError, "Python int too large to convert to C int");
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (const char *at = s->data; at < str_end(s) && !buf.failed;) {
        int width = utf8_width(*at);
        if (*at == '\t') {
            int64_t spaces = size > 0 ? size - column % size : 0;
            buf_fill(&buf, ' ', (size_t)spaces);
            column += spaces;
        } else {
            buf_put(&buf, at, (size_t)width);
            column = *at == '\n' || *at == '\r' ? 0 : column + 1;
        }
        at += width;
    }
    return str_buf_out(vm, &buf, out);
}
