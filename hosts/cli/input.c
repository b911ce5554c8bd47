// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Standard input by lines. The prompt and input() share one buffer, so that neither loses what the other has read
// ahead.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { BLOCK = 16 * 1024 };

static bool make_room(Input *input) {
    if (input->at > 0) {
        memmove(input->bytes, input->bytes + input->at, input->len - input->at);
        input->len -= input->at;
        input->at = 0;
    }
    if (input->cap - input->len >= BLOCK) return true;
    size_t cap = 2 * input->cap + BLOCK;
    char *bytes = realloc(input->bytes, cap);
    if (!bytes) return false;
    input->bytes = bytes;
    input->cap = cap;
    return true;
}

static long read_more(Input *input) {
    if (!make_room(input)) return -1; // errno is ENOMEM
    bool terminal = isatty(STDIN_FILENO);
    long n = interrupt_read(input->bytes + input->len, input->cap - input->len, terminal);
    if (n > 0) input->len += (size_t)n;
    if (n < 0 && terminal) input->len = input->at = 0; // Ctrl-C discards what was typed
    return n;
}

static long take(Input *input, size_t len, const char **line) {
    *line = input->bytes + input->at;
    input->at += len;
    return (long)len;
}

long input_line(Input *input, const char **line) {
    for (size_t scanned = 0;;) {
        size_t have = input->len - input->at;
        const char *start = input->bytes + input->at;
        const char *newline = have > scanned ? memchr(start + scanned, '\n', have - scanned) : NULL;
        if (newline) return take(input, (size_t)(newline + 1 - start), line);
        scanned = have;
        long n = read_more(input);
        if (n < 0) return -1;
        if (n == 0) return take(input, have, line);
    }
}

long input_byte(Input *input, char *byte) {
    if (input->at < input->len) {
        *byte = input->bytes[input->at++];
        return 1;
    }
    return interrupt_read(byte, 1, true);
}

long input_all(Input *input, char **text) {
    long n;
    while ((n = read_more(input)) > 0) {}
    if (n < 0) return -1;
    *text = input->bytes; // not owned until here: read_more has moved the bytes to the buffer's start
    n = (long)input->len;
    *input = (Input){0};
    return n;
}

void input_free(Input *input) {
    free(input->bytes);
    *input = (Input){0};
}
