// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Raw deflate streams and CRC-32. zlib allocates from the VM's allocator, so its memory is counted and
// limited.

#include "lang/support/deflate.h"

#include "nacre_config.h"

#if NACRE_HAVE_ZLIB

#include <zlib.h>

enum { CHUNK = 64 * 1024, RAW = -15, MEMORY_LEVEL = 8 };
static const size_t PIECE = 1u << 30; // bytes given to zlib at once: its counters are unsigned int

// A header in front of each block. zlib frees blocks without their size, which mem_free needs.
typedef union Head {
    size_t size;
    max_align_t align;
} Head;

static voidpf zlib_alloc(voidpf mem, uInt count, uInt each) {
    size_t size;
    if (__builtin_mul_overflow((size_t)count, (size_t)each, &size) ||
        __builtin_add_overflow(size, sizeof(Head), &size))
        return NULL;
    Head *head = mem_alloc(mem, size);
    if (!head) return NULL;
    head->size = size;
    return head + 1;
}

static void zlib_free(voidpf mem, voidpf block) {
    Head *head = (Head *)block - 1;
    mem_free(mem, head, head->size);
}

static z_stream stream_in(Mem *mem) {
    z_stream z = {.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = mem};
    return z;
}

// Gives zlib the next piece of data[0, len) if it has used up the last one, and advances *at.
static void feed(z_stream *z, const char *data, size_t len, size_t *at) {
    if (z->avail_in > 0) return;
    size_t n = len - *at < PIECE ? len - *at : PIECE;
    z->next_in = (Bytef *)(uintptr_t)(data + *at);
    z->avail_in = (uInt)n;
    *at += n;
}

static DeflateResult pack(Dictionary dictionary, int level, const char *data, size_t len, Buf *out) {
    z_stream z = stream_in(out->mem);
    char chunk[CHUNK];
    size_t at = 0;
    int rc = deflateInit2(&z, level, Z_DEFLATED, RAW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    if (rc != Z_OK) return DEFLATE_NO_MEMORY;
    if (dictionary.len) rc = deflateSetDictionary(&z, (const Bytef *)dictionary.bytes, (uInt)dictionary.len);
    while (rc == Z_OK && !out->failed) {
        feed(&z, data, len, &at);
        z.next_out = (Bytef *)chunk;
        z.avail_out = CHUNK;
        rc = deflate(&z, at == len ? Z_FINISH : Z_NO_FLUSH);
        buf_put(out, chunk, CHUNK - z.avail_out);
    }
    deflateEnd(&z);
    return rc == Z_STREAM_END && !out->failed ? DEFLATE_OK : DEFLATE_NO_MEMORY;
}

DeflateResult deflate_pack(const char *data, size_t len, Buf *out) {
    return pack((Dictionary){0}, Z_DEFAULT_COMPRESSION, data, len, out);
}

// Returns the end of a dictionary that is within deflate's window of 32 KiB.
static Dictionary near_end(Dictionary dictionary) {
    enum { WINDOW = 32 * 1024 };
    size_t skipped = dictionary.len > WINDOW ? dictionary.len - WINDOW : 0;
    return (Dictionary){dictionary.bytes + skipped, dictionary.len - skipped};
}

DeflateResult deflate_pack_with(Dictionary dictionary, const char *data, size_t len, Buf *out) {
    return pack(near_end(dictionary), Z_BEST_COMPRESSION, data, len, out);
}

DeflateResult deflate_unpack(const char *data, size_t len, size_t size, Buf *out) {
    z_stream z = stream_in(out->mem);
    char chunk[CHUNK];
    size_t at = 0, start = out->len;
    int rc = inflateInit2(&z, RAW);
    if (rc != Z_OK) return DEFLATE_NO_MEMORY;
    while (rc == Z_OK && out->len - start <= size && !out->failed) {
        feed(&z, data, len, &at);
        z.next_out = (Bytef *)chunk;
        z.avail_out = CHUNK;
        rc = inflate(&z, Z_NO_FLUSH);
        buf_put(out, chunk, CHUNK - z.avail_out);
    }
    inflateEnd(&z);
    if (out->failed || rc == Z_MEM_ERROR) return DEFLATE_NO_MEMORY;
    return rc == Z_STREAM_END && out->len - start == size ? DEFLATE_OK : DEFLATE_BAD;
}

DeflateResult deflate_unpack_with(Dictionary dictionary, const char *data, size_t len, Mem *mem,
                                  char *to, size_t size) {
    z_stream z = stream_in(mem);
    if (len > PIECE || size > PIECE) return DEFLATE_BAD;
    if (inflateInit2(&z, RAW) != Z_OK) return DEFLATE_NO_MEMORY;
    Dictionary near = near_end(dictionary);
    int rc = near.len ? inflateSetDictionary(&z, (const Bytef *)near.bytes, (uInt)near.len) : Z_OK;
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)size;
    if (rc == Z_OK) rc = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR) return DEFLATE_NO_MEMORY;
    return rc == Z_STREAM_END && z.avail_out == 0 ? DEFLATE_OK : DEFLATE_BAD;
}

uint32_t deflate_crc32(const char *data, size_t len) {
    return (uint32_t)crc32_z(0, (const Bytef *)data, len);
}

#else

DeflateResult deflate_pack(const char *data, size_t len, Buf *out) {
    (void)data, (void)len, (void)out;
    return DEFLATE_ABSENT;
}

DeflateResult deflate_unpack(const char *data, size_t len, size_t size, Buf *out) {
    (void)data, (void)len, (void)size, (void)out;
    return DEFLATE_ABSENT;
}

DeflateResult deflate_pack_with(Dictionary dictionary, const char *data, size_t len, Buf *out) {
    (void)dictionary, (void)data, (void)len, (void)out;
    return DEFLATE_ABSENT;
}

DeflateResult deflate_unpack_with(Dictionary dictionary, const char *data, size_t len, Mem *mem,
                                  char *to, size_t size) {
    (void)dictionary, (void)mem, (void)data, (void)len, (void)to, (void)size;
    return DEFLATE_ABSENT;
}

// Computes CRC-32 four bits at a time, with a table of 16 entries. The polynomial is 0xedb88320 (bit-reversed).
uint32_t deflate_crc32(const char *data, size_t len) {
    uint32_t remainders[16], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 16; i++) {
        remainders[i] = i;
        for (int bit = 0; bit < 4; bit++)
            remainders[i] = remainders[i] >> 1 ^ (remainders[i] & 1 ? 0xedb88320u : 0);
    }
    for (size_t i = 0; i < len; i++) {
        crc ^= (unsigned char)data[i];
        crc = crc >> 4 ^ remainders[crc & 15];
        crc = crc >> 4 ^ remainders[crc & 15];
    }
    return ~crc;
}

#endif
