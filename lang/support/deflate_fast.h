// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// A raw deflate stream (RFC 1951) in little time: for pictures, which are written once and mostly hold runs.

#ifndef NACRE_LANG_SUPPORT_DEFLATE_FAST_H
#define NACRE_LANG_SUPPORT_DEFLATE_FAST_H

#include "lang/support/buf.h"

// Appends to `out`; out->failed says that there is no memory. Needs no zlib.
void deflate_fast(const char *data, size_t len, Buf *out);

#endif
