// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Pictures as PNG files.

#ifndef NACRE_STDLIB_PNG_H
#define NACRE_STDLIB_PNG_H

#include "lang/support/buf.h"

// Where a picture's rows come from, one after the other: four bytes (red, green, blue, opacity) for each pixel.
typedef struct PngRows {
    void (*get)(const void *ctx, uint32_t y, unsigned char *rgba);
    const void *ctx;
} PngRows;

// Appends a PNG; out->failed says that there is no memory.
void png_write(const PngRows *rows, uint32_t width, uint32_t height, Buf *out);

#endif
