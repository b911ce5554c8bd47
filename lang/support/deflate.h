// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Raw deflate streams (RFC 1951) by zlib, if the build has it, and CRC-32.

#ifndef NACRE_LANG_SUPPORT_DEFLATE_H
#define NACRE_LANG_SUPPORT_DEFLATE_H

#include "lang/support/buf.h"

typedef enum DeflateResult {
    DEFLATE_OK,
    DEFLATE_BAD,       // the stream is damaged, or does not have the expected length
    DEFLATE_NO_MEMORY,
    DEFLATE_ABSENT,    // this build has no zlib
} DeflateResult;

// Deflate and inflate; append to `out`. `size` is the expected length of the inflated data. It is not
// allocated in advance, so a wrong one costs no memory.
DeflateResult deflate_pack(const char *data, size_t len, Buf *out);
DeflateResult deflate_unpack(const char *data, size_t len, size_t size, Buf *out);
// Deflate at the best compression, with matches into a preset dictionary, which is needed again to
// inflate. deflate_unpack_with inflates to `to`, which has exactly `size` bytes.
typedef struct Dictionary {
    const char *bytes;
    size_t len; // 0: no dictionary
} Dictionary;
DeflateResult deflate_pack_with(Dictionary dictionary, const char *data, size_t len, Buf *out);
DeflateResult deflate_unpack_with(Dictionary dictionary, const char *data, size_t len, Mem *mem,
                                  char *to, size_t size);
uint32_t deflate_crc32(const char *data, size_t len);

#endif
