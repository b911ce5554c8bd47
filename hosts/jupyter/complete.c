// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Completion of names (by nacre_complete), of parameters of the function that is called, and of files in string
// literals.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../cli/text.h"
#include "place.h"

static void add_match(void *ctx, const char *completion) {
    json_array_append_new(ctx, wire_text(completion, strlen(completion)));
}

// --- Files -------------------------------------------------------------------------------------------

// Returns whether a line ends within a string literal. Sets *start to the first byte after its quote.
static bool is_in_text(const char *line, size_t len, size_t *start) {
    char quote = 0;
    for (size_t i = 0; i < len; i++) {
        if (quote && line[i] == '\\') i++;
        else if (quote && line[i] == quote) quote = 0;
        else if (!quote && line[i] == '#') break;
        else if (!quote && (line[i] == '"' || line[i] == '\'')) {
            quote = line[i];
            *start = i + 1;
        }
    }
    return quote;
}

static void add_file(json_t *matches, const char *folder, const struct dirent *entry) {
    Text path = {0}, name = {0};
    struct stat about;
    text_printf(&path, "%s/%s", *folder ? folder : ".", entry->d_name);
    bool is_folder = stat(text_string(&path), &about) == 0 && S_ISDIR(about.st_mode);
    text_printf(&name, "%s%s", entry->d_name, is_folder ? "/" : "");
    add_match(matches, text_string(&name));
    text_free(&path);
    text_free(&name);
}

// Adds the files whose paths begin like the text from *start on. Sets *start to the beginning of the path's last
// component.
static void complete_file(const char *line, size_t len, size_t *start, json_t *matches) {
    Text folder = {0};
    size_t from = *start, part = len;
    const char *home = from < len && line[from] == '~' ? getenv("HOME") : NULL;
    while (part > from && line[part - 1] != '/') part--;
    *start = part;
    if (home) text_puts(&folder, home);
    if (home) from++;
    if (part > from) text_add(&folder, line + from, part - from);
    DIR *listing = opendir(folder.len ? text_string(&folder) : ".");
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        bool hidden = entry->d_name[0] == '.' && (part == len || line[part] != '.');
        if (!hidden && strncmp(entry->d_name, line + part, len - part) == 0) add_file(matches, text_string(&folder), entry);
    }
    if (listing) closedir(listing);
    text_free(&folder);
}

static int by_text(const void *a, const void *b) {
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

static json_t *sorted(json_t *matches) {
    size_t count = json_array_size(matches);
    json_t **items = malloc((count + 1) * sizeof *items), *made = json_array();
    for (size_t i = 0; items && i < count; i++) items[i] = json_array_get(matches, i);
    if (items) qsort(items, count, sizeof *items, by_text);
    for (size_t i = 0; items && i < count; i++) json_array_append(made, items[i]);
    free(items);
    json_decref(matches);
    return made;
}

// --- Parameters --------------------------------------------------------------------------------------

// Adds the parameters of a signature, "f(a, b=(1, 2), *rest)", that begin with `word` and can be passed by name, as
// `b=`.
static void add_parameters(const char *signature, const char *word, size_t len, json_t *matches) {
    const char *at = strchr(signature, '(');
    bool fresh = true; // the next name is a parameter
    for (int depth = 0; at && *at && *at != '\n'; at++) {
        if (strchr("([{", *at)) depth++;
        else if (strchr(")]}", *at) && --depth == 0) break;
        else if (depth == 1 && *at == ',') fresh = true;
        else if (fresh && *at != ' ') {
            size_t n = strcspn(at, " ,=:)\n");
            if (!strchr("*/_", *at) && n >= len && strncmp(at, word, len) == 0) {
                Text name = {0};
                text_printf(&name, "%.*s=", (int)n, at);
                add_match(matches, text_string(&name));
                text_free(&name);
            }
            at += n - 1;
            fresh = false;
        }
    }
}

static void complete_parameter(Kernel *k, const Place *place, const char *word, size_t len, json_t *matches) {
    const Place before = {place->code, place->cursor - len};
    size_t name_len, name = place_call(&before, &name_len);
    Text doc = {0};
    if (!name_len) return;
    kernel_begin_together(k, (MateTask){.kind = MATE_INSPECT, .text = place->code + name, .len = name_len});
    if (nacre_inspect(k->vm, place->code + name, name_len, text_write, &doc) == NACRE_OK)
        add_parameters(text_string(&doc), word, len, matches);
    kernel_end_together(k);
    text_free(&doc);
}

// --- All of it -----------------------------------------------------------------------------------------

void handle_complete(Kernel *k, const Message *request) {
    const Place place = place_of(request);
    size_t line = place.cursor, start = 0;
    while (line > 0 && place.code[line - 1] != '\n') line--;
    const char *text = place.code + line;
    size_t len = place.cursor - line;
    json_t *matches = json_array();
    if (is_in_text(text, len, &start)) {
        complete_file(text, len, &start, matches);
        matches = sorted(matches);
    } else {
        json_t *names = json_array();
        kernel_begin_together(k, (MateTask){.kind = MATE_COMPLETE, .text = text, .len = len});
        nacre_complete(k->vm, text, len, &start, add_match, names);
        kernel_end_together(k);
        bool is_attribute = start > 0 && text[start - 1] == '.';
        if (!is_attribute) complete_parameter(k, &place, text + start, len - start, matches);
        json_array_extend(matches, names);
        json_decref(names);
    }
    kernel_reply(k, "complete_reply",
                 json_pack("{s:s, s:o, s:I, s:I, s:{}}", "status", "ok", "matches", matches, "cursor_start",
                           place_point(&place, line + start), "cursor_end", place_point(&place, place.cursor), "metadata"));
}
