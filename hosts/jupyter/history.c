// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The history file $XDG_DATA_HOME/nacre/notebook_history has a line of JSON per cell: [session, line, input]. It is
// read when the history is first requested or extended.

#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 10000, LINE_MOST = 1 << 20, PATH_MOST = 4096 };

// --- Entries ---------------------------------------------------------------------------------------

static void entry_free(HistoryEntry *entry) {
    free(entry->input);
    free(entry->output);
}

static bool append(History *h, long session, int line, const char *input, const char *output) {
    if (h->count == h->cap) {
        size_t cap = h->cap ? 2 * h->cap : 64;
        HistoryEntry *entries = realloc(h->entries, cap * sizeof *entries);
        if (!entries) return false;
        h->entries = entries;
        h->cap = cap;
    }
    HistoryEntry entry = {session, line, strdup(input), output ? strdup(output) : NULL};
    if (!entry.input) {
        entry_free(&entry);
        return false;
    }
    h->entries[h->count++] = entry;
    return true;
}

// --- The file --------------------------------------------------------------------------------------

static bool make_folder(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int made = mkdir(path, 0700);
        *slash = '/';
        if (made != 0 && errno != EEXIST) return false;
    }
    return true;
}

void history_open(History *h) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char path[PATH_MOST];
    bool in_data = data && *data == '/';
    int len = snprintf(path, sizeof path, in_data ? "%s/nacre/notebook_history" : "%s/.local/share/nacre/notebook_history",
                       in_data ? data : home ? home : "");
    *h = (History){0};
    if ((in_data || (home && *home == '/')) && len > 0 && len < (int)sizeof path) h->path = strdup(path);
}

static void take_line(History *h, const char *text, size_t len) {
    json_t *row = json_loadb(text, len, 0, NULL);
    json_int_t session = json_integer_value(json_array_get(row, 0)), line = json_integer_value(json_array_get(row, 1));
    const char *input = json_string_value(json_array_get(row, 2));
    if (session > 0 && session < 1000000000 && line > 0 && line < 1000000000 && input)
        append(h, (long)session, (int)line, input, NULL);
    json_decref(row);
}

// Keeps only the last KEPT cells.
static void forget_oldest(History *h) {
    size_t more = h->count > KEPT ? h->count - KEPT : 0;
    for (size_t i = 0; i < more; i++) entry_free(&h->entries[i]);
    if (more) memmove(h->entries, h->entries + more, KEPT * sizeof *h->entries);
    h->count -= more;
}

static void read_earlier(History *h) {
    if (h->session) return;
    FILE *file = h->path ? fopen(h->path, "re") : NULL;
    char *text = file ? malloc(LINE_MOST) : NULL;
    while (text && fgets(text, LINE_MOST, file)) take_line(h, text, strlen(text));
    free(text);
    if (file) fclose(file);
    forget_oldest(h);
    for (size_t i = 0; i < h->count; i++)
        if (h->entries[i].session > h->session) h->session = h->entries[i].session;
    h->session++;
}

// Appends an entry to the file by a single write, so that several kernels can share the file.
static void write_entry(const History *h, const HistoryEntry *entry) {
    json_t *row = json_pack("[I, i, s]", (json_int_t)entry->session, entry->line, entry->input);
    char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;
    size_t len = text ? strlen(text) : 0;
    int file = -1;
    if (text && len < LINE_MOST - 1 && make_folder(h->path))
        file = open(h->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        text[len] = '\n'; // overwrites the NUL
        ssize_t ignored = write(file, text, len + 1);
        (void)ignored; // a history that cannot be saved is no error of the cell
        close(file);
    }
    free(text);
    json_decref(row);
}

void history_add(History *h, int line, const char *input, const char *output) {
    read_earlier(h);
    if (append(h, h->session, line, input, output) && h->path) write_entry(h, &h->entries[h->count - 1]);
}

void history_close(History *h) {
    for (size_t i = 0; i < h->count; i++) entry_free(&h->entries[i]);
    free(h->entries);
    free(h->path);
    *h = (History){0};
}

// --- Requests --------------------------------------------------------------------------------------

// A parsed history_request.
typedef struct Query {
    const char *pattern; // NULL: any input
    long session;
    long start, stop, most; // lines from `start` to before `stop`; at most the last `most` entries
    bool with_output, unique, any_session;
} Query;

static long number(const json_t *request, const char *name, long otherwise) {
    const json_t *value = json_object_get(request, name);
    json_int_t n = json_is_integer(value) ? json_integer_value(value) : otherwise;
    return n < -1000000000 ? -1000000000 : n > 1000000000 ? 1000000000 : (long)n;
}

static bool matches(const Query *query, const HistoryEntry *entry) {
    if (query->pattern) return fnmatch(query->pattern, entry->input, 0) == 0;
    return query->any_session || (entry->session == query->session && entry->line >= query->start && entry->line < query->stop);
}

// Returns whether a later entry has the same input.
static bool comes_again(const History *h, size_t at) {
    for (size_t i = at + 1; i < h->count; i++)
        if (strcmp(h->entries[i].input, h->entries[at].input) == 0) return true;
    return false;
}

static json_t *entry_row(const History *h, const HistoryEntry *entry, bool with_output) {
    long session = entry->session == h->session ? 0 : entry->session;
    if (!with_output) return json_pack("[i, i, s]", (int)session, entry->line, entry->input);
    return json_pack("[i, i, [s, s?]]", (int)session, entry->line, entry->input, entry->output);
}

static json_t *find(const History *h, const Query *query) {
    json_t *rows = json_array();
    long found = 0;
    size_t at = h->count;
    for (; at > 0 && found < query->most; at--)
        found += matches(query, &h->entries[at - 1]) && !(query->unique && comes_again(h, at - 1));
    for (; rows && at < h->count; at++) {
        const HistoryEntry *entry = &h->entries[at];
        if (matches(query, entry) && !(query->unique && comes_again(h, at)))
            json_array_append_new(rows, entry_row(h, entry, query->with_output));
    }
    return rows;
}

json_t *history_reply(History *h, const json_t *request) {
    enum { ALL = 1000000000 };
    const char *kind = json_string_value(json_object_get(request, "hist_access_type"));
    Query query = {.with_output = json_is_true(json_object_get(request, "output")),
                   .unique = json_is_true(json_object_get(request, "unique")),
                   .most = number(request, "n", ALL)};
    read_earlier(h);
    if (kind && strcmp(kind, "range") == 0) {
        long session = number(request, "session", 0);
        query.session = session <= 0 ? h->session + session : session;
        query.start = number(request, "start", 0);
        query.stop = number(request, "stop", ALL);
        query.most = ALL;
    } else if (kind && strcmp(kind, "search") == 0) {
        query.pattern = json_string_value(json_object_get(request, "pattern"));
        query.any_session = !query.pattern;
    } else {
        query.any_session = true;
    }
    return json_pack("{s:s, s:o}", "status", "ok", "history", find(h, &query));
}
