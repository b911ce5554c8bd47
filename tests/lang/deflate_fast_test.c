// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// What deflate_fast packs, zlib unpacks to the same bytes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/support/deflate.h"
#include "lang/support/deflate_fast.h"

enum { SKIPPED = 77, SIZE_MOST = 1 << 20 };

static int failures;

static uint32_t random_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// Packs pieces of a length, each with what was packed just before in front of it.
static void pack(const char *data, size_t len, size_t piece, Buf *out) {
    DeflateFast *encoder = deflate_fast_begin(out);
    for (size_t at = 0; encoder && at < len; at += piece) {
        size_t before = at < DEFLATE_WINDOW ? at : DEFLATE_WINDOW, end = len - at < piece ? len : at + piece;
        deflate_fast_add(encoder, data + at - before, before, before + end - at);
    }
    if (encoder) deflate_fast_end(encoder);
}

// `most`: as long as the stream may be. `piece`: 0 for all at once.
static void check_pieces(const char *what, const char *data, size_t len, size_t most, size_t piece) {
    Mem mem;
    Buf packed, back;
    mem_init(&mem, NULL, NULL, true, 0);
    buf_init(&packed, &mem);
    buf_init(&back, &mem);
    if (piece) pack(data, len, piece, &packed);
    else deflate_fast(data, len, &packed);
    DeflateResult result = deflate_unpack(packed.data, packed.len, len, &back);
    if (result == DEFLATE_ABSENT) exit(SKIPPED);
    bool equal = result == DEFLATE_OK && back.len == len && (len == 0 || memcmp(back.data, data, len) == 0);
    if (packed.failed || !equal || packed.len > most) {
        failures++;
        printf("%s, %zu bytes: %zu packed, result %d\n", what, len, packed.len, (int)result);
    }
    buf_free(&packed);
    buf_free(&back);
    mem_destroy(&mem);
}

static void check(const char *what, const char *data, size_t len, size_t most) {
    check_pieces(what, data, len, most, 0);
}

// How often each byte occurs grows like Fibonacci's numbers: Huffman's code alone would need words of more than 15 bits.
static size_t fill_skewed(char *data) {
    size_t len = 0, now = 1, next = 1;
    uint32_t state = 3;
    for (int byte = 0; len + now <= SIZE_MOST; byte++) {
        memset(data + len, byte, now);
        len += now;
        size_t sum = now + next;
        now = next;
        next = sum;
    }
    for (size_t i = len - 1; i > 0; i--) { // in no order, so that few match
        size_t j = random_next(&state) % (i + 1);
        char other = data[i];
        data[i] = data[j];
        data[j] = other;
    }
    return len;
}

// Pieces of what was there before, from near and from far.
static void fill_repeating(char *data, size_t len) {
    uint32_t state = 11;
    size_t at = 0;
    for (; at < 64; at++) data[at] = (char)random_next(&state);
    while (at < len) {
        size_t back = 1 + random_next(&state) % (at < 70000 ? at : 70000), count = 1 + random_next(&state) % 600;
        if (random_next(&state) % 8 == 0) data[at++] = (char)random_next(&state);
        for (; count > 0 && at < len; count--, at++) data[at] = data[at - back];
    }
}

int main(void) {
    char *data = calloc(1, SIZE_MOST);
    uint32_t state = 7;
    if (!data) return 1;
    check("zeros", data, SIZE_MOST, SIZE_MOST / 200);
    for (size_t len = 0; len < 600; len++) check("few zeros", data, len, 20);
    size_t skewed = fill_skewed(data);
    check("skewed", data, skewed, skewed / 2);
    fill_repeating(data, SIZE_MOST);
    check("repeating", data, SIZE_MOST, SIZE_MOST / 4);
    check_pieces("long pieces", data, SIZE_MOST, SIZE_MOST / 4, 1 << 17);
    check_pieces("short pieces", data, SIZE_MOST, SIZE_MOST / 3, 1000);
    check_pieces("bytes", data, 5000, 6000, 1);
    for (size_t i = 0; i < SIZE_MOST; i++) data[i] = (char)random_next(&state);
    check("random", data, SIZE_MOST, SIZE_MOST + SIZE_MOST / 256);
    for (size_t len = 0; len < 40; len++) check("few random", data, len, len + 60);
    free(data);
    return failures != 0;
}
