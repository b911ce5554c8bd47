#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes lang/support/unicode_names.def, the names of characters that \N{...} knows, from Python's unicodedata.
#
#     python3.11 tools/gen_unicode_names.py > lang/support/unicode_names.def
#
# All 34,000 names would make the library a tenth larger, so these are the blocks that texts and plots are written with
# (BLOCKS). WORDS is all words that occur, the most frequent first. NAMES is runs of code points: the first as three
# bytes, how many they are as two, and for each its words as numbers from 1, of one byte below 128, else of two bytes
# with the high bit set in the first; 0 ends a name, which is empty where a code point has none.

import unicodedata
from collections import Counter

BLOCKS = [
    (0x0020, 0x024F),    # Latin
    (0x02B0, 0x036F),    # modifier letters, combining marks
    (0x0370, 0x045F),    # Greek, Cyrillic
    (0x05D0, 0x05EA),    # Hebrew letters
    (0x1E00, 0x1EFF),    # Latin, additional
    (0x2000, 0x23FF),    # punctuation, superscripts, currencies, letterlike, numbers, arrows, operators, technical
    (0x2500, 0x27FF),    # boxes, blocks, shapes, symbols, dingbats, arrows
    (0x2900, 0x2BFF),    # arrows, operators, symbols
    (0x1F300, 0x1F64F),  # pictographs, faces
    (0x1F680, 0x1F6FF),  # transport
    (0x1F900, 0x1F9FF),  # more pictographs
]
PER_LINE = 26


def numbered(number):
    return [number] if number < 128 else [128 | number >> 8, number & 255]


def main():
    names = [[unicodedata.name(chr(c), "").split() for c in range(a, b + 1)] for a, b in BLOCKS]
    counts = Counter(word for block in names for name in block for word in name)
    words = sorted(counts, key=lambda word: (-counts[word], word))
    numbers = {word: i + 1 for i, word in enumerate(words)}
    data = []
    for (first, last), block in zip(BLOCKS, names):
        count = last - first + 1
        data += [first >> 16, first >> 8 & 255, first & 255, count >> 8, count & 255]
        for name in block:
            data += [byte for word in name for byte in numbered(numbers[word])] + [0]
    print("// SPDX-License-Identifier: Apache-2.0\n// Copyright 2026 The Nacre Authors\n//")
    print("// Written by tools/gen_unicode_names.py from Unicode %s." % unicodedata.unidata_version)
    print("#ifdef WORDS")
    for i in range(0, len(words), 10):
        print('WORDS("%s ")' % " ".join(words[i:i + 10]))
    print("#endif\n#ifdef NAMES")
    for i in range(0, len(data), PER_LINE):
        print("NAMES(%s)" % ", ".join(map(str, data[i:i + PER_LINE])))
    print("#endif")


main()
