// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A minimal PNG writer (RFC 2083): one IDAT chunk of stored deflate blocks (RFC 1950, 1951).

#include "stdlib/png.h"

enum { BLOCK = 65535, ADLER = 65521 };

static uint32_t crc_byte(uint32_t crc, unsigned char byte) {
    crc ^= byte;
    for (int i = 0; i < 8; i++) crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
    return crc;
}

static void put_u32(Buf *out, uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8) buf_putc(out, (char)(v >> shift & 255));
}

// A chunk's length goes before it, its check sum behind it.
static void put_chunk(Buf *out, const char *type, const char *data, size_t len) {
    uint32_t crc = UINT32_MAX;
    put_u32(out, (uint32_t)len);
    buf_put(out, type, 4);
    buf_put(out, data, len);
    for (int i = 0; i < 4; i++) crc = crc_byte(crc, (unsigned char)type[i]);
    for (size_t i = 0; i < len; i++) crc = crc_byte(crc, (unsigned char)data[i]);
    put_u32(out, ~crc);
}

// zlib's frame around stored blocks.
static void deflate_stored(Buf *out, const char *data, size_t len) {
    uint32_t a = 1, b = 0;
    buf_put(out, "\x78\x01", 2);
    for (size_t at = 0; at < len || len == 0; at += BLOCK) {
        size_t n = len - at < BLOCK ? len - at : BLOCK;
        const char head[5] = {at + n == len, (char)(n & 255), (char)(n >> 8), (char)(~n & 255),
                              (char)(~n >> 8 & 255)};
        buf_put(out, head, 5);
        buf_put(out, data + at, n);
        if (len == 0) break;
    }
    for (size_t i = 0; i < len; i++) {
        a = (a + (unsigned char)data[i]) % ADLER;
        b = (b + a) % ADLER;
    }
    put_u32(out, b << 16 | a);
}

void png_write(const unsigned char *rgba, uint32_t width, uint32_t height, Buf *out) {
    Buf rows, packed, head;
    buf_init(&rows, out->mem);
    buf_init(&packed, out->mem);
    buf_init(&head, out->mem);
    for (uint32_t y = 0; y < height; y++) {
        buf_putc(&rows, 0); // no filter
        buf_put(&rows, (const char *)rgba + (size_t)y * width * 4, (size_t)width * 4);
    }
    put_u32(&head, width);
    put_u32(&head, height);
    buf_put(&head, "\x08\x06\x00\x00\x00", 5); // 8 bits, RGBA
    if (!rows.failed) deflate_stored(&packed, rows.data, rows.len);
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
