// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Errors for notebooks: the text that Python would print, with places and the exception's name in colour.

#include <string.h>

#include "kernel.h"

#define RED "\x1b[31m"
#define BOLD_RED "\x1b[1;31m"
#define GREEN "\x1b[32m"
#define CYAN "\x1b[36m"
#define PLAIN "\x1b[0m"

static bool starts_with(const char *line, size_t len, const char *start) {
    size_t n = strlen(start);
    return len >= n && memcmp(line, start, n) == 0;
}

// Returns whether a line marks a part of the line above: it has only blanks, carets and tildes.
static bool is_mark(const char *line, size_t len) {
    return memchr(line, '^', len) && strspn(line, " ^~") >= len;
}

// Returns the colour of a line by its kind; "" for a line of the program.
static const char *colour_of(const char *line, size_t len) {
    if (starts_with(line, len, "Traceback ")) return RED;
    if (starts_with(line, len, "  File ")) return GREEN;
    if (is_mark(line, len)) return BOLD_RED;
    return len && line[0] != ' ' ? CYAN : "";
}

// Adds a line. If it is the message, only the exception's name is coloured.
static void add_line(json_t *lines, const char *line, size_t len) {
    const char *colour = colour_of(line, len);
    const char *colon = memchr(line, ':', len);
    size_t head = len;
    if (strcmp(colour, CYAN) == 0) {
        colour = BOLD_RED;
        if (colon) head = (size_t)(colon - line);
    }
    json_t *first = wire_text(line, head), *rest = wire_text(line + head, len - head);
    json_t *text = *colour ? json_sprintf("%s%s" PLAIN "%s", colour, json_string_value(first), json_string_value(rest))
                           : json_incref(first);
    json_array_append_new(lines, text);
    json_decref(first);
    json_decref(rest);
}

json_t *traceback_lines(const char *text, size_t len) {
    json_t *lines = json_array();
    while (lines && len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t n = end ? (size_t)(end - text) : len;
        add_line(lines, text, n);
        n += end ? 1 : 0;
        text += n;
        len -= n;
    }
    return lines;
}
