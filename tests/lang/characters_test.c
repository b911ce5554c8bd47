// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Which characters may stand in identifiers, what they stand for there, and how UTF-8 is checked:
// every code point, and every sequence of four bytes of a few, as one number each. The numbers are
// CPython 3.11's; they are found by the same sums over str.isidentifier, unicodedata.normalize
// ("NFKC", of the characters that the table folds) and bytes.decode (start and reason of the error).

#include <stdio.h>
#include <string.h>

#include "lang/support/utf8.h"

enum { LAST = 0x10FFFF };

static int failures;

static uint64_t mix(uint64_t hash, uint64_t more) {
    return (hash ^ more) * 0x100000001b3u;
}

static void expect(const char *what, uint64_t got, uint64_t wanted) {
    if (got == wanted) return;
    failures++;
    printf("%s: got %#llx, wanted %#llx\n", what, (unsigned long long)got,
           (unsigned long long)wanted);
}

static bool is_surrogate(uint32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

static void check_identifiers(void) {
    uint64_t starts = 1, parts = 1, folds = 1;
    for (uint32_t c = 0; c <= LAST; c++) {
        if (unicode_is_id_start(c)) starts = mix(starts, c);
        if (unicode_is_id_continue(c)) parts = mix(parts, c);
        if (unicode_fold(c) != c) folds = mix(mix(folds, c), unicode_fold(c));
    }
    expect("first characters", starts, 0x6d34b2cd2facd38c);
    expect("other characters", parts, 0x8b39b27669dc7dca);
    expect("folded characters", folds, 0xa1954bbbc98c101a);
}

static size_t encode(uint32_t c, char *to) {
    if (c < 0x80) return to[0] = (char)c, 1;
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, c >>= 6) to[i] = (char)(0x80 | (c & 0x3F));
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    to[0] = (char)(first[len] | c);
    return len;
}

static void check_code_points(void) {
    uint32_t wrong = 0;
    for (uint32_t c = 0; c <= LAST + 0x1000; c++) {
        char bytes[4];
        uint32_t back = 0;
        size_t len = encode(c, bytes);
        bool good = c <= LAST && !is_surrogate(c);
        if (utf8_decode(bytes, len, &back) != (good ? len : 0)) wrong++;
        if (good && back != c) wrong++;
        if (good && len > 1 && utf8_decode(bytes, len - 1, &back) != 0) wrong++;
        if (good && utf8_count(bytes, len) != 1) wrong++;
    }
    expect("code points that are not what they were", wrong, 0);
}

// The bytes where UTF-8 has its edges, in all sequences of up to four.
static void check_sequences(void) {
    static const unsigned char edges[] = {'a',  0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                          0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1,
                                          0xF4, 0xF5, 0xFF};
    enum { EDGES = sizeof edges };
    uint64_t hash = 1;
    for (uint32_t number = 0; number < EDGES * EDGES * EDGES * EDGES; number++) {
        char bytes[4];
        size_t bad_at = 99;
        const char *reason = "";
        for (uint32_t i = 0, rest = number; i < 4; i++, rest /= EDGES)
            bytes[i] = (char)edges[rest % EDGES];
        for (size_t len = 3; len <= 4; len++) {
            if (utf8_validate(bytes, len, &bad_at, &reason)) hash = mix(hash, 100);
            else hash = mix(mix(hash, bad_at), strlen(reason));
        }
    }
    expect("sequences of bytes", hash, 0xdaaa5476964a173d);
}

static void check_counts(void) {
    expect("nothing", utf8_count("", 0), 0);
    expect("two and a broken one", utf8_count("a\xc3\xa9\xe2\x82", 5), 4);
    expect("a start in front of another", utf8_count("\xe2\xe2\x82\xac", 4), 2);
}

static void check_visible(void) {
    uint32_t hidden = 0;
    for (uint32_t c = 0; c <= LAST; c++) hidden += !unicode_is_visible(c);
    expect("hidden characters", hidden, 205191);
    static const uint32_t seen[] = {' ', '~', 0xA1, 0xAC, 0xAE, 0x606, 0x2010, 0x2027, 0x2030, 0xFFFD};
    static const uint32_t unseen[] = {0, 0x1F, 0x7F, 0xA0, 0xAD, 0x2028, 0xD800, 0xFEFF, 0xE0001};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        expect("a visible character", unicode_is_visible(seen[i]), 1);
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        expect("a hidden character", unicode_is_visible(unseen[i]), 0);
}

int main(void) {
    check_identifiers();
    check_code_points();
    check_sequences();
    check_counts();
    check_visible();
    return failures != 0;
}
