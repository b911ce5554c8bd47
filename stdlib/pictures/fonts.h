// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The font files that are embedded in the plug-in (fonts.c).

#ifndef NACRE_STDLIB_PICTURES_FONTS_H
#define NACRE_STDLIB_PICTURES_FONTS_H

enum { FONT_FACES = 4 }; // sans, sans bold, mono, serif

typedef struct FontFile {
    const unsigned char *begin, *end;
} FontFile;
extern const FontFile font_files[FONT_FACES];

#endif
