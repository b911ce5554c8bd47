#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A header of include/nacre as Doxygen wants it, so that it can be written for people: comments before and behind
declarations become its own, before them; what is said of several functions that follow each other is said of each;
headings of sections become groups. Lines stay where they are.

usage: doxygen_filter.py HEADER|PAGE
"""

import re
import sys

COMMENT = r"/\*(?:[^*]|\*(?!/))*\*/"
HEADING = re.compile(r"/\* -{3,} *(?P<title>[^-\n]*?) *-{3,}(?P<rest>.*?)\*/\Z", re.S)


def behind(match):
    """A line of code with a comment behind it, which may go on in the next lines. Of fields that share a line,
    each gets it."""
    indent, code, comment = match.group("indent", "code", "comment")
    several = re.match(r"([\w ]+?) (\**\w+(?:\[\w+\])?(?:, *\**\w+(?:\[\w+\])?)+);\Z", code)
    if not several:
        return indent + "/**" + comment[2:] + " " + code
    first, *others = re.split(", *", several.group(2))
    plain = re.sub(r"\s*\n\s*\*?\s*", " ", comment)
    return indent + "/**%s %s %s;" % (comment[2:], several.group(1), first) + "".join(
        " /**%s %s %s;" % (plain[2:], several.group(1), name) for name in others)


def is_function(statement):
    return re.match(r"\s*NACRE(_RT)?_API\b", statement) is not None


def spread(block):
    """The comment of a function before each of those that follow it at once."""
    found = re.match(r"\s*(" + COMMENT + r")\s*\n", block)
    if not found:
        return block
    said = re.sub(r"\s*\n\s*\*?\s*", " ", found.group(1))  # in one line
    parts = re.split(r"(?<=;)(?=[ \t]*\n)", block[found.end():])
    first = True
    for i, part in enumerate(parts):
        if not part.strip() or not is_function(part):
            first = first and not part.strip()
            continue
        if not first and "/*" not in part:
            start = re.match(r"\s*", part).end()
            parts[i] = part[:start] + said + " " + part[start:]
        first = False
    return block[:found.end()] + "".join(parts) if is_function(parts[0]) else block


def filtered(text):
    text = re.sub(r"^(?P<indent>[ \t]*)(?P<code>[^\s/*][^\n]*?)[ \t]*(?P<comment>" + COMMENT + r")[ \t]*$", behind, text,
                  flags=re.M)
    text = re.sub(r"^/\*(?!\*)(?! -{3,})", "/**", text, flags=re.M)
    text = re.sub(r"^([ \t]+)/\*(?!\*)", r"\1/**", text, flags=re.M)
    text = "\n\n".join(spread(block) for block in text.split("\n\n"))
    groups = 0

    def heading(match):
        nonlocal groups
        found = HEADING.match(match.group(0))
        if not found:
            return match.group(0)
        groups += 1
        close = "/** @} */ " if groups > 1 else ""
        rest = found.group("rest").rstrip()
        return "%s/** @name %s%s */ /** @{ */" % (close, found.group("title"), rest)

    text = re.sub(COMMENT, heading, text)
    text = text.replace("/**", "/** @file\n", 1) if "/**" in text else text
    return text + ("/** @} */\n" if groups else "")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        whole = file.read()
    # Pages link others by their place in the tree, where they are read as a rule.
    pages = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", whole)
    sys.stdout.write(pages if sys.argv[1].endswith(".md") else filtered(whole))
