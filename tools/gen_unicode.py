#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes vm/value/unicode.def, the character tables of str, from Python's unicodedata.
#
#     python3.11 tools/gen_unicode.py > vm/value/unicode.def
#
# Rows (code points in hexadecimal):
#   RUN(start, properties)                 up to the next row's start; bits as in unicode.h
#   UPPERCASE(first, last, stride)         characters with that property
#   LOWERCASE(first, last, stride)
#   TO_UPPER(first, last, stride, delta)   simple mappings: character + delta
#   TO_LOWER, TO_TITLE, TO_FOLD            title where it differs from upper, fold from lower
#   LONG_UPPER(from, a, b, c)              mappings to several characters; c is 0 when there are two
#   LONG_LOWER, LONG_TITLE, LONG_FOLD

import unicodedata

POINTS = [chr(i) for i in range(0x110000)]
# Unicode's Case_Ignorable (for the final sigma): these categories and this punctuation.
IGNORABLE = ("Mn", "Me", "Cf", "Lm", "Sk")
MID_LETTER = "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"

# In the order of the bits of UniProperty.
PROPERTIES = [
    str.isalpha,
    str.isdecimal,
    str.isdigit,
    str.isnumeric,
    str.isspace,
    str.isprintable,
    str.isidentifier,
    lambda c: ("a" + c).isidentifier(),
    lambda c: unicodedata.category(c) in IGNORABLE or c in MID_LETTER,
    lambda c: unicodedata.category(c) == "Lt",
]


def properties(c):
    return sum(1 << bit for bit, has in enumerate(PROPERTIES) if has(c))


def property_rows():
    last = None
    for c in POINTS:
        now = properties(c)
        if now != last:
            yield f"RUN({ord(c):X}, {now:X})"
        last = now


def strided(pairs):
    """Splits [(code point, delta)] into runs (first, last, stride, delta), stride 1 or 2."""
    at = 0
    while at < len(pairs):
        best, best_stride = at, 1
        for stride in (1, 2):
            end = at
            while (end + 1 < len(pairs) and pairs[end + 1][0] - pairs[end][0] == stride
                   and pairs[end + 1][1] == pairs[at][1]):
                end += 1
            if end > best:
                best, best_stride = end, stride
        yield pairs[at][0], pairs[best][0], best_stride, pairs[at][1]
        at = best + 1


def set_rows(macro, has):
    members = [(ord(c), 0) for c in POINTS if has(c)]
    for first, last, stride, _ in strided(members):
        yield f"{macro}({first:X}, {last:X}, {stride})"


def map_rows(name, convert, otherwise):
    """Rows of the mapping `convert` for the characters where it differs from `otherwise`."""
    pairs = []
    for c in POINTS:
        to = convert(c)
        if to == otherwise(c):
            continue
        if len(to) == 1:
            pairs.append((ord(c), ord(to) - ord(c)))
        else:
            points = [f"{ord(x):X}" for x in to] + ["0"] * (3 - len(to))
            yield f"LONG_{name}({ord(c):X}, {', '.join(points)})"
    for first, last, stride, delta in strided(pairs):
        yield f"TO_{name}({first:X}, {last:X}, {stride}, {delta})"


def show(rows):
    """Rows grouped by macro, packed into lines."""
    groups = {}
    for row in rows:
        groups.setdefault(row.partition("(")[0], []).append(row)
    for macro, group in groups.items():
        print(f"\n#ifdef {macro}")
        line = ""
        for row in group:
            if len(line) + 1 + len(row) > 100:
                print(line)
                line = ""
            line += " " * bool(line) + row
        print(line)
        print(f"#undef {macro}\n#endif")


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Copyright 2026 The Nacre Authors")
    print("//")
    print("// Character tables, written by tools/gen_unicode.py (which explains the rows) from")
    print(f"// Unicode {unicodedata.unidata_version}.")
    show(property_rows())
    show(set_rows("UPPERCASE", str.isupper))
    show(set_rows("LOWERCASE", str.islower))
    same = str  # str(c) is c
    show(map_rows("UPPER", str.upper, same))
    show(map_rows("LOWER", str.lower, same))
    show(map_rows("TITLE", str.title, str.upper))
    show(map_rows("FOLD", str.casefold, str.lower))


if __name__ == "__main__":
    main()
