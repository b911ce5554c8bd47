// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Text that grows.

#ifndef NACRE_HOSTS_CLI_TEXT_H
#define NACRE_HOSTS_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// All zero is an empty text. `bytes` is NULL or ends with a NUL, which does not count.
typedef struct Text {
    char *bytes; // owned: text_free
    size_t len, cap;
    bool failed; // memory ran out: something is missing
} Text;

void text_add(Text *text, const char *bytes, size_t len);
void text_puts(Text *text, const char *string);
int text_write(void *text, int stream, const char *bytes, size_t len); // a NacreWriteFn that adds
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds blanks until the line's last part, which began at byte `from`, takes `width` columns.
void text_pad(Text *text, size_t from, size_t width);
size_t text_width(const char *bytes, size_t len); // columns: code points of UTF-8
void text_clear(Text *text); // empty, and not failed
void text_free(Text *text);
const char *text_string(const Text *text); // "" when there is nothing

// Adds as much of a line as fits into `width` columns, the rest of which is blank.
void text_put_cut(const char *line, size_t len, size_t width, Text *out);

// Adds all of a file; false with errno when it cannot be read.
bool text_read_file(Text *text, const char *path);

#endif
