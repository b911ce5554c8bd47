#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Every call of calls.txt and builtin_calls.txt with each argument in turn replaced by an object of a class of the
script (objects.py), by Nacre and by CPython with NumPy: the same value of the same type, or the same exception.

    object_test.py NACRE              some of the attempts
    object_test.py NACRE --all        all of them
    object_test.py NACRE --only clip  those with this in their text

A process that ends or does not, a SystemError and an endless recursion are failures. Of the other attempts a share may
differ without an explanation (objects_explained.txt, explained.txt): SHARE.
"""

import argparse
import ast
import collections
import os
import re
import sys

import argument_test
from argument_test import Attempt, both, difference
from surface import HERE, ROLES, read_calls

KINDS = {"index": "Index(%s)", "float": "Float(%s)", "complex": "Complex(%s)", "truth": "Truth(%s)",
         "array": "Array(%s)", "sequence": "Sequence(%s)", "iterable": "Iterable(%s)", "text": "Text(%s)",
         "raising": "Raising(%s)", "derived": "derived(%s)", "named": "named(%s)", "member": "Member(%s)",
         "deque": "deque(%s)", "fraction": "Fraction(%s)", "true": "(%s, True)[1]", "none": "(%s, None)[1]",
         "generator": "generator(%s)", "range": "(%s, range(2))[1]",
         "beyond": "(%s, np.uint64(2**63))[1]", "last": "(%s, np.uint64(2**64 - 1))[1]", "huge": "(%s, 2**64 + 1)[1]"}
EXPLAINED = os.path.join(HERE, "objects_explained.txt")
SHARE = 0.05
SEVERE = re.compile("^(raises SystemError|raises RuntimeError maximum recursion|ends|does not end)")
ADDRESS = re.compile("0x[0-9a-f]{6,}")
LARGE = ("beyond", "last", "huge")
ENDLESS = re.compile(r"^pow\(3, HOLE\)|split\(")  # with those


def replaced(text):
    """(number of the argument, call with a hole in its place, the argument's text)"""
    tree = ast.parse(text, mode="eval")
    call = tree.body
    if not isinstance(call, ast.Call):
        return
    places = [(call.args, i) for i in range(len(call.args)) if not isinstance(call.args[i], ast.Starred)]
    for at, (items, i) in enumerate(places):
        was = items[i]
        items[i] = ast.Name("HOLE")
        yield at, ast.unparse(tree), ast.unparse(was)
        items[i] = was
    for word in call.keywords:
        was, word.value = word.value, ast.Name("HOLE")
        yield word.arg, ast.unparse(tree), ast.unparse(was)
        word.value = was


def builtin_calls():
    with open(os.path.join(HERE, "builtin_calls.txt"), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def attempts():
    calls = [(call.name, call.text) for call in read_calls()]
    calls += [(text.split("(")[0] if not text.startswith("(") else text.split("(")[1], text) for text in builtin_calls()]
    seen, found = set(), []
    for name, call in calls:
        for at, text, argument in replaced(call):
            for kind, form in KINDS.items():
                if kind in LARGE and ENDLESS.search(text):
                    continue
                whole = text.replace("HOLE", form % argument)
                if whole not in seen:
                    seen.add(whole)
                    found.append(Attempt(name, "%s as %s" % (kind, at), whole))
    return found


def objects_text():
    with open(os.path.join(HERE, "objects.py"), encoding="utf-8") as file:
        return file.read()


def read_explained():
    rows = []
    for path in (argument_test.EXPLAINED, EXPLAINED):
        with open(path, encoding="utf-8") as file:
            rows += [re.compile(line.rstrip("\n")) for line in file if not line.startswith("# ") and line.strip()]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--part", type=int, default=60, help="of how many attempts one is made")
    parser.add_argument("--most", type=int, default=200, help="how many differences are shown")
    options = parser.parse_args()
    chosen = [one for one in attempts() if options.only in one.text]
    if not (options.all or options.only):
        chosen = chosen[::options.part * argument_test.SAMPLE]
    argument_test.PREAMBLE, argument_test.LIMIT, argument_test.BATCH = objects_text(), 120, 400
    ours, theirs = both(os.path.abspath(options.nacre), chosen)
    rows = read_explained()
    new, severe, kinds = [], [], collections.Counter()
    for number, attempt in enumerate(chosen):
        mine, other = [ADDRESS.sub("0x", answers.get(number) or "ends") for answers in (ours, theirs)]
        how = difference(mine, other)
        text = "%s: %s: %s: %s => %s / %s" % (attempt.name, attempt.kind, how, attempt.text, mine, other)
        if SEVERE.search(mine) and not SEVERE.search(other):
            severe.append(text)
        elif how is not None and not any(row.search(text) for row in rows):
            kinds[how, attempt.kind] += 1
            new.append(text)
    if options.kinds:
        for (how, kind), count in kinds.most_common(100):
            print("%5d %s: %s" % (count, how, kind))
    else:
        print("\n".join(new[:options.most]))
    print("\n".join("SEVERE " + text for text in severe))
    print("%d attempts, %d differ without an explanation, %d of them severely" %
          (len(chosen), len(new) + len(severe), len(severe)))
    return bool(severe or len(new) > SHARE * len(chosen))


if __name__ == "__main__":
    sys.exit(main())
