// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A JSON parser that builds a tree.

#ifndef NACRE_HOSTS_CLI_JSON_H
#define NACRE_HOSTS_CLI_JSON_H

#include <stdint.h>

#include "text.h"

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER, // a 64-bit integer, signed or unsigned
    JSON_NUMBER,  // any other number
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

typedef struct Json {
    JsonKind kind;
    bool truth;          // for JSON_BOOL
    bool negative;       // for JSON_INTEGER: `bits` is an int64_t
    uint64_t bits;       // for JSON_INTEGER
    double number;       // for JSON_INTEGER and JSON_NUMBER
    char *text;          // for JSON_STRING: NUL-terminated, without other NULs
    size_t count;        // number of `items`, for arrays and objects
    struct Json *items;
    char **keys;         // for objects: one key per item
} Json;

// Parses a whole text. Returns false after setting *problem to a static message and *line. The caller frees *out with
// json_free in both cases.
bool json_read(const char *text, size_t len, Json *out, const char **problem, int *line);
void json_free(Json *json);
const Json *json_get(const Json *object, const char *key); // returns NULL if the key is missing

void json_put_string(const char *string, Text *out); // appends a string with quotes and escapes

#endif
