// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Conversion between code points and bytes, and names around a cursor.

#include "place.h"

static bool begins_point(char byte) {
    return ((unsigned char)byte & 0xc0) != 0x80;
}

// Returns the byte offset of code point number `point`; the text's length if there is none, or if it is negative.
static size_t byte_of(const char *text, json_int_t point) {
    size_t at = 0;
    for (; text[at]; at++)
        if (begins_point(text[at]) && point-- == 0) break;
    return at;
}

Place place_of(const Message *request) {
    const json_t *at = json_object_get(request->content, "cursor_pos");
    Place place = {.code = json_string_value(json_object_get(request->content, "code"))};
    if (!place.code) place.code = "";
    place.cursor = byte_of(place.code, json_is_integer(at) ? json_integer_value(at) : -1);
    return place;
}

json_int_t place_point(const Place *place, size_t byte) {
    json_int_t points = 0;
    for (size_t at = 0; at < byte; at++) points += begins_point(place->code[at]);
    return points;
}

static bool is_name(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' ||
           byte == '.' || (unsigned char)byte >= 0x80;
}

static size_t name_before(const Place *place, size_t end, size_t *len) {
    size_t start = end;
    while (start > 0 && is_name(place->code[start - 1])) start--;
    *len = end - start;
    return start;
}

size_t place_call(const Place *place, size_t *len) {
    size_t end = place->cursor, depth = 0;
    for (; end > 0; end--) {
        char byte = place->code[end - 1];
        if (byte == ')' || byte == ']') depth++;
        else if ((byte == '(' || byte == '[') && depth-- == 0) break;
    }
    return name_before(place, end ? end - 1 : 0, len);
}

size_t place_name(const Place *place, size_t *len) {
    size_t end = place->cursor;
    while (is_name(place->code[end]) && place->code[end] != '.') end++;
    size_t start = name_before(place, end, len);
    return *len ? start : place_call(place, len);
}
