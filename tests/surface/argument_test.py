#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Every call of calls.txt with other arguments (variations.py), by Nacre and by NumPy: the same value of the
same type, or the same exception.

    argument_test.py NACRE                what differs fails, if neither explained.txt nor open.txt has it
    argument_test.py NACRE --update       write open.txt anew: what differs and has no explanation
    argument_test.py NACRE --only sort    calls whose name has this in it
    argument_test.py NACRE --kinds        how many attempts differ, by the kind of difference
"""

import argparse
import collections
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from surface import HERE, ROLES, read_calls, roles_text
from variations import variations

BATCH = 1500  # attempts that share a process
LIMIT = 240   # seconds for one
# Of how many attempts one is made: with NACRE_STRESS every statement checks all references.
SAMPLE = 10 if "NACRE_STRESS" in os.environ else 1
EXPLAINED = os.path.join(HERE, "explained.txt")
OPEN = os.path.join(HERE, "open.txt")
PREAMBLE = ""  # what else stands before attempts


class Attempt(NamedTuple):
    name: str
    kind: str
    text: str


def attempts_of(calls):
    seen, found = set(), []
    for call in calls:
        for kind, text in variations(call):
            if text not in seen:
                seen.add(text)
                found.append(Attempt(call.name, kind, text))
    return found


def script(attempts, begin):
    with open(os.path.join(HERE, "attempts.py"), encoding="utf-8") as file:
        lines = [roles_text(), file.read(), PREAMBLE]
    renew = ["made = make(10)"] + ["%s = made[%r]" % (role, role) for role in ROLES if role not in ("rng", "legacy")]
    lines += renew
    for number, attempt in enumerate(attempts, begin):
        text = re.sub(r"\brng\b", "np.random.default_rng(7)", attempt.text)
        text = re.sub(r"\blegacy\b", "np.random.RandomState(7)", text)
        lines.append("attempt(%d, lambda: %s)" % (number, text))
        if "overwrite_input" in text:  # leaves its operand in an order that NumPy does not promise
            lines += renew
    return "\n".join(lines) + "\n"


def answers(command, attempts, begin, folder):
    """{number: answer}; an attempt that ends or stops the process answers so, and the next ones go on."""
    found = {}
    while begin < len(attempts):
        end = min(begin + BATCH, len(attempts))
        path = os.path.join(folder, "attempts_now.ncr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script(attempts[begin:end], begin))
        try:
            done = subprocess.run(command + [path], cwd=folder, capture_output=True, text=True, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL)
            out, how = done.stdout, "ends with exit status %d: %s" % (done.returncode, done.stderr[-300:])
        except subprocess.TimeoutExpired as error:
            out, how = (error.stdout or b"").decode(), "does not end"
        last = begin - 1
        for line in out.splitlines():
            number, _, answer = line.partition(" ")
            if number.isdigit():
                last = int(number)
                found[last] = answer
        if last + 1 < end:
            found[last + 1] = how
            last += 1
        begin = last + 1
    return found


def both(nacre, attempts):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, ThreadPoolExecutor(2) as pool:
        ours = pool.submit(answers, [nacre, "run"], attempts, 0, one)
        theirs = pool.submit(answers, [sys.executable, "-W", "ignore"], attempts, 0, other)
        return ours.result(), theirs.result()


# --- Comparing -----------------------------------------------------------------------------------

NUMBERS = {"nan": math.nan, "inf": math.inf, "infj": complex(0, math.inf), "nanj": complex(0, math.nan),
           "True": True, "False": False, "__builtins__": {}}
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "complex64": 2e-5}


def near(a, b, tolerance):
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(near(x, y, tolerance) for x, y in zip(a, b))
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        whole = max(abs(x) for x in (a.real, a.imag, b.real, b.imag))
        return all(near_float(x, y, tolerance, whole) for x, y in ((a.real, b.real), (a.imag, b.imag)))
    if isinstance(a, float) and isinstance(b, float):
        return near_float(a, b, tolerance, abs(b))
    return type(a) is type(b) and a == b


def near_float(a, b, tolerance, size):
    if a == b or (a != a and b != b):
        return True
    if math.isinf(a) or math.isinf(b) or a != a or b != b:
        return False
    return abs(a - b) <= tolerance * max(size, 1e-3 if math.isfinite(size) else 0)


def parted(answer):
    """A value's text: what it is, and its numbers."""
    match = re.fullmatch(r"(array \w+ \([^)]*\)|scalar \w+|int|float|complex|bool) (.*)", answer)
    if not match:
        return answer, None
    try:
        return match.group(1), eval(match.group(2), dict(NUMBERS))  # digits, brackets, nan and inf
    except (SyntaxError, NameError, TypeError):
        return answer, None


def pieces(answer):
    """A tuple's or list's parts, if it is one of values that are none."""
    match = re.fullmatch(r"(tuple|list|\w+Result|\w+)\((.*)\)", answer)
    return (match.group(1), match.group(2).split("; ")) if match and not answer.startswith("raises") else None


def difference(ours, theirs):
    """How two answers differ; None: they do not."""
    if ours == theirs:
        return None
    if ours is None or ours.startswith(("ends", "does not end")):
        return "crash" if theirs is None or not theirs.startswith(("ends", "does not end")) else None
    raised, raises = ours.startswith("raises "), theirs.startswith("raises ")
    if raised and raises:
        kind, other = ours.split(" ")[1], theirs.split(" ")[1]
        return None if kind == other else "other exception"
    if raised:
        return "refused"
    if raises:
        return "accepted"
    mine, other = pieces(ours), pieces(theirs)
    if mine and other and len(mine[1]) == len(other[1]):
        found = [difference(a, b) for a, b in zip(mine[1], other[1])]
        return next((one for one in found if one), None)
    (what, values), (what_else, others) = parted(ours), parted(theirs)
    if what != what_else:
        return "type"
    if values is None or others is None:
        return "text"
    tolerance = max([t for name, t in TOLERANCE.items() if name in what] or [1e-9])
    return None if near(values, others, tolerance) else "value"


def read_explained():
    """[(pattern of 'name: kind: difference: text => ours / theirs', reason)]"""
    rows, reason = [], ""
    with open(EXPLAINED, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("# ") or not line:
                reason = line[2:] if line.startswith("# ") else reason
            else:
                rows.append((re.compile(line), reason))
    return rows


def read_open():
    """What is known to differ and to be wrong: 'name: kind: difference', each to be mended."""
    if not os.path.exists(OPEN):
        return set()
    with open(OPEN, encoding="utf-8") as file:
        return {line.rstrip("\n") for line in file if not line.startswith("#")}


def write_open(rows):
    with open(OPEN, "w", encoding="utf-8") as file:
        file.write("# Differences from NumPy that are still to be mended. New ones fail; so do those that are gone: "
                   "write the file anew with --update.\n")
        file.writelines("%s\n" % row for row in sorted(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--update", action="store_true", help="write open.txt anew")
    parser.add_argument("--most", type=int, default=200, help="how many differences are shown")
    options = parser.parse_args()
    attempts = attempts_of([call for call in read_calls() if options.only in call.name])[::SAMPLE]
    ours, theirs = both(os.path.abspath(options.nacre), attempts)
    rows, unexplained, explained = read_explained(), [], collections.Counter()
    still_open, met = read_open(), set()
    kinds, new = collections.Counter(), []
    for number, attempt in enumerate(attempts):
        mine, other = ours.get(number), theirs.get(number)
        how = difference(mine, other if other is not None else "ends")
        if how is None:
            continue
        text = "%s: %s: %s: %s => %s / %s" % (attempt.name, attempt.kind, how, attempt.text, mine, other)
        match = next((reason for pattern, reason in rows if pattern.search(text)), None)
        if match is None:
            row = "%s: %s: %s" % (attempt.name, attempt.kind, how)
            met.add(row)
            kinds[how, attempt.kind] += 1
            unexplained.append(text)
            if row not in still_open:
                new.append(text)
        else:
            explained[match] += 1
    if options.kinds:
        for (how, kind), count in kinds.most_common(60):
            print("%5d %s: %s" % (count, how, kind))
    else:
        print("\n".join((new or unexplained)[:options.most]))
    for reason, count in explained.most_common():
        print("%5d explained: %s" % (count, reason))
    print("%d attempts of %d calls, %d differ without an explanation" %
          (len(attempts), len({attempt.name for attempt in attempts}), len(unexplained)))
    if options.update:
        write_open(met)
        return False
    gone = [] if options.only or SAMPLE > 1 else sorted(still_open - met)
    print("%d of them new; %d rows of open.txt differ no more: %s" % (len(new), len(gone), "; ".join(gone)))
    return bool(new or gone)


if __name__ == "__main__":
    sys.exit(main())
