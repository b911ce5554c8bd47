# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""When two printed outputs say the same: numbers within a relative tolerance, all else exact.

Integers are exact too. Where the numbers of a line differ in their last digits, its blanks are not
compared: NumPy aligns columns by the digits it prints.
"""

import re

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?j?(?!\w)")


def is_integer(text):
    return text.lstrip("+-").isdigit()


def numbers_agree(got, want, rtol):
    if got == want:
        return True
    if is_integer(got) or is_integer(want) or got.endswith("j") != want.endswith("j"):
        return False
    a, b = float(got.rstrip("j")), float(want.rstrip("j"))
    if a == b:
        # Equal values in different spellings; the sign of a zero is part of the answer.
        return a != 0 or got.startswith("-") == want.startswith("-")
    return abs(a - b) <= rtol * max(abs(a), abs(b))


def lines_agree(got, want, rtol):
    if got == want:
        return True
    got_text = [part.split() for part in NUMBER.split(got)]
    want_text = [part.split() for part in NUMBER.split(want)]
    if got_text != want_text:
        return False
    got_numbers, want_numbers = NUMBER.findall(got), NUMBER.findall(want)
    if got_numbers == want_numbers:
        return False  # only the blanks differ
    return all(numbers_agree(a, b, rtol) for a, b in zip(got_numbers, want_numbers))


def first_difference(got, want, rtol):
    """None when the outputs agree, else (line number, got line, wanted line)."""
    if got == want:
        return None
    got_lines, want_lines = got.split("\n"), want.split("\n")
    for number, (a, b) in enumerate(zip(got_lines, want_lines), 1):
        if not lines_agree(a, b, rtol):
            return number, a, b
    if len(got_lines) == len(want_lines):
        return None
    number = min(len(got_lines), len(want_lines))
    absent = "(end of output)"
    return (number + 1, got_lines[number] if number < len(got_lines) else absent,
            want_lines[number] if number < len(want_lines) else absent)
