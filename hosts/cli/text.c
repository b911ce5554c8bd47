// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Growing text.

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static bool make_room(Text *text, size_t more) {
    if (text->cap - text->len > more) return true;
    size_t cap = 2 * text->cap + more + 64;
    char *bytes = realloc(text->bytes, cap);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->cap = cap;
    return true;
}

void text_add(Text *text, const char *bytes, size_t len) {
    if (!make_room(text, len)) return;
    if (len) memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
    text->bytes[text->len] = '\0';
}

int text_write(void *text, int stream, const char *bytes, size_t len) {
    (void)stream;
    text_add(text, bytes, len);
    return ((Text *)text)->failed ? -1 : 0;
}

void text_puts(Text *text, const char *string) {
    text_add(text, string, strlen(string));
}

void text_printf(Text *text, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    if (len >= 0 && make_room(text, (size_t)len + 1)) {
        vsnprintf(text->bytes + text->len, (size_t)len + 1, format, again);
        text->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
}

size_t text_width(const char *bytes, size_t len) {
    size_t width = 0;
    for (size_t i = 0; i < len; i++) width += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    return width;
}

void text_pad(Text *text, size_t from, size_t width) {
    if (from > text->len) return;
    for (size_t is = text_width(text_string(text) + from, text->len - from); is < width; is++)
        text_puts(text, " ");
}

void text_put_cut(const char *line, size_t len, size_t width, Text *out) {
    size_t from = out->len, kept = 0;
    bool cut = text_width(line, len) > width;
    for (size_t columns = 0; kept < len; kept++) {
        bool begins = ((unsigned char)line[kept] & 0xC0) != 0x80;
        if (begins && columns++ == width - cut) break;
    }
    text_add(out, line, kept);
    if (cut) text_puts(out, "…");
    text_pad(out, from, width);
}

void text_clear(Text *text) {
    text->len = 0;
    text->failed = false;
    if (text->bytes) text->bytes[0] = '\0';
}

void text_free(Text *text) {
    free(text->bytes);
    *text = (Text){0};
}

const char *text_string(const Text *text) {
    return text->bytes ? text->bytes : "";
}

bool text_read_file(Text *text, const char *path) {
    char block[16 * 1024];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n;
    while ((n = fread(block, 1, sizeof block, file)) > 0) text_add(text, block, n);
    int error = ferror(file) ? errno : text->failed ? ENOMEM : 0;
    fclose(file);
    errno = error;
    return error == 0;
}
