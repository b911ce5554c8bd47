// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text as source: repr(str) and ascii().

#include <string.h>

#include "vm/value/str_impl.h"
#include "vm/value/unicode.h"

static void put_hex(Buf *out, char letter, uint32_t cp, int digits) {
    buf_putc(out, '\\');
    buf_putc(out, letter);
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        buf_putc(out, "0123456789abcdef"[cp >> shift & 15]);
}

static void put_escape(Buf *out, uint32_t cp) {
    switch (cp) {
    case '\n': buf_puts(out, "\\n"); break;
    case '\r': buf_puts(out, "\\r"); break;
    case '\t': buf_puts(out, "\\t"); break;
    default:
        if (cp < 0x100)
            put_hex(out, 'x', cp, 2);
        else if (cp < 0x10000)
            put_hex(out, 'u', cp, 4);
        else
            put_hex(out, 'U', cp, 8);
    }
}

static void put_char(Buf *out, char quote, const char *at, int width, uint32_t cp) {
    if (cp == (uint32_t)quote || cp == '\\') {
        buf_putc(out, '\\');
        buf_putc(out, (char)cp);
    } else if (cp < 128 ? cp >= ' ' && cp < 127 : uni_is(cp, UNI_PRINTABLE)) {
        buf_put(out, at, (size_t)width);
    } else {
        put_escape(out, cp);
    }
}

static bool needs_care(signed char c, char quote) {
    return c < ' ' || c == 127 || c == quote || c == '\\'; // c is signed: not ASCII, too
}

// Writes single quotes around the text, unless it has some and no double ones.
void str_repr(const Str *s, Buf *out) {
    bool single = memchr(s->data, '\'', s->len) != NULL;
    char quote = single && !memchr(s->data, '"', s->len) ? '"' : '\'';
    buf_putc(out, quote);
    const char *end = str_end(s);
    for (const char *at = s->data; at < end;) {
        const char *plain = at;
        while (at < end && !needs_care((signed char)*at, quote)) at++;
        buf_put(out, plain, (size_t)(at - plain));
        if (at == end) break;
        int width;
        uint32_t cp = str_decode(at, end, &width);
        put_char(out, quote, at, width, cp);
        at += width;
    }
    buf_putc(out, quote);
}

void str_escape_ascii(const char *bytes, size_t len, Buf *out) {
    for (const char *at = bytes, *end = bytes + len; at < end;) {
        uint32_t cp = str_next(&at, end);
        if (cp < 128)
            buf_putc(out, (char)cp);
        else
            put_escape(out, cp);
    }
}
