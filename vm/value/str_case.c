// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Methods of str that change case.

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

static void put_mapped(Buf *out, UniMap map, uint32_t cp) {
    uint32_t to[3];
    int count = map(cp, to);
    for (int i = 0; i < count; i++) buf_utf8(out, to[i]);
}

// --- Final sigma -------------------------------------------------------------------------------
//
// A capital sigma becomes U+03C2 at the end of a word: after a cased character and not before one,
// case-ignorable characters being skipped both ways (Unicode's Final_Sigma).

enum { SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

static bool cased_before(const Str *s, const char *at) {
    while (at > s->data) {
        at -= utf8_width_before(at);
        int width;
        uint32_t cp = str_decode(at, str_end(s), &width);
        if (!uni_is(cp, UNI_CASE_IGNORABLE)) return uni_is_cased(cp);
    }
    return false;
}

static bool cased_after(const Str *s, const char *at) {
    while (at < str_end(s)) {
        uint32_t cp = str_next(&at, str_end(s));
        if (!uni_is(cp, UNI_CASE_IGNORABLE)) return uni_is_cased(cp);
    }
    return false;
}

// Appends the lower case of cp, which ends at `after`.
static void put_lower(Buf *out, const Str *s, uint32_t cp, const char *after) {
    if (cp != SIGMA) {
        put_mapped(out, uni_to_lower, cp);
        return;
    }
    bool final = cased_before(s, after - utf8_width_before(after)) && !cased_after(s, after);
    buf_utf8(out, final ? FINAL_SIGMA : SMALL_SIGMA);
}

// --- Whole texts -------------------------------------------------------------------------------

static char ascii_upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}
static char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static Str *ascii_like(Vm *vm, const Str *s) {
    Str *copy = str_alloc(vm, s->len);
    if (copy) copy->obj.aux |= STR_ASCII;
    return copy;
}

Status str_m_upper(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    if (str_is_ascii(s)) {
        Str *to = ascii_like(vm, s);
        for (size_t i = 0; to && i < s->len; i++) to->data[i] = ascii_upper(s->data[i]);
        return str_out(vm, to, out);
    }
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (const char *at = s->data; at < str_end(s) && !buf.failed;)
        put_mapped(&buf, uni_to_upper, str_next(&at, str_end(s)));
    return str_buf_out(vm, &buf, out);
}

Status str_m_lower(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    if (str_is_ascii(s)) {
        Str *to = ascii_like(vm, s);
        for (size_t i = 0; to && i < s->len; i++) to->data[i] = ascii_lower(s->data[i]);
        return str_out(vm, to, out);
    }
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (const char *at = s->data; at < str_end(s) && !buf.failed;) {
        uint32_t cp = str_next(&at, str_end(s));
        put_lower(&buf, s, cp, at);
    }
    return str_buf_out(vm, &buf, out);
}

Status str_m_casefold(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    if (str_is_ascii(s)) return str_m_lower(vm, args, out);
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (const char *at = s->data; at < str_end(s) && !buf.failed;)
        put_mapped(&buf, uni_to_fold, str_next(&at, str_end(s)));
    return str_buf_out(vm, &buf, out);
}

Status str_m_capitalize(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    Buf buf;
    buf_init(&buf, &vm->mem);
    const char *at = s->data, *end = str_end(s);
    if (at < end) put_mapped(&buf, uni_to_title, str_next(&at, end));
    while (at < end && !buf.failed) {
        uint32_t cp = str_next(&at, end);
        put_lower(&buf, s, cp, at);
    }
    return str_buf_out(vm, &buf, out);
}

Status str_m_swapcase(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    Buf buf;
    buf_init(&buf, &vm->mem);
    for (const char *at = s->data; at < str_end(s) && !buf.failed;) {
        uint32_t cp = str_next(&at, str_end(s));
        if (uni_is_upper(cp))
            put_lower(&buf, s, cp, at);
        else if (uni_is_lower(cp))
            put_mapped(&buf, uni_to_upper, cp);
        else
            buf_utf8(&buf, cp);
    }
    return str_buf_out(vm, &buf, out);
}

Status str_m_title(Vm *vm, const Value *args, Value *out) {
    Str *s = self_str(args);
    Buf buf;
    buf_init(&buf, &vm->mem);
    bool inside = false; // of a word: the previous character is cased
    for (const char *at = s->data; at < str_end(s) && !buf.failed;) {
        uint32_t cp = str_next(&at, str_end(s));
        if (inside)
            put_lower(&buf, s, cp, at);
        else
            put_mapped(&buf, uni_to_title, cp);
        inside = uni_is_cased(cp);
    }
    return str_buf_out(vm, &buf, out);
}
