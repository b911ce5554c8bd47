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
void text_clear(Text *text); // empty, and not failed
void text_free(Text *text);
const char *text_string(const Text *text); // "" when there is nothing

// Adds all of a file; false with errno when it cannot be read.
bool text_read_file(Text *text, const char *path);

#endif
