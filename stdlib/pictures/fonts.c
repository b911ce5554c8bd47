// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Nacre Authors
//
// Embeds the files of DejaVu's fonts, from the folder NACRE_FONTS, when the plug-in is built. They have a licence of
// their own: Bitstream Vera's, which allows embedding and selling them with any program, but not selling them alone.
// DejaVu's additions are in the public domain.

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
