// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lines of the program for reports.

#ifndef NACRE_HOSTS_CLI_SOURCE_H
#define NACRE_HOSTS_CLI_SOURCE_H

#include "text.h"

typedef struct Source {
    const char *name; // name of the file in the library's reports
    Text text;        // empty if the source is not available
} Source;

// Reads a file. If `code` is not NULL, it is the text, and no file is read.
void source_open(Source *source, const char *name, const char *code);
void source_close(Source *source);
// Returns line `number`, counted from 1, without its indentation, and sets *len to its length without the newline.
const char *source_line(const Source *source, int number, size_t *len);
// Appends as much of a line as fits into `width` columns, and fills the rest with spaces.
void source_put(const Source *source, int number, size_t width, Text *out);

#endif
