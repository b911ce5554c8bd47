// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cursor of num_text.h.

#include "vm/value/num_text.h"

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

int num_text_wide(const NumText *t) {
    int width;
    int digit = uni_decimal(str_decode(t->at, t->end, &width));
    return digit < 0 ? NUM_TEXT_OTHER : '0' + digit;
}

void num_text_next(NumText *t) {
    t->at += utf8_width(*t->at);
}

static bool is_space(const char *at, const char *end) {
    int width;
    const unsigned char c = (unsigned char)*at;
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
    return uni_is(str_decode(at, end, &width), UNI_SPACE);
}

void num_text_skip_space(NumText *t) {
    while (t->at < t->end && is_space(t->at, t->end)) num_text_next(t);
}

NumText num_text(const char *text, size_t len) {
    NumText t = {text, text + len};
    num_text_skip_space(&t);
    while (t.end > t.at) {
        const char *last = t.end - utf8_width_before(t.end);
        if (!is_space(last, t.end)) break;
        t.end = last;
    }
    return t;
}

int num_text_after_digit(NumText *t) {
    int c = num_text_peek(t);
    if (c != '_') return c;
    NumText ahead = {t->at + 1, t->end};
    int next = num_text_peek(&ahead);
    if (!is_decimal_digit(next)) return c;
    *t = ahead;
    return next;
}
