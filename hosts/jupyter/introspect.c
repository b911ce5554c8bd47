// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Completion, documentation, and whether a text is whole. Places in texts are code points in the protocol, bytes in
// nacre.h.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

// --- Places ------------------------------------------------------------------------------------------

static bool begins_point(char byte) {
    return ((unsigned char)byte & 0xc0) != 0x80;
}

// The byte at which code point number `point` begins, at most the text's length; negative: the end.
static size_t byte_of(const char *text, json_int_t point) {
    size_t at = 0;
    for (; text[at]; at++)
        if (begins_point(text[at]) && point-- == 0) break;
    return at;
}

static json_int_t point_of(const char *text, size_t byte) {
    json_int_t points = 0;
    for (size_t at = 0; at < byte; at++) points += begins_point(text[at]);
    return points;
}

typedef struct Place {
    const char *code;
    size_t cursor; // in bytes
} Place;

static Place read_place(const Message *request) {
    const json_t *at = json_object_get(request->content, "cursor_pos");
    Place place = {.code = json_string_value(json_object_get(request->content, "code"))};
    if (!place.code) place.code = "";
    place.cursor = byte_of(place.code, json_is_integer(at) ? json_integer_value(at) : -1);
    return place;
}

// --- Completion --------------------------------------------------------------------------------------

static void add_match(void *ctx, const char *completion) {
    json_array_append_new(ctx, wire_text(completion, strlen(completion)));
}

void handle_complete(Kernel *k, const Message *request) {
    Place place = read_place(request);
    size_t line = place.cursor, start = 0;
    while (line > 0 && place.code[line - 1] != '\n') line--;
    json_t *matches = json_array();
    nacre_complete(k->vm, place.code + line, place.cursor - line, &start, add_match, matches);
    kernel_reply(k, "complete_reply",
                 json_pack("{s:s, s:o, s:I, s:I, s:{}}", "status", "ok", "matches", matches, "cursor_start",
                           point_of(place.code, line + start), "cursor_end", point_of(place.code, place.cursor), "metadata"));
}

// --- Documentation -------------------------------------------------------------------------------------

static bool is_name(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' ||
           byte == '.' || (unsigned char)byte >= 0x80;
}

// The dotted name at the cursor; with none there, that of the function whose arguments it is in.
static size_t name_at(Place place, size_t *len) {
    size_t end = place.cursor, depth = 0;
    bool touches = is_name(place.code[end]) || (end > 0 && is_name(place.code[end - 1]));
    if (!touches) {
        for (; end > 0; end--) {
            char byte = place.code[end - 1];
            if (byte == ')' || byte == ']') depth++;
            else if ((byte == '(' || byte == '[') && depth-- == 0) break;
        }
        if (end > 0) end--;
    }
    size_t start = end;
    while (start > 0 && is_name(place.code[start - 1])) start--;
    while (touches && is_name(place.code[end]) && place.code[end] != '.') end++;
    *len = end - start;
    return start;
}

typedef struct Doc {
    char *bytes;
    size_t len;
    bool failed;
} Doc;

static int add_doc(void *ctx, int stream, const char *bytes, size_t len) {
    Doc *doc = ctx;
    (void)stream;
    char *grown = realloc(doc->bytes, doc->len + len + 1);
    if (!grown) return -1;
    doc->bytes = grown;
    memcpy(grown + doc->len, bytes, len);
    doc->len += len;
    return 0;
}

void handle_inspect(Kernel *k, const Message *request) {
    Place place = read_place(request);
    size_t len, start = name_at(place, &len);
    Doc doc = {0};
    bool found = len > 0 && nacre_inspect(k->vm, place.code + start, len, add_doc, &doc) == NACRE_OK && doc.len > 0;
    json_t *data = json_object();
    if (found) json_object_set_new(data, "text/plain", wire_text(doc.bytes, doc.len));
    free(doc.bytes);
    kernel_reply(k, "inspect_reply", json_pack("{s:s, s:b, s:o, s:{}}", "status", "ok", "found", found, "data", data, "metadata"));
}

// --- Whole texts ---------------------------------------------------------------------------------------

// What the next line begins with: the blanks of the last one, four more after a colon.
static void indent_after(const char *code, char *indent, size_t size) {
    size_t len = strlen(code);
    const char *line = code + len;
    while (line > code && line[-1] != '\n') line--;
    size_t blanks = strspn(line, " ");
    while (len > 0 && code[len - 1] == ' ') len--;
    if (len > 0 && code[len - 1] == ':') blanks += 4;
    snprintf(indent, size, "%*s", (int)(blanks < size ? blanks : size - 1), "");
}

void handle_is_complete(Kernel *k, const Message *request) {
    const char *code = json_string_value(json_object_get(request->content, "code"));
    static const char *const names[] = {"complete", "incomplete", "invalid"};
    if (!code) code = "";
    NacreCompleteness answer = nacre_is_complete(k->vm, code, strlen(code));
    char indent[128];
    indent_after(code, indent, sizeof indent);
    json_t *reply = json_pack("{s:s}", "status", names[answer]);
    if (answer == NACRE_INCOMPLETE) json_object_set_new(reply, "indent", json_string(indent));
    kernel_reply(k, "is_complete_reply", reply);
}
