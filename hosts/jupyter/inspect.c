// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Documentation of a name, and whether a text is a complete statement.

#include <stdio.h>
#include <string.h>

#include "../cli/text.h"
#include "place.h"

void handle_inspect(Kernel *k, const Message *request) {
    const Place place = place_of(request);
    size_t len, start = place_name(&place, &len);
    Text doc = {0};
    if (len) kernel_begin_together(k, (MateTask){.kind = MATE_INSPECT, .text = place.code + start, .len = len});
    bool found = len > 0 && nacre_inspect(k->vm, place.code + start, len, text_write, &doc) == NACRE_OK && doc.len > 0;
    if (len) kernel_end_together(k);
    json_t *data = json_object();
    if (found) json_object_set_new(data, "text/plain", wire_text(text_string(&doc), doc.len));
    text_free(&doc);
    kernel_reply(k, "inspect_reply", json_pack("{s:s, s:b, s:o, s:{}}", "status", "ok", "found", found, "data", data, "metadata"));
}

// Computes the indentation of the next line: that of the last line, and four more spaces after a colon.
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
