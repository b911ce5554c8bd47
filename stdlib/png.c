// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A minimal PNG writer (RFC 2083): one IDAT chunk.

#include "stdlib/png.h"

#include <string.h>

#include "lang/support/deflate.h"
#include "lang/support/deflate_fast.h"

enum { ADLER = 65521, FILTER_UP = 2 };

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

// Adler's check sum (RFC 1950), and of zeros that follow.
typedef struct Adler {
    uint32_t a, b;
} Adler;

static void adler_add(Adler *sum, const char *data, size_t len) {
    enum { RUN = 5552 }; // so many bytes may be added up before 32 bits are too few
    uint32_t a = sum->a, b = sum->b;
    for (size_t at = 0; at < len;) {
        size_t end = len - at < RUN ? len : at + RUN;
        for (; at < end; at++) {
            a += (unsigned char)data[at];
            b += a;
        }
        a %= ADLER;
        b %= ADLER;
    }
    *sum = (Adler){a, b};
}

static void adler_add_zeros(Adler *sum, size_t len) {
    sum->b = (uint32_t)((sum->b + (uint64_t)sum->a * len) % ADLER);
}

// The rows with their filters before them: a row like the one above is all zeros then.
static void put_rows(const PngRows *rows, uint32_t height, size_t len, Buf *out, Adler *sum) {
    const char up = FILTER_UP;
    char *row = mem_zalloc(out->mem, 2 * (len + 1)), *above = row + len + 1; // each behind its filter, which is none
    if (!row) out->failed = true;
    char *both = row;
    for (uint32_t y = 0; y < height && !out->failed; y++) {
        rows->get(rows->ctx, y, (unsigned char *)row + 1);
        if (y > 0 && memcmp(row, above, len + 1) == 0) {
            buf_putc(out, up);
            buf_fill(out, 0, len);
            adler_add(sum, &up, 1);
            adler_add_zeros(sum, len);
            continue;
        }
        buf_put(out, row, len + 1);
        adler_add(sum, row, len + 1);
        char *other = above;
        above = row;
        row = other;
    }
    mem_free(out->mem, both, 2 * (len + 1));
}

void png_write(const PngRows *rows, uint32_t width, uint32_t height, Buf *out) {
    Buf plain, packed, head;
    Adler sum = {1, 0};
    buf_init(&plain, out->mem);
    buf_init(&packed, out->mem);
    buf_init(&head, out->mem);
    put_u32(&head, width);
    put_u32(&head, height);
    buf_put(&head, "\x08\x06\x00\x00\x00", 5); // 8 bits, RGBA
    put_rows(rows, height, (size_t)width * 4, &plain, &sum);
    buf_put(&packed, "\x78\x01", 2); // zlib's frame around the stream
    if (!plain.failed) deflate_fast(plain.data, plain.len, &packed);
    put_u32(&packed, sum.b << 16 | sum.a);
    if (plain.failed || packed.failed || head.failed) {
        out->failed = true;
    } else {
        buf_put(out, "\x89PNG\r\n\x1a\n", 8);
        put_chunk(out, "IHDR", head.data, head.len);
        put_chunk(out, "IDAT", packed.data, packed.len);
        put_chunk(out, "IEND", "", 0);
    }
    buf_free(&plain);
    buf_free(&packed);
    buf_free(&head);
}
