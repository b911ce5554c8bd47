// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A growing byte buffer. Failure is sticky: after one failed growth every append does nothing and
// `failed` stays set, so callers check once at the end.

#ifndef NACRE_LANG_SUPPORT_BUF_H
#define NACRE_LANG_SUPPORT_BUF_H

#include <stdarg.h>

#include "lang/support/mem.h"

typedef struct Buf {
    Mem *mem;
    char *data; // not NUL-terminated; NULL while empty
    size_t len, cap;
    bool failed; // an append ran out of memory, or was refused by mem_stop
} Buf;

void buf_init(Buf *buf, Mem *mem);
void buf_free(Buf *buf);

void buf_put(Buf *buf, const char *bytes, size_t len);
void buf_putc(Buf *buf, char c);
void buf_puts(Buf *buf, const char *text); // NUL-terminated
void buf_fill(Buf *buf, char c, size_t count);
void buf_utf8(Buf *buf, uint32_t code_point); // lone surrogates are written as three bytes
void buf_printf(Buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(Buf *buf, const char *format, va_list args);

#endif
