// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cells that were run, in this session and in earlier ones, which are kept in a file.

#ifndef NACRE_HOSTS_JUPYTER_HISTORY_H
#define NACRE_HOSTS_JUPYTER_HISTORY_H

#include <jansson.h>
#include <stddef.h>

typedef struct HistoryEntry {
    long session; // counted from 1; the current session has the largest number
    int line;
    char *input, *output; // owned; `output` is the text of the cell's value, or NULL
} HistoryEntry;

typedef struct History {
    HistoryEntry *entries; // owned
    size_t count, cap;
    long session;          // number of the current session; 0: earlier ones have not been read yet
    char *path;            // owned; NULL: there is no file
} History;

void history_open(History *history); // finds the file, without reading it
void history_close(History *history);
// Adds a cell, also to the file. Errors are ignored.
void history_add(History *history, int line, const char *input, const char *output);
// Returns the content of a history_reply.
json_t *history_reply(History *history, const json_t *request);

#endif
