// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Lines of the program for reports.

#include <string.h>

#include "source.h"

void source_open(Source *source, const char *name, const char *code) {
    *source = (Source){.name = name};
    if (code) text_puts(&source->text, code);
    else if (!text_read_file(&source->text, name)) text_clear(&source->text);
}

void source_close(Source *source) {
    text_free(&source->text);
}

const char *source_line(const Source *source, int number, size_t *len) {
    const char *at = text_string(&source->text);
    for (int i = 1; i < number && at; i++) {
        at = strchr(at, '\n');
        if (at) at++;
    }
    if (!at) at = "";
    at += strspn(at, " \t");
    *len = strcspn(at, "\r\n");
    return at;
}

void source_put(const Source *source, int number, size_t width, Text *out) {
    size_t len;
    const char *line = source_line(source, number, &len);
    text_put_cut(line, len, width, out);
}
