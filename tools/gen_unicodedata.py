#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Writes the tables of stdlib/unicodedata.ncr from Python's own module.

    python3.11 tools/gen_unicodedata.py

_unicodedata_tables.ncr: for each property the code points where its value changes, each as how far it is from the last
one (hexadecimal) and the value; decompositions likewise; numbers as runs of values that count up. _unicodedata_names.ncr:
names of runs of code points, each as how many words it has from the one before, and its own words. What the names leave
out: those made of numbers (ideographs, Hangul), and scripts beyond U+FFFF but symbols, mathematical letters, pictographs.
"""

import os
import unicodedata
from fractions import Fraction

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "stdlib")
ALL = range(0x110000)
NAMED = [(0, 0x3400), (0x4DC0, 0x4E00), (0xA000, 0xAC00), (0xD7B0, 0xF900), (0xFB00, 0x10000), (0x10100, 0x10200),
         (0x1D000, 0x1D800), (0x1F000, 0x20000), (0xE0000, 0xE0200)]
HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Copyright 2026 The Nacre Authors\n#\n# Written by tools/gen_unicodedata.py from Unicode %s.\n"


def changes(value):
    tokens, last, before = [], 0, None
    for c in ALL:
        now = value(chr(c))
        if now != before:
            tokens.append(f"{c - last:x}{now}" if isinstance(now, str) else f"{c - last:x}.{now}")
            last, before = c, now
    return tokens


def decompositions():
    tokens, last = [], 0
    for c in ALL:
        text = unicodedata.decomposition(chr(c))
        if text and not 0xAC00 <= c < 0xD7A4:
            kind, _, rest = text.rpartition(">")
            points = ",".join(f"{int(p, 16):x}" for p in rest.split())
            tokens.append(f"{c - last:x}{kind.replace('<', '=')}:{points}")
            last = c
    return tokens


def numbers():
    """distance, length, kind (d decimal, g digit, n number), first value."""
    tokens, run, last = [], None, 0
    for c in [*ALL, None]:
        value = None if c is None else unicodedata.numeric(chr(c), None)
        if value is not None:
            value = Fraction(value).limit_denominator(1000)
            kind = "d" if unicodedata.decimal(chr(c), None) is not None else "g" if unicodedata.digit(chr(c), None) is not None else "n"
        if run and value is not None and c == run[0] + run[1] and kind == run[2] and value == run[3] + run[1]:
            run[1] += 1
            continue
        if run:
            tokens.append(f"{run[0] - last:x},{run[1]}{run[2]}{run[3]}")
            last, run = run[0], None
        if value is not None:
            run = [c, 1, kind, value]
    return tokens


def names():
    tokens, before, last = [], [], -2
    for first, end in NAMED:
        for c in range(first, end):
            name = unicodedata.name(chr(c), None)
            if name is None or name.startswith(("CJK COMPATIBILITY IDEOGRAPH-", "HANGUL SYLLABLE")):
                continue
            words = name.split(" ")
            same = 0
            while same < min(len(words), len(before), 9) and words[same] == before[same]:
                same += 1
            place = "" if c == last + 1 else f"@{c:x} "
            tokens.append(place + str(same) + " ".join(words[same:]))
            before, last = words, c
    return tokens


def literal(name, tokens, glue):
    text = glue.join(tokens)
    yield f"{name} = ("
    for at in range(0, len(text), 112):
        yield "    " + repr(text[at:at + 112])
    yield ")"


def write(name, parts):
    with open(os.path.join(FOLDER, name), "w", encoding="ascii") as file:
        file.write(HEAD % unicodedata.unidata_version)
        for part in parts:
            file.write("\n" + "\n".join(part) + "\n")


def main():
    write("_unicodedata_tables.ncr", [
        literal("CATEGORY", changes(lambda c: unicodedata.category(c)), " "),
        literal("BIDIRECTIONAL", changes(lambda c: unicodedata.bidirectional(c) or "-"), " "),
        literal("COMBINING", changes(lambda c: unicodedata.combining(c)), " "),
        literal("MIRRORED", changes(lambda c: unicodedata.mirrored(c)), " "),
        literal("WIDTH", changes(lambda c: unicodedata.east_asian_width(c)), " "),
        literal("DECOMPOSITION", decompositions(), " "),
        literal("NUMBERS", numbers(), " "),
        literal("UNCOMPOSED", [f"{c:x}" for c in ALL if (d := unicodedata.decomposition(chr(c))) and d[0] != "<" and " " in d
                               and unicodedata.normalize("NFC", chr(c)) != chr(c)], " "),
    ])
    write("_unicodedata_names.ncr", [literal("NAMES", names(), "|")])


if __name__ == "__main__":
    main()
