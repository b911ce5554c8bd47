// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// The files of DejaVu's fonts, as they are found when the plug-in is built (NACRE_FONTS: their folder). They have a
// licence of their own: Bitstream Vera's, which allows to embed and sell them with any program, not to sell them
// alone; what DejaVu has added is in the public domain.

#include "stdlib/pictures/fonts.h"

#define EMBED(name, file)                                                                                              \
    __asm__(".pushsection .rodata\n.balign 16\n.hidden font_" #name "\n.globl font_" #name "\nfont_" #name             \
            ":\n.incbin \"" NACRE_FONTS "/" file "\"\n.hidden font_" #name "_end\n.globl font_" #name                  \
            "_end\nfont_" #name "_end:\n.byte 0\n.popsection\n");                                                      \
    extern __attribute__((visibility("hidden"))) const unsigned char font_##name[], font_##name##_end[];

EMBED(sans, "DejaVuSans.ttf")
EMBED(sans_bold, "DejaVuSans-Bold.ttf")
EMBED(mono, "DejaVuSansMono.ttf")
EMBED(serif, "DejaVuSerif.ttf")

const FontFile font_files[FONT_FACES] = {
    {font_sans, font_sans_end},
    {font_sans_bold, font_sans_bold_end},
    {font_mono, font_mono_end},
    {font_serif, font_serif_end},
};
