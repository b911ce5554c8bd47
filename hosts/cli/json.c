// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A JSON parser for untrusted files: nesting is limited, 64-bit integers are kept exactly, and keys must be unique.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { DEPTH_MOST = 32, KEYS_MOST = 64 };

typedef struct Reader {
    const char *at, *end;
    const char *problem; // the first error, or NULL
    int line, depth;
} Reader;

static bool fail(Reader *r, const char *problem) {
    if (!r->problem) r->problem = problem;
    return false;
}

static void skip_blanks(Reader *r) {
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
        r->line += *r->at == '\n';
}

static bool take(Reader *r, char wanted) {
    skip_blanks(r);
    if (r->at == r->end || *r->at != wanted) return false;
    r->at++;
    return true;
}

static bool take_word(Reader *r, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0) return false;
    r->at += len;
    return true;
}

// --- Strings -----------------------------------------------------------------------------------

static bool hex(Reader *r, unsigned *out) {
    *out = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        if (r->at == r->end) return fail(r, "a string without end");
        char c = *r->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16u;
        if (digit > 15) return fail(r, "four hexadecimal digits are wanted behind \\u");
        *out = *out << 4 | digit;
    }
    return true;
}

static void put_utf8(unsigned code, Text *out) {
    char bytes[4];
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3F));
    static const unsigned char firsts[] = {0, 0, 0xC0, 0xE0, 0xF0};
    bytes[0] = (char)(firsts[len] | code);
    text_add(out, bytes, len);
}

static bool escape(Reader *r, Text *out) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    unsigned code, low;
    if (r->at == r->end) return fail(r, "a string without end");
    char c = *r->at++;
    const char *found = c ? strchr(names, c) : NULL;
    if (found) {
        text_add(out, values + (found - names), 1);
        return true;
    }
    if (c != 'u') return fail(r, "no such escape");
    if (!hex(r, &code)) return false;
    if (code >= 0xD800 && code < 0xDC00) {
        if (!take_word(r, "\\u") || !hex(r, &low) || low < 0xDC00 || low > 0xDFFF)
            return fail(r, "half a pair of surrogates");
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) return fail(r, "half a pair of surrogates");
    if (code == 0) return fail(r, "a string with a NUL");
    put_utf8(code, out);
    return true;
}

static bool read_string(Reader *r, char **out) {
    Text text = {0};
    text_puts(&text, "");
    while (!r->problem) {
        if (r->at == r->end) fail(r, "a string without end");
        else if (*r->at == '"') break;
        else if ((unsigned char)*r->at < 0x20) fail(r, "a control character in a string");
        else if (*r->at == '\\') r->at++, escape(r, &text);
        else text_add(&text, r->at++, 1);
    }
    if (text.failed) fail(r, "out of memory");
    if (r->problem) {
        text_free(&text);
        return false;
    }
    r->at++;
    *out = text.bytes;
    return true;
}

// --- Numbers -----------------------------------------------------------------------------------

static size_t digits(Reader *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
    return (size_t)(r->at - from);
}

static bool read_number(Reader *r, Json *out) {
    enum { LONGEST = 400 };
    char text[LONGEST];
    const char *from = r->at;
    bool whole = true;
    out->negative = r->at < r->end && *r->at == '-';
    r->at += out->negative;
    bool zero = r->at < r->end && *r->at == '0';
    size_t count = digits(r);
    if (count == 0 || (zero && count > 1)) return fail(r, "what stands here is no value");
    if (r->at < r->end && *r->at == '.') {
        whole = false;
        r->at++;
        if (digits(r) == 0) return fail(r, "digits are wanted behind the point");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        whole = false;
        r->at++;
        r->at += r->at < r->end && (*r->at == '+' || *r->at == '-');
        if (digits(r) == 0) return fail(r, "digits are wanted in the exponent");
    }
    size_t len = (size_t)(r->at - from);
    if (len >= LONGEST) return fail(r, "a number that is too long");
    memcpy(text, from, len);
    text[len] = '\0';
    out->number = strtod(text, NULL);
    errno = 0;
    out->bits = out->negative ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 10);
    out->kind = whole && errno == 0 ? JSON_INTEGER : JSON_NUMBER;
    return isfinite(out->number) || fail(r, "a number that is too large");
}

// --- Values ------------------------------------------------------------------------------------

static bool read_value(Reader *r, Json *out);

static bool grow(Reader *r, Json *to, size_t *cap) {
    if (to->count < *cap) return true;
    size_t more = *cap ? 2 * *cap : 8;
    Json *items = realloc(to->items, more * sizeof *items);
    if (items) to->items = items;
    char **keys =
        items && to->kind == JSON_OBJECT ? realloc(to->keys, more * sizeof *keys) : to->keys;
    if (!items || (to->kind == JSON_OBJECT && !keys)) return fail(r, "out of memory");
    to->keys = keys;
    *cap = more;
    return true;
}

static bool read_key(Reader *r, Json *to, char **out) {
    if (to->count == KEYS_MOST) return fail(r, "too many keys");
    if (!take(r, '"')) return fail(r, "a key is wanted");
    if (!read_string(r, out)) return false;
    bool fresh = !json_get(to, *out), colon = take(r, ':');
    if (fresh && colon) return true;
    free(*out);
    return fail(r, fresh ? "a colon is wanted" : "a key that was there before");
}

static bool read_items(Reader *r, Json *to, char end) {
    size_t cap = 0;
    if (take(r, end)) return true;
    do {
        char *key = NULL;
        if (!grow(r, to, &cap) || (to->kind == JSON_OBJECT && !read_key(r, to, &key))) return false;
        to->items[to->count] = (Json){0};
        if (key) to->keys[to->count] = key;
        to->count++;
        if (!read_value(r, &to->items[to->count - 1])) return false;
    } while (take(r, ','));
    return take(r, end) || fail(r, "a comma or an end is wanted");
}

static bool read_value(Reader *r, Json *out) {
    bool done;
    skip_blanks(r);
    if (r->at == r->end) return fail(r, "the text ends too early");
    char c = *r->at;
    if (c == '[' || c == '{') {
        if (r->depth == DEPTH_MOST) return fail(r, "nested too deep");
        r->at++;
        r->depth++;
        out->kind = c == '[' ? JSON_ARRAY : JSON_OBJECT;
        done = read_items(r, out, c == '[' ? ']' : '}');
        r->depth--;
        return done;
    }
    if (c == '"') {
        r->at++;
        out->kind = JSON_STRING;
        return read_string(r, &out->text);
    }
    if (take_word(r, "null")) return true;
    out->truth = take_word(r, "true");
    if (out->truth || take_word(r, "false")) {
        out->kind = JSON_BOOL;
        return true;
    }
    return read_number(r, out);
}

bool json_read(const char *text, size_t len, Json *out, const char **problem, int *line) {
    Reader r = {.at = text, .end = text + len, .line = 1};
    *out = (Json){0};
    bool done = read_value(&r, out);
    skip_blanks(&r);
    if (done && r.at < r.end) done = fail(&r, "something stands behind the end");
    *problem = r.problem;
    *line = r.line;
    return done;
}

void json_free(Json *json) {
    for (size_t i = 0; i < json->count; i++) {
        json_free(&json->items[i]);
        if (json->keys) free(json->keys[i]);
    }
    free(json->text);
    free(json->items);
    free(json->keys);
    *json = (Json){0};
}

const Json *json_get(const Json *object, const char *key) {
    for (size_t i = 0; object->kind == JSON_OBJECT && i < object->count; i++)
        if (strcmp(object->keys[i], key) == 0) return &object->items[i];
    return NULL;
}

void json_put_string(const char *string, Text *out) {
    text_puts(out, "\"");
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\') text_printf(out, "\\%c", c);
        else if (c < 0x20) text_printf(out, "\\u%04x", c);
        else text_add(out, string, 1);
    }
    text_puts(out, "\"");
}
