#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Draws comments of C sources at random, for readers to judge.

usage: sample_comments.py [--count N] [--seed S] [FOLDER ...]

Prints the place and text of N comments, and the code that each stands at. A comment is a block of
lines, or what stands behind code on a line with the lines that continue it. Licence lines and
headings ("// --- Name ---") do not count. The same seed gives the same comments as long as the
sources stay as they are.
"""

import argparse
import os
import random
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A string or a character, which may contain what looks like a comment, or a comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
HEADING = re.compile(r"-{3,}")
LICENCE = re.compile(r"SPDX-License-Identifier|Copyright \d{4}")


def line_comments(text):
    """Yields (line, column, text) of each comment; lines count from 0."""
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    line = 0
    for match in TOKEN.finditer(text):
        token = match.group()
        if not token.startswith("/"):
            continue
        while line + 1 < len(starts) and starts[line + 1] <= match.start():
            line += 1
        words = token[2:] if token.startswith("//") else token[2:-2]
        yield line, match.start() - starts[line], words.strip()


def comments(text):
    """Yields (line, text, code) of each comment; lines count from 1."""
    lines = text.split("\n")
    blocks = []
    for line, column, words in line_comments(text):
        last = blocks[-1] if blocks else None
        starts_line = not lines[line][:column].strip()
        joins = last and starts_line and last["end"] == line - 1 and last["column"] == column
        if LICENCE.search(words) or HEADING.match(words):
            continue
        if joins:
            last["end"] = line
            last["words"].append(words)
        else:
            blocks.append({"line": line, "end": line, "column": column, "words": [words],
                           "code": lines[line][:column].strip()})
    for block in blocks:
        words = " ".join(" ".join(block["words"]).split())
        if words:
            yield block["line"] + 1, words, block["code"] or next_code(lines, block["end"] + 1)


def next_code(lines, at):
    """The first line of code from a line on."""
    for line in lines[at:]:
        code = line.strip()
        if code and not code.startswith("//"):
            return code
    return ""


def sources(folders):
    for folder in folders:
        for path, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.join(path, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("folders", nargs="*", default=["vm", "backends"])
    options = parser.parse_args()
    found = []
    for path in sources(options.folders):
        with open(path, encoding="utf-8") as file:
            place = os.path.relpath(path, ROOT)
            found += [(place, *comment) for comment in comments(file.read())]
    if not found:
        sys.exit("no comments in " + " ".join(options.folders))
    count = min(options.count, len(found))
    drawn = sorted(random.Random(options.seed).sample(found, count))
    for number, (place, line, words, code) in enumerate(drawn, 1):
        print(f"{number}. {place}:{line}: {words}")
        print(f"     {code}")
    print(f"{count} of {len(found)} comments, seed {options.seed}", file=sys.stderr)


if __name__ == "__main__":
    main()
