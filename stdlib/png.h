// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Writes pictures as PNG files.

#ifndef NACRE_STDLIB_PNG_H
#define NACRE_STDLIB_PNG_H

#include "lang/support/buf.h"

// The source of a picture's rows. `get` is called for one row after the other, and writes four bytes (red, green, blue,
// opacity) for each pixel.
typedef struct PngRows {
    void (*get)(const void *ctx, uint32_t y, unsigned char *rgba);
    const void *ctx;
} PngRows;

// Appends a PNG to `out`; sets out->failed if memory ran out.
void png_write(const PngRows *rows, uint32_t width, uint32_t height, Buf *out);

#endif
