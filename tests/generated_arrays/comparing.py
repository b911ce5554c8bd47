# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Where two outputs of one array program differ, step by step."""

import math
import re

import numpy as np

HEAD = re.compile(r"^(\d+) ([=~!]) ?(.*)$")
NUMBER = re.compile(r"[-+]?(?:nan|inf|\d+\.?\d*(?:e[-+]?\d+)?)")
ELEMENT = re.compile(NUMBER.pattern + "|True|False")
LABEL = re.compile(r"# (\d+) (.*)$", re.M)
FAILURE = re.compile(r"^\d+ ! (\w+): ?(.*)$", re.S)

# What an integer power says that has written some of its elements.
HALF_WAY = re.compile(r"^\d+ ! ValueError: Integers to negative integer powers are not allowed\.$")

# NumPy's own classes of exceptions, and the built-in ones that stand for them.
BASES = {
    "AxisError": ("ValueError", "IndexError"),
    "UFuncTypeError": ("TypeError",),
    "_UFuncNoLoopError": ("TypeError",),
    "DTypePromotionError": ("TypeError",),
    "LinAlgError": ("ValueError",),
}


class Found:
    """A difference: at which step, of what kind, and what the two printed."""

    def __init__(self, step, label, kind, got, want):
        self.step, self.label, self.kind, self.got, self.want = step, label, kind, got, want

    @property
    def signature(self):
        """The same for differences that probably have one cause, and while one is made small."""
        def plain(text):
            return re.sub(r"[-+]?\d[\d.e+-]*", "N", text.split("\n")[0])[:70]

        return "%s: %s: %s / %s" % (self.label, self.kind, plain(self.got), plain(self.want))

    def __str__(self):
        return "%s (%s)\n    nacre: %s\n    numpy: %s" % (self.kind, self.label, self.got, self.want)


def blocks(output):
    """[(step, text)] of an output: each begins with a head line."""
    found = []
    for line in output.split("\n"):
        match = HEAD.match(line)
        if match:
            found.append([int(match.group(1)), line])
        elif found:
            found[-1][1] += "\n" + line
        elif line:
            found.append([-1, line])
    return [(step, text.rstrip("\n")) for step, text in found]


def labels(text):
    """{step: label} of a program."""
    return {int(m.group(1)): re.sub(r" w$", "", m.group(2)) for m in LABEL.finditer(text)}


def unit(value, dtype):
    """The unit in the last place of a value."""
    kind = np.dtype({"complex64": "float32", "complex128": "float64", "python": "float64"}.get(
        dtype, dtype)).type
    with np.errstate(all="ignore"):
        return float(abs(np.spacing(kind(min(abs(value), float(np.finfo(kind).max))))))


def near(got, want, ulp, scale, dtype):
    if got == want:
        return True
    a, b = float(got), float(want)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return math.isnan(a) and math.isnan(b) or a == b or overflows(a, b, dtype)
    size = abs(b) if scale is None else max(scale, abs(b))
    return abs(a - b) <= ulp * unit(size, dtype)


def overflows(a, b, dtype):
    """One is the largest number or nearly so, the other infinite."""
    finite, other = (a, b) if math.isinf(b) else (b, a)
    largest = float(np.finfo(dtype if dtype != "python" else "float64").max)
    return math.isinf(other) and finite * other > 0 and abs(finite) >= largest * (1 - 1e-3)


def within(got, want):
    """Blocks with a tolerance in their head."""
    got_lines, want_lines = got.split("\n"), want.split("\n")
    if got_lines[0] != want_lines[0] or len(got_lines) != len(want_lines):
        return False
    _, _, ulp, scale, *kind = want_lines[0].split(None, 5)
    dtype = kind[1].split()[0] if len(kind) > 1 else "float64"
    if dtype not in ("float16", "float32", "float64", "complex64", "complex128", "python"):
        return got == want
    scale = None if scale == "None" else float(scale)
    got_text, want_text = "\n".join(got_lines[1:]), "\n".join(want_lines[1:])
    if NUMBER.split(got_text) != NUMBER.split(want_text):
        return False
    ours, theirs = NUMBER.findall(got_text), NUMBER.findall(want_text)
    sizes = [scale] * len(theirs)
    if "complex" in want_lines[0]:
        sizes = [max(size, scale or 0.0) for size in moduli(theirs)]
    return all(near(a, b, float(ulp), size, dtype) for a, b, size in zip(ours, theirs, sizes))


def moduli(texts):
    """The size of each complex number, for both parts: first all real ones, then the imaginary."""
    values, half = [abs(float(text)) for text in texts], len(texts) // 2
    sizes = [max((v for v in pair if math.isfinite(v)), default=0.0)
             for pair in zip(values[:half], values[half:])]
    return sizes * 2


def message(text):
    """A failure's type and text without what is said to be different."""
    match = FAILURE.match(text)
    name, said = match.groups()
    # Which of the two NumPy says depends on what it has looked up before.
    said = re.sub(r"^No loop matching the specified signature and casting was found for ufunc (\w+)$"
                  r"|^ufunc '(\w+)' did not contain a loop with signature matching types .*",
                  lambda m: "no loop of " + (m.group(1) or m.group(2)), said)
    said = re.sub(r"^(p_\d+|program)\.(?=<?\w+>?\(\))", "", said)  # the program's own name
    said = re.sub(r"\b_?(\w+?)_dispatcher\(\)", r"\1()", said)
    return name, said


def failures_agree(got, want):
    (got_name, got_text), (want_name, want_text) = message(got), message(want)
    names = (want_name,) + BASES.get(want_name, ())
    return got_name in names and got_text == want_text


def blocks_agree(got, want):
    if got == want:
        return True
    if FAILURE.match(got) and FAILURE.match(want):
        return failures_agree(got, want)
    if " ~ " in want.split("\n", 1)[0]:
        return within(got, want)
    return False


def kind_of_difference(got, want):
    failed = [bool(FAILURE.match(text)) for text in (got, want)]
    if all(failed):
        return "type" if message(got)[0] not in (message(want)[0],) + BASES.get(
            message(want)[0], ()) else "message"
    if any(failed):
        return "raises" if failed[0] else "passes"
    return "value" if got.split("\n")[0] == want.split("\n")[0] else "result"


def unwritten(text, step, got, want):
    """Only elements differ that where= leaves out of a new array, and are 0 in Nacre."""
    call = re.search(r"^(.*)# %s " % step, text, re.M)
    if not call or not re.search(r"where=(?!True)", call.group(1)):
        return False
    if re.search(r"out=(?!None|\(None,\))", call.group(1)):
        return False
    _, mark, *rest = want.split("\n")[0].split()
    ulp, dtype = (float(rest[0]), rest[3]) if mark == "~" else (0, "float64")
    ours, theirs = (ELEMENT.findall(block.split("\n")[1]) for block in (got, want))
    return len(ours) == len(theirs) and all(
        a == b or a == "False" or a[-1].isdigit() and (float(a) == 0 or close(a, b, ulp, dtype))
        for a, b in zip(ours, theirs))


def close(got, want, ulp, dtype):
    """Two numbers of a block with a tolerance in its head, or of one without: that is 0."""
    return ulp > 0 and near(got, want, ulp, None, dtype)


def positive_zeros(block):
    """The head and elements of a block, zeros without their signs."""
    return re.sub(r"-0\.0(?![\de])", "0.0", "\n".join(block.split("\n")[:2]))


def alike_but_zeros(got, want):
    """Only the signs of zeros differ."""
    return positive_zeros(got) == positive_zeros(want)


def alike_but_infinite(got, want):
    """Only complex numbers differ that are not finite in either block."""
    head = want.split("\n")[0]
    if " complex" not in head:
        return False
    ours, theirs = (NUMBER.findall(block.split("\n")[1]) for block in (got, want))
    if len(ours) != len(theirs) or len(ours) % 2:
        return False
    mark, *rest = head.split()[1:]
    ulp, dtype = (float(rest[0]), rest[3]) if mark == "~" else (0, "complex128")
    numbers = [list(zip(parts, parts[len(parts) // 2:])) for parts in (ours, theirs)]
    sizes = moduli(theirs)
    return all(
        not finite(a) and not finite(b) or all(near(x, y, ulp, size, dtype) for x, y in zip(a, b))
        for a, b, size in zip(*numbers, sizes))


def finite(parts):
    return all(math.isfinite(float(part)) for part in parts)


def milder_kind(text, step, got, want, before):
    """What sort of different values there are; `before`: the two blocks in front of them."""
    if all(HALF_WAY.match(block) and HEAD.match(block).group(1) == str(step) for block in before):
        return "half-way"
    if unwritten(text, step, got, want):
        return "unwritten"
    if alike_but_zeros(got, want):
        return "zeros"
    return "infinite" if alike_but_infinite(got, want) else "value"


def first_difference(text, got, want):
    """A Found, or None. `got` and `want` are (output, {line: set of warnings})."""
    names = labels(text)
    ours, theirs = blocks(got[0]), blocks(want[0])
    for at, (step, wanted) in enumerate(theirs):
        if at >= len(ours):
            return Found(step, names.get(step, "?"), "ends", "(end of output)", wanted)
        if ours[at][0] != step or not blocks_agree(ours[at][1], wanted):
            mine = ours[at][1]
            kind = kind_of_difference(mine, wanted)
            if kind == "value":
                before = [found[at - 1][1] if at else "" for found in (ours, theirs)]
                kind = milder_kind(text, step, mine, wanted, before)
            return Found(step, names.get(step, "?"), kind, mine, wanted)
    if len(ours) > len(theirs):
        step, mine = ours[len(theirs)]
        return Found(step, names.get(step, "?"), "goes on", mine, "(end of output)")
    return warnings_differ(text, got[1], want[1])


def warnings_differ(text, got, want):
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith(" w") and LABEL.search(line):
            mine, wanted = got.get(number, set()), want.get(number, set())
            if mine != wanted:
                step, label = LABEL.search(line).groups()
                masked = re.search(r"where=(?!True)", line) and mine < wanted
                kind = "masked-warnings" if masked else "warnings"
                return Found(int(step), label[:-2], kind, "; ".join(sorted(mine)) or "none",
                             "; ".join(sorted(wanted)) or "none")
    return None
