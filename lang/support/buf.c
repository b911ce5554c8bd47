// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The byte buffer of buf.h.

#include "lang/support/buf.h"

#include <stdio.h>
#include <string.h>

void buf_init(Buf *buf, Mem *mem) {
    *buf = (Buf){.mem = mem};
}

void buf_free(Buf *buf) {
    mem_free(buf->mem, buf->data, buf->cap);
    buf->data = NULL;
    buf->len = buf->cap = 0;
}

static bool reserve(Buf *buf, size_t extra) {
    if (buf->failed) return false;
    if (mem_stopped(buf->mem) || extra > SIZE_MAX / 4 ||
        !mem_grow(buf->mem, (void **)&buf->data, &buf->cap, buf->len + extra, 1)) {
        buf->failed = true;
        return false;
    }
    return true;
}

void buf_put(Buf *buf, const char *bytes, size_t len) {
    if (len == 0 || !reserve(buf, len)) return;
    memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
}

void buf_putc(Buf *buf, char c) {
    buf_put(buf, &c, 1);
}

void buf_puts(Buf *buf, const char *text) {
    buf_put(buf, text, strlen(text));
}

void buf_fill(Buf *buf, char c, size_t count) {
    if (count == 0 || !reserve(buf, count)) return;
    memset(buf->data + buf->len, c, count);
    buf->len += count;
}

void buf_utf8(Buf *buf, uint32_t cp) {
    char out[4];
    size_t n = 0;
    if (cp < 0x80) {
        out[n++] = (char)cp;
    } else if (cp < 0x800) {
        out[n++] = (char)(0xC0 | cp >> 6);
    } else if (cp < 0x10000) {
        out[n++] = (char)(0xE0 | cp >> 12);
        out[n++] = (char)(0x80 | (cp >> 6 & 0x3F));
    } else {
        out[n++] = (char)(0xF0 | cp >> 18);
        out[n++] = (char)(0x80 | (cp >> 12 & 0x3F));
        out[n++] = (char)(0x80 | (cp >> 6 & 0x3F));
    }
    if (cp >= 0x80) out[n++] = (char)(0x80 | (cp & 0x3F));
    buf_put(buf, out, n);
}

void buf_vprintf(Buf *buf, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len > 0 && reserve(buf, (size_t)len + 1)) {
        vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
}

void buf_printf(Buf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    buf_vprintf(buf, format, args);
    va_end(args);
}
