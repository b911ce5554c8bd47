// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A raw deflate stream (RFC 1951) in little time: for pictures, which are written once and mostly hold runs.

#ifndef NACRE_LANG_SUPPORT_DEFLATE_FAST_H
#define NACRE_LANG_SUPPORT_DEFLATE_FAST_H

#include "lang/support/buf.h"

// Appends to `out`; out->failed says that there is no memory. Needs no zlib.
void deflate_fast(const char *data, size_t len, Buf *out);

// The same in pieces, so that not all of it has to be in memory at once. Without memory there is none.
enum { DEFLATE_WINDOW = 32768 }; // as far as matches go back

typedef struct DeflateFast DeflateFast;

DeflateFast *deflate_fast_begin(Buf *out);
// Packs what lies between `from` and `len`; what is before `from` was packed last, and is looked at again.
void deflate_fast_add(DeflateFast *encoder, const char *data, size_t from, size_t len);
void deflate_fast_end(DeflateFast *encoder);

#endif
