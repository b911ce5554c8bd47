// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Looks up characters by name. A name is stored as the numbers of its words; tools/gen_unicode_names.py describes the
// format. The search is linear, as few programs look up many names.

#include "lang/support/unicode_names.h"

#include <stdbool.h>
#include <string.h>

static const char words[] =
#define WORDS(text) text
#include "lang/support/unicode_names.def"
#undef WORDS
    ;

static const unsigned char names[] = {
#define NAMES(...) __VA_ARGS__,
#include "lang/support/unicode_names.def"
#undef NAMES
};

enum { NAME_BYTES_MOST = 64 };

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_word(const char *word, const char *name, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (upper(name[i]) != word[i]) return false;
    return word[len] == ' ';
}

// Returns the number of a word, from 1; 0 if there is no such word.
static unsigned number_of(const char *name, size_t len) {
    unsigned number = 1;
    for (const char *word = words; *word; word = strchr(word, ' ') + 1, number++)
        if (is_word(word, name, len)) return number;
    return 0;
}

// Encodes a name as the table does and returns the length. 0: one of its words occurs in no name, or it is too long.
static size_t pack_name(const char *name, size_t len, unsigned char *packed) {
    size_t count = 0;
    for (const char *at = name, *end = name + len; at <= end;) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        size_t length = (size_t)((space ? space : end) - at);
        unsigned number = length ? number_of(at, length) : 0;
        if (number == 0 || count + 3 > NAME_BYTES_MOST) return 0;
        if (number > 127) packed[count++] = (unsigned char)(128 | number >> 8);
        packed[count++] = (unsigned char)number;
        at += length + 1;
    }
    packed[count++] = 0;
    return count;
}

// Returns the number of bytes of a name in the table, including the final 0. (The second byte of a number may be 0.)
static size_t name_size(const unsigned char *at) {
    const unsigned char *start = at;
    while (*at) at += *at & 128 ? 2 : 1;
    return (size_t)(at - start) + 1;
}

uint32_t unicode_named(const char *name, size_t len) {
    unsigned char packed[NAME_BYTES_MOST];
    size_t size = pack_name(name, len, packed);
    const unsigned char *at = names, *end = names + sizeof names;
    while (size && at < end) {
        uint32_t c = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2], last = c + ((uint32_t)at[3] << 8 | at[4]);
        for (at += 5; c < last; c++) {
            size_t here = name_size(at);
            if (here == size && memcmp(at, packed, size) == 0) return c;
            at += here;
        }
    }
    return 0;
}
