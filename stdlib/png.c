// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A minimal PNG writer (RFC 2083): one IDAT chunk.

#include "stdlib/png.h"

#include <string.h>

#include "lang/support/deflate.h"
#include "lang/support/deflate_fast.h"

enum { ADLER = 65521, FILTER_UP = 2, PIECE = 1 << 17 };

static void put_u32(Buf *out, uint32_t v) {
    for (int shift = 24; shift >= 0; shift -= 8) buf_putc(out, (char)(v >> shift & 255));
}

// Starts a chunk, with room for its length. Returns the offset of its type, for chunk_end, which fills in
// the length and appends the CRC.
static size_t chunk_begin(Buf *out, const char *type) {
    put_u32(out, 0);
    buf_put(out, type, 4);
    return out->len - 4;
}

static void chunk_end(Buf *out, size_t from) {
    if (out->failed) return;
    size_t end = out->len;
    out->len = from - 4;
    put_u32(out, (uint32_t)(end - from - 4));
    out->len = end;
    put_u32(out, deflate_crc32(out->data + from, end - from));
}

// The checksum Adler-32 (RFC 1950).
typedef struct Adler {
    uint32_t a, b;
} Adler;

static void adler_add(Adler *sum, const char *data, size_t len) {
    enum { RUN = 5536, BLOCK = 32 }; // RUN: bytes after which the sums must be reduced to fit 32 bits
    uint32_t a = sum->a, b = sum->b;
    for (size_t at = 0; at < len;) {
        size_t end = len - at < RUN ? len : at + RUN;
        for (; at + BLOCK <= end; at += BLOCK) { // without a dependency between bytes, for SIMD
            uint32_t plain = 0, weighted = 0;
            for (unsigned i = 0; i < BLOCK; i++) {
                plain += (unsigned char)data[at + i];
                weighted += (BLOCK - i) * (unsigned char)data[at + i];
            }
            b += BLOCK * a + weighted;
            a += plain;
        }
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

// The compressed stream of rows. Rows are buffered and compressed in pieces; the last DEFLATE_WINDOW bytes of a piece
// stay in the buffer, since later matches may refer to them.
typedef struct Stream {
    Buf bytes;
    size_t packed; // bytes of `bytes` that are compressed already
    DeflateFast *packer;
    Adler sum;
} Stream;

static void pack(Stream *s) {
    if (s->bytes.failed) return;
    deflate_fast_add(s->packer, s->bytes.data, s->packed, s->bytes.len);
    size_t kept = s->bytes.len < DEFLATE_WINDOW ? s->bytes.len : DEFLATE_WINDOW;
    memmove(s->bytes.data, s->bytes.data + s->bytes.len - kept, kept);
    s->packed = s->bytes.len = kept;
}

static void put_row(Stream *s, const char *row, size_t len) {
    buf_put(&s->bytes, row, len);
    adler_add(&s->sum, row, len);
}

static void put_zeros(Stream *s, size_t len) {
    buf_fill(&s->bytes, 0, len);
    adler_add_zeros(&s->sum, len);
}

// Writes the rows, each after its filter byte. A row that equals the one above gets the filter "up", which
// makes it all zeros; other rows get no filter.
static void put_rows(const PngRows *rows, uint32_t height, size_t len, Stream *s) {
    const char up = FILTER_UP;
    char *row = mem_zalloc(s->bytes.mem, 2 * (len + 1)), *above = row + len + 1; // each after a filter byte 0, "none"
    if (!row) s->bytes.failed = true;
    char *both = row;
    for (uint32_t y = 0; y < height && !s->bytes.failed; y++) {
        rows->get(rows->ctx, y, (unsigned char *)row + 1);
        if (y > 0 && memcmp(row, above, len + 1) == 0) {
            put_row(s, &up, 1);
            put_zeros(s, len);
        } else {
            put_row(s, row, len + 1);
            char *other = above;
            above = row;
            row = other;
        }
        if (s->bytes.len - s->packed >= PIECE) pack(s);
    }
    mem_free(s->bytes.mem, both, 2 * (len + 1));
}

static void put_pixels(const PngRows *rows, uint32_t height, size_t len, Buf *out) {
    Stream s = {.packer = deflate_fast_begin(out), .sum = {1, 0}};
    if (!s.packer) return;
    buf_init(&s.bytes, out->mem);
    put_rows(rows, height, len, &s);
    if (s.bytes.len > s.packed) pack(&s);
    deflate_fast_end(s.packer);
    if (s.bytes.failed) out->failed = true;
    put_u32(out, s.sum.b << 16 | s.sum.a);
    buf_free(&s.bytes);
}

void png_write(const PngRows *rows, uint32_t width, uint32_t height, Buf *out) {
    buf_put(out, "\x89PNG\r\n\x1a\n", 8);
    size_t chunk = chunk_begin(out, "IHDR");
    put_u32(out, width);
    put_u32(out, height);
    buf_put(out, "\x08\x06\x00\x00\x00", 5); // 8 bits, RGBA
    chunk_end(out, chunk);
    chunk = chunk_begin(out, "IDAT");
    buf_put(out, "\x78\x01", 2); // zlib's header
    put_pixels(rows, height, (size_t)width * 4, out);
    chunk_end(out, chunk);
    chunk = chunk_begin(out, "IEND");
    chunk_end(out, chunk);
}
