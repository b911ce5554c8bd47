// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A minimal PNG writer (RFC 2083): one IDAT chunk, deflated where there is zlib, else of stored blocks (RFC 1950, 1951).

#include "stdlib/png.h"

#include <string.h>

#include "lang/support/deflate.h"

enum { BLOCK = 65535, ADLER = 65521, FILTER_NONE = 0, FILTER_UP = 2 };

static void put_u32(Buf *out, uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8) buf_putc(out, (char)(v >> shift & 255));
}

// A chunk's length goes before it, its check sum behind it.
static void put_chunk(Buf *out, const char *type, const char *data, size_t len) {
    put_u32(out, (uint32_t)len);
    size_t from = out->len;
    buf_put(out, type, 4);
    buf_put(out, data, len);
    if (!out->failed) put_u32(out, deflate_crc32(out->data + from, len + 4));
}

static void put_stored(Buf *out, const char *data, size_t len) {
    for (size_t at = 0; at < len || len == 0; at += BLOCK) {
        size_t n = len - at < BLOCK ? len - at : BLOCK;
        const char head[5] = {at + n == len, (char)(n & 255), (char)(n >> 8), (char)(~n & 255),
                              (char)(~n >> 8 & 255)};
        buf_put(out, head, 5);
        buf_put(out, data + at, n);
        if (len == 0) break;
    }
}

// Adler's check sum; so many bytes may be added up before 32 bits are too few.
static uint32_t adler(const char *data, size_t len) {
    enum { RUN = 5552 };
    uint32_t a = 1, b = 0;
    for (size_t at = 0; at < len;) {
        size_t end = len - at < RUN ? len : at + RUN;
        for (; at < end; at++) {
            a += (unsigned char)data[at];
            b += a;
        }
        a %= ADLER;
        b %= ADLER;
    }
    return b << 16 | a;
}

// zlib's frame around the stream.
static void put_packed(Buf *out, const char *data, size_t len) {
    buf_put(out, "\x78\x01", 2);
    DeflateResult result = deflate_pack_fast(data, len, out);
    if (result == DEFLATE_ABSENT) put_stored(out, data, len);
    if (result == DEFLATE_NO_MEMORY) out->failed = true;
    put_u32(out, adler(data, len));
}

void png_write(const unsigned char *rgba, uint32_t width, uint32_t height, Buf *out) {
    Buf rows, packed, head;
    buf_init(&rows, out->mem);
    buf_init(&packed, out->mem);
    buf_init(&head, out->mem);
    for (uint32_t y = 0; y < height; y++) {
        const char *row = (const char *)rgba + (size_t)y * width * 4;
        size_t len = (size_t)width * 4;
        if (y > 0 && memcmp(row, row - len, len) == 0) {
            buf_putc(&rows, FILTER_UP); // a row like the one above is all zeros then
            buf_fill(&rows, 0, len);
        } else {
            buf_putc(&rows, FILTER_NONE);
            buf_put(&rows, row, len);
        }
    }
    put_u32(&head, width);
    put_u32(&head, height);
    buf_put(&head, "\x08\x06\x00\x00\x00", 5); // 8 bits, RGBA
    if (!rows.failed) put_packed(&packed, rows.data, rows.len);
    if (rows.failed || packed.failed || head.failed) {
        out->failed = true;
    } else {
        buf_put(out, "\x89PNG\r\n\x1a\n", 8);
        put_chunk(out, "IHDR", head.data, head.len);
        put_chunk(out, "IDAT", packed.data, packed.len);
        put_chunk(out, "IEND", "", 0);
    }
    buf_free(&rows);
    buf_free(&packed);
    buf_free(&head);
}
