#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Programs with one token left out, doubled, exchanged or replaced: modules that one script imports, run
by Nacre and by CPython. Both say the same of each: that it is right, or the SyntaxError and its line.

usage: damaged_syntax_test.py NACRE
"""

import collections
import io
import os
import random
import subprocess
import sys
import tempfile
import tokenize

COUNT, FEW = 900, 3
STATEMENTS = """
x = a + b * -c ** d // (e - f) % g @ h
x, *y = z[1:2, ::3], {k: v for k, v in w.items() if v}
f(a, *b, c=d, **e)[i].j(k for k in l)
if a < b <= c and not d or e is not f: pass
while a not in b: break
for x, y in zip(a, b): continue
x: int = lambda a, /, b=1, *c, d, **e: (yield)
def g(a, b: int = 2, *args, c, **rest) -> str: return a if b else c
class A(B): x = 1
with open(a) as b, c as (d, e): x += 1
try: raise E(a) from b
import a.b as c, d
from ..a import (b as c, d)
assert a == 1, 'text' f'{b!r:>{c}} and {d}' "more"
global q, r
del a[0], b.c, (d, e)
x = [a for b in c if d for e in f], {*g, *h}, {1: 2, **i}
print((yield from a), 0x1F + 0b11 + 1_000.5e-3j, ...)
@a.b(c)
x = y = not a; b |= c >> 1; return
if (n := len(a)) > 10: x = None, True
lambda: a, lambda *b, c=1: b
x = a.b.c[d][e](f)(g=h)
async_ = 'a' 'b' r'\\d' + f"{x}{y=}"
""".strip().split("\n")
OTHERS = "( ) [ ] { } , : ; . = == := + - * ** / @ -> not in is if else for lambda name 1 'text' f'{x}' b'x' yield import as def".split()

ATTEMPT = """
try:
    import m%04d
    print(%d, "right")
except SyntaxError as e:
    print(%d, type(e).__name__, e.args[0])
"""


def tokens_of(line):
    found = tokenize.generate_tokens(io.StringIO(line).readline)
    return [t.string for t in found if t.string.strip()]


def damaged(rng, tokens):
    tokens = list(tokens)
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = rng.randrange(len(tokens))
        how = rng.randrange(5)
        if how == 0 and len(tokens) > 1:
            del tokens[at]
        elif how == 1:
            tokens.insert(at, tokens[at])
        elif how == 2:
            to = rng.randrange(len(tokens))
            tokens[at], tokens[to] = tokens[to], tokens[at]
        elif how == 3:
            tokens[at] = rng.choice(OTHERS)
        else:
            tokens.insert(at, rng.choice(OTHERS))
    return tokens


def program(rng):
    """A function that is never called."""
    lines = ["def never():"]
    for _ in range(rng.choice((1, 2))):
        tokens = tokens_of(rng.choice(STATEMENTS))
        lines.append("    " + " ".join(tokens))
        if tokens[0] == "try":
            lines.append("    finally: pass")
        elif tokens[0] == "@":
            lines.append("    def h(): pass")
    at = rng.randrange(1, len(lines))
    lines[at] = "    " + " ".join(damaged(rng, tokens_of(lines[at].strip())))
    return "\n".join(lines) + "\n"


def said(command, folder):
    done = subprocess.run(command + [os.path.join(folder, "driver.py")], capture_output=True, text=True, timeout=60,
                          cwd=folder, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore"))
    if done.returncode:
        sys.exit("%s fails:\n%s" % (command[0], done.stderr[-2000:]))
    return done.stdout.splitlines()


def main():
    rng = random.Random(5)
    programs = [program(rng) for _ in range(COUNT)]
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(programs):
            with open(os.path.join(folder, "m%04d.py" % i), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(folder, "driver.py"), "w", encoding="utf-8") as file:
            file.write("".join(ATTEMPT % (i, i, i) for i in range(COUNT)))
        got = said([os.path.abspath(sys.argv[1])], folder)
        wanted = said([sys.executable], folder)
    # CPython finds some of its hints by trying rules that are made for messages alone; in a few programs
    # another hint is as good.
    wrong = [i for i in range(COUNT) if got[i] != wanted[i]]
    several = collections.Counter(wanted[i].split(" ", 1)[1] for i in wrong)
    bad = [i for i in wrong if several[wanted[i].split(" ", 1)[1]] > FEW or "right" in got[i] + wanted[i]]
    for i in bad:
        print("%s\n  got    %s\n  wanted %s" % (programs[i], got[i], wanted[i]))
    print("%d programs, %d with another hint, %d wrong" % (COUNT, len(wrong), len(bad)))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
