// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lines of the program that a report is about.

#ifndef NACRE_HOSTS_CLI_SOURCE_H
#define NACRE_HOSTS_CLI_SOURCE_H

#include "text.h"

typedef struct Source {
    const char *name; // as the library calls the file
    Text text;        // empty: cannot be had
} Source;

// Reads a file; `code`, where not NULL, is the text instead.
void source_open(Source *source, const char *name, const char *code);
void source_close(Source *source);
// Line `number` (from 1) without indentation and newline; its length through *len.
const char *source_line(const Source *source, int number, size_t *len);
// Adds as much of a line as fits into `width` columns, the rest of which is blank.
void source_put(const Source *source, int number, size_t width, Text *out);

#endif
