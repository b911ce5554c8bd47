#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random patterns on random texts: module re in Nacre and in CPython, which have to agree in every span and message.

usage: re_random_test.py NACRE [SEED [COUNT]]
"""

import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "build/venv/bin/python")
SKIPPED = 77
LETTERS = "aabbcABCé.ſkK1_ -"
CLASSES = ["\\w", "\\W", "\\d", "\\D", "\\s", "\\S", ".", ".", "."]
MEMBERS = ["a", "b", "c", "a-c", "A-C", "\\w", "\\s", "\\d", "\\W", "\\S", "é", "à-ü", "_", "0-9", ".", "ı", "k", "s", "-"]
PLACES = ["^", "$", "\\b", "\\B", "\\A", "\\Z"]
BEHIND = ["a", "ab", "[ab]", "\\b", ".", "a|b", "(?:ab|ba)", "\\w\\w"]
COUNTS = ["*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "{0}", "{0,1}"]
ALPHABETS = ["ab", "abc", "abcABC", "abc \n1_", "abcéÉſKkKsıİi 1\n", "abàü é"]
PROGRAM = """
import re, warnings
warnings.simplefilter('ignore')

def show(m):
    return m and (m.span(), m.groups(), m.regs, m.lastindex, m.lastgroup)

def run(pattern, text, flags, pos):
    try:
        c = re.compile(pattern, flags)
    except re.error as e:
        return ('error', str(e), e.pos)
    except (OverflowError, RecursionError, ValueError) as e:
        return (type(e).__name__, str(e))
    return [show(c.search(text)), show(c.match(text)), show(c.fullmatch(text)), show(c.search(text, pos)),
            show(c.match(text, pos, pos + 4)), c.findall(text), [show(m) for m in c.finditer(text)], c.split(text),
            c.sub(text[:0] + ('<>' if isinstance(text, str) else b'<>'), text), c.subn(lambda m: m.group(), text)]

for number, case in enumerate(cases):
    print(number, ascii(run(*case)))
"""


class Patterns:
    """Random patterns; `groups` are those that are closed, which may be referred to."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.count, self.groups = 0, []

    def capture(self, depth):
        self.count += 1
        number = self.count
        name = "?P<g%d>" % number if self.rnd.random() < 0.3 else ""
        body = self.branches(depth)
        self.groups.append(number)
        return "(%s%s)" % (name, body)

    def members(self):
        some = MEMBERS[:self.rnd.choice([5, len(MEMBERS)])]
        sign = self.rnd.choice(["", "", "^"])
        return "[%s%s]" % (sign, "".join(self.rnd.choice(some) for _ in range(self.rnd.randint(1, 3))))

    def group(self, depth):
        choice = self.rnd.choice
        kind = self.rnd.random()
        if kind < 0.4:
            return self.capture(depth)
        if kind < 0.6:
            return "(?:%s)" % self.branches(depth)
        if kind < 0.68:
            return "(?%s%s)" % (choice("=!"), self.branches(depth))
        if kind < 0.74:
            return "(?<%s%s)" % (choice("=!"), choice(BEHIND))
        if kind < 0.8:
            return "(?>%s)" % self.branches(depth)
        if kind < 0.86 or not self.groups:
            return "(?%s:%s)" % (choice(["i", "s", "m", "-i", "i-s", "a", "x"]), self.branches(depth))
        if kind < 0.96:
            return "\\%d" % choice(self.groups)
        return "(?(%d)%s|%s)" % (choice(self.groups), self.sequence(depth), self.sequence(depth))

    def item(self, depth):
        kind = self.rnd.random()
        if kind < 0.35:
            return self.rnd.choice(LETTERS).replace(".", "\\.") if kind < 0.32 else self.rnd.choice(["\\n", "\\t", " "])
        if kind < 0.45:
            return self.rnd.choice(CLASSES)
        if kind < 0.57:
            return self.members()
        if kind < 0.65:
            return self.rnd.choice(PLACES)
        return self.group(depth - 1) if depth > 0 else self.rnd.choice("abc")

    def sequence(self, depth):
        out = ""
        for _ in range(self.rnd.choice([0, 1, 1, 2, 2, 3, 4])):
            out += self.item(depth)
            if self.rnd.random() < 0.35:
                out += self.rnd.choice(COUNTS) + self.rnd.choice(["", "", "?", "+"])
        return out

    def branches(self, depth):
        return "|".join(self.sequence(depth) for _ in range(self.rnd.choice([1, 1, 1, 2, 3])))


def make_case(rnd):
    pattern = Patterns(rnd).branches(3)
    alphabet = rnd.choice(ALPHABETS)
    text = "".join(rnd.choice(alphabet) for _ in range(rnd.choice([0, 1, 2, 3, 5, 8, 12])))
    flags = rnd.choice([0, 0, 0, 2, 2, 8, 16, 256, 258, 64, 2 | 8 | 16])
    if rnd.random() < 0.15:
        pattern, text = pattern.encode("latin-1", "replace"), text.encode("latin-1", "replace")
        flags &= ~256
    return pattern, text, flags, rnd.choice([0, 1, 2, 3])


def lines_of(program, path):
    done = subprocess.run([program, path], capture_output=True, text=True, timeout=500)
    if done.returncode:
        sys.exit("%s: %s" % (program, done.stderr[-2000:]))
    return done.stdout.splitlines()


def main():
    if not os.path.exists(PYTHON):
        print("no CPython to compare with")
        return SKIPPED
    seed, count = (list(map(int, sys.argv[2:])) + [3, 3000][len(sys.argv) - 2:])[:2]
    if os.environ.get("NACRE_STRESS"):
        count = min(count, 200)  # each statement is checked: the module's own compiler of patterns executes many
    rnd = random.Random(seed)
    cases = [make_case(rnd) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cases.py")
        with open(path, "w") as file:
            file.write("cases = [\n%s]\n%s" % ("".join("    %s,\n" % ascii(case) for case in cases), PROGRAM))
        wanted, got = lines_of(PYTHON, path), lines_of(os.path.abspath(sys.argv[1]), path)
    wrong = [i for i in range(count) if wanted[i] != got[i:i + 1][0]]
    for i in wrong[:5]:
        print("%s\n  CPython: %s\n  Nacre:   %s" % (ascii(cases[i]), wanted[i], got[i]))
    print("%d patterns, %d differ, %d are none" % (count, len(wrong), sum("('error'" in line for line in wanted)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
