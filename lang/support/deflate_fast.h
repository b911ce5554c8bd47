// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A fast encoder of raw deflate streams (RFC 1951), for images, which are written once and mostly hold runs.

#ifndef NACRE_LANG_SUPPORT_DEFLATE_FAST_H
#define NACRE_LANG_SUPPORT_DEFLATE_FAST_H

#include "lang/support/buf.h"

// Appends to `out`; out->failed is set if memory ran out. Needs no zlib.
void deflate_fast(const char *data, size_t len, Buf *out);

// The same in pieces, so that not all data has to be in memory at once. deflate_fast_begin returns NULL if there is no
// memory; deflate_fast_end frees the encoder.
enum { DEFLATE_WINDOW = 32768 }; // the largest distance of a match

typedef struct DeflateFast DeflateFast;

DeflateFast *deflate_fast_begin(Buf *out);
// Packs data[from, len). data[0, from) has to be the end of what was packed before; matches may refer to it.
void deflate_fast_add(DeflateFast *encoder, const char *data, size_t from, size_t len);
void deflate_fast_end(DeflateFast *encoder);

#endif
