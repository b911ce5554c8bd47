// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Growing text.

#ifndef NACRE_HOSTS_CLI_TEXT_H
#define NACRE_HOSTS_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// A zeroed Text is empty. `bytes` is NULL or NUL-terminated; `len` does not count the NUL.
typedef struct Text {
    char *bytes; // owned; text_free frees it
    size_t len, cap;
    bool failed; // memory ran out, so the text is incomplete
} Text;

void text_add(Text *text, const char *bytes, size_t len);
void text_puts(Text *text, const char *string);
int text_write(void *text, int stream, const char *bytes, size_t len); // a NacreWriteFn that appends
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Appends spaces until the part from byte `from` on is `width` columns wide.
void text_pad(Text *text, size_t from, size_t width);
size_t text_width(const char *bytes, size_t len); // returns the number of columns, which is that of UTF-8 code points
void text_clear(Text *text); // empties the text and clears `failed`
void text_free(Text *text);
const char *text_string(const Text *text); // returns "" if there are no bytes

// Appends as much of a line as fits into `width` columns, and fills the rest with spaces.
void text_put_cut(const char *line, size_t len, size_t width, Text *out);

// Appends the contents of a file. Returns false, with errno, if it cannot be read.
bool text_read_file(Text *text, const char *path);

#endif
