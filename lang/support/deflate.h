// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Raw deflate streams (RFC 1951) and CRC-32, by zlib where it is there.

#ifndef NACRE_LANG_SUPPORT_DEFLATE_H
#define NACRE_LANG_SUPPORT_DEFLATE_H

#include "lang/support/buf.h"

typedef enum DeflateResult {
    DEFLATE_OK,
    DEFLATE_BAD,       // damaged, or not as long as was said
    DEFLATE_NO_MEMORY,
    DEFLATE_ABSENT,    // this build has no zlib
} DeflateResult;

// Appends to `out`. Inflating needs no more memory than what comes out of the stream, whatever
// `size`, the length that it should have, says.
DeflateResult deflate_pack(const char *data, size_t len, Buf *out);
DeflateResult deflate_unpack(const char *data, size_t len, size_t size, Buf *out);
// A stream as short as can be, which may refer to the end of a dictionary that whoever unpacks it has,
// too; and back to memory of the right length.
typedef struct Dictionary {
    const char *bytes;
    size_t len; // 0: there is none
} Dictionary;
DeflateResult deflate_pack_with(Dictionary dictionary, const char *data, size_t len, Buf *out);
DeflateResult deflate_unpack_with(Dictionary dictionary, const char *data, size_t len, Mem *mem,
                                  char *to, size_t size);
uint32_t deflate_crc32(const char *data, size_t len);

#endif
