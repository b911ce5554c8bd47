// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The cells that were run: those of this session, and those of earlier ones, which a file keeps.

#ifndef NACRE_HOSTS_JUPYTER_HISTORY_H
#define NACRE_HOSTS_JUPYTER_HISTORY_H

#include <jansson.h>
#include <stddef.h>

typedef struct HistoryEntry {
    long session; // from 1; the last one is this
    int line;
    char *input, *output; // owned; output: the text of the cell's value, or NULL
} HistoryEntry;

typedef struct History {
    HistoryEntry *entries; // owned
    size_t count, cap;
    long session;          // this one's number; 0: earlier ones were not read yet
    char *path;            // owned; NULL: no file
} History;

void history_open(History *history); // finds the file; reads nothing
void history_close(History *history);
// Adds a cell, to the file too. What has no room is not kept.
void history_add(History *history, int line, const char *input, const char *output);
// The content of a history_reply.
json_t *history_reply(History *history, const json_t *request);

#endif
