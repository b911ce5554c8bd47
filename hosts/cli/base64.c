// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Base64 encoding (RFC 4648).

#include <string.h>

#include "graph_file.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(const void *data, size_t bytes, Text *out) {
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned long word = 0;
        char four[4];
        for (size_t j = 0; j < 3; j++) word = word << 8 | (i + j < bytes ? at[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            four[j] = i + j > bytes ? '=' : letters[word >> (18 - 6 * j) & 63];
        text_add(out, four, 4);
    }
}

bool base64_read(const char *text, void *data, size_t bytes) {
    unsigned char *to = data;
    size_t len = strlen(text);
    if (len != (bytes + 2) / 3 * 4) return false;
    for (size_t i = 0; i < bytes; i += 3, text += 4) {
        unsigned long word = 0;
        for (size_t j = 0; j < 4; j++) {
            bool filled = i + j > bytes;
            const char *found = text[j] == '=' || !text[j] ? NULL : strchr(letters, text[j]);
            if (filled ? text[j] != '=' : !found) return false;
            word = word << 6 | (filled ? 0 : (unsigned long)(found - letters));
        }
        for (size_t j = 0; j < 3 && i + j < bytes; j++)
            to[i + j] = (unsigned char)(word >> (16 - 8 * j));
    }
    return true;
}
