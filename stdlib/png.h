// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Pictures as PNG files.

#ifndef NACRE_STDLIB_PNG_H
#define NACRE_STDLIB_PNG_H

#include "lang/support/buf.h"

// Appends a PNG of height * width pixels, four bytes (red, green, blue, opacity) each. The bytes
// are stored without compression.
void png_write(const unsigned char *rgba, uint32_t width, uint32_t height, Buf *out);

#endif
