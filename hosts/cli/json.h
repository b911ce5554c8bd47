// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// JSON, read into a tree.

#ifndef NACRE_HOSTS_CLI_JSON_H
#define NACRE_HOSTS_CLI_JSON_H

#include <stdint.h>

#include "text.h"

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_INTEGER, // of 64 bits, with or without sign
    JSON_NUMBER,  // any other
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

typedef struct Json {
    JsonKind kind;
    bool truth;          // JSON_BOOL
    bool negative;       // JSON_INTEGER: then bits are those of an int64_t
    uint64_t bits;       // JSON_INTEGER
    double number;       // JSON_INTEGER and JSON_NUMBER
    char *text;          // JSON_STRING: ends with a NUL, and has none before
    size_t count;        // of an array or object
    struct Json *items;
    char **keys;         // of an object
} Json;

// Reads a whole text. False: *problem says what is wrong, in line *line. What there is in *out has to be
// freed in any case.
bool json_read(const char *text, size_t len, Json *out, const char **problem, int *line);
void json_free(Json *json);
const Json *json_get(const Json *object, const char *key); // NULL: not there

void json_put_string(const char *string, Text *out); // with quotes

#endif
