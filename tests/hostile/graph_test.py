#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Array operations without end: very many that nobody looks at, in loops, in straight lines and through
calls; and memory that ends while some are put off. The right answer, or a MemoryError at the line that
asked for too much, after which every array is as that line found it.

usage: graph_test.py NACRE
"""

import os
import tempfile

from harness import check, expect, finish, run, short, start, state

ARRAY = "import numpy as np\n"
X = ARRAY + "x = np.zeros(3)\n"


def many():
    return 100000 if state.sanitized else 1000000


def loops():
    n = many()
    yield "a loop", X + "for i in range(%d): x = x + 1\nprint(x)" % n, "[%d. %d. %d.]\n" % (n, n, n)
    yield ("a loop in place", X + "y = np.ones(3)\nfor i in range(%d): x += y\nprint(x)" % n,
           "[%d. %d. %d.]\n" % (n, n, n))
    yield ("results that nobody wants", X + "for i in range(%d): y = x + i\nprint(y)" % n,
           "[%d. %d. %d.]\n" % (n - 1, n - 1, n - 1))
    n //= 4 if state.sanitized else 1
    yield ("results that are kept",
           X + "kept = [x + i for i in range(%d)]\nprint(kept[0], kept[-1], sum(k[1] for k in kept))" % n,
           "[0. 0. 0.] [%d. %d. %d.] %d.0\n" % (n - 1, n - 1, n - 1, n * (n - 1) // 2))
    yield ("many that read one that is changed",
           X + "kept = [np.zeros(3) for i in range(20000)]\nfor y in kept: y += x\nx += 1\nprint(kept[-1], x)",
           "[0. 0. 0.] [1. 1. 1.]\n")


def straight_lines():
    n = 100000
    out = "[%d. %d. %d.]\n" % (n, n, n)
    yield "lines", X + "x = x + 1\n" * n + "print(x)", out
    yield "lines of a function", ARRAY + "def f(x):\n" + "    x = x + 1\n" * n + "    return x\nprint(f(np.zeros(3)))", out
    yield "calls", X + "def f(x): return x + 1\n" + "x = f(x)\n" * n + "print(x)", out
    yield "one expression", X + "x = x" + " + 1" * n + "\nprint(x)", out
    yield ("names", X.replace("x =", "x0 =") + "".join("x%d = x%d + 1\n" % (i + 1, i) for i in range(n)) +
           "print(x%d, x5)" % n, out[:-1] + " [5. 5. 5.]\n")
    yield ("recursion", X + "import sys\nsys.setrecursionlimit(%d)\ndef f(x, n):\n"
           "    return f(x + 1, n - 1) if n else x\nprint(f(x, %d))" % (2 * n, n), out)
    yield ("views of views", X + "x = np.arange(3.0)\n" + "x = x[::-1]\n" * (n + 1) + "x[0] = 5\nprint(x)",
           "[5. 1. 0.]\n")


# Each statement has to have happened wholly or not at all, and `done` says which it was.
IN_PLANS = ARRAY + """
n = 10 ** 5
a, b, m = np.arange(n, dtype=float), np.ones(n), np.ones((100, 100))
ballast = bytes(BALLAST * 8000)
done = 0
try:
    c = a * 2 + b; done = 1
    a += 1; done = 2
    d = c - a; done = 3
    e = np.sort(d)[::-1] + c; done = 4
    np.add(b[1:], a[:-1], out=b[1:]); done = 5
    f = (m * 2) @ (m + m); done = 6
    g = np.where(d > 5, d, e).reshape(100, -1).cumsum(axis=1); done = 7
    s = float(e.sum()); done = 8
    u = np.concatenate([d, e, d]); done = 9
    t = (f - 1).sum() + g[3, 3]; done = 10
except MemoryError as error:
    print("MemoryError")
    words = str(error)
    assert words.startswith("Unable to allocate ") or not words, words
print(done)
del ballast
try:  # with memory for it, what was put off has its value
    i = np.arange(n, dtype=float)
    assert np.array_equal(a, i + 1 if done >= 2 else i)
    if done >= 1: assert np.array_equal(c, 2 * i + 1)
    if done >= 3: assert np.array_equal(d, i)
    if done >= 4: assert np.array_equal(e, i[::-1] + 2 * i + 1)
    assert np.array_equal(b[1:], i[:-1] + 2 if done >= 5 else np.ones(n - 1)) and b[0] == 1
    if done >= 6: assert (f == 400).all()
    if done >= 7: assert g.shape == (100, 1000) and g[0, 0] == n and g[1, 5] == sum(range(1000, 1006))
    if done >= 8: assert s == (n * (n - 1) // 2) * 3 + n
    if done >= 9: assert u.shape == (3 * n,) and u[-1] == d[-1] and u[n] == e[0]
    if done >= 10: assert t == 399 * 10000 + sum(range(3000, 3004))
    names = [name in globals() for name in "cdefgsut"]
    assert names == [done >= least for least in (1, 3, 4, 6, 7, 8, 9, 10)], (done, names)
    print("right")
except MemoryError:
    print("still no memory")
"""

KEEPS_GOING = ARRAY + """
a = np.ones(10 ** 5)
tries = 0
for i in range(300):
    try:
        x = a + i
        y = np.concatenate([x] * COPIES)
        z = y * 2
        tries += z[0] > 0
    except MemoryError:
        tries += 1000
    w = np.ones(10) * i
    if i % 50 == 0: print(w.sum())
print(tries, a.sum())
"""


def check_limits():
    """Memory ends at every place in turn."""
    ends = set()
    for options in ([], ["--depth", "1"], ["--backend", "mirror"]):
        for ballast in range(1400, 2600, 60 if state.sanitized else 20):
            what = "a limit, ballast %d, %s" % (ballast, options)
            code = IN_PLANS.replace("BALLAST", str(ballast))
            done = run(what, ["--memory-limit", "24M", *options, "-c", code], gib=4)
            lines = done.out.split("\n")
            if done.out == "" and done.error.startswith("MemoryError"):
                continue  # the ballast was too much
            good = done.status == 0 and lines[-2] in ("right", "still no memory")
            good = good and (lines[0] == "MemoryError" or lines[0] == "10")
            check(what, good, short(done.out + done.err[-800:], 1500))
            ends.add(lines[-3] if good else None)
    check("memory ended in several places", len(ends) >= 5, str(ends))
    for copies in (1, 5, 20, 25, 40):
        code = KEEPS_GOING.replace("COPIES", str(copies))
        done = run("goes on, %d" % copies, ["--memory-limit", "20M", "-c", code], gib=4)
        tries = 300 if copies <= 5 else 300000
        wanted = "".join("%.1f\n" % (10 * i) for i in range(0, 300, 50)) + "%d 100000.0\n" % tries
        if copies in (1, 5, 25, 40):
            expect("goes on, %d" % copies, done, out=wanted)


def check_handled():
    """What found no memory does not come up again where nobody asks for it."""
    code = ARRAY + """
a = np.arange(1e6)
try:
    a[1:] += a[:-1]      # wants a copy of its operand
    print(a[3])
except MemoryError:
    print("caught")
    b = np.zeros(3)
    for i in range(500):
        b = b + 1
    print(b)
print("end")
"""
    expect("handled", run("handled", ["--memory-limit", "12M", "-c", code]), out="caught\n[500. 500. 500.]\nend\n")


def main():
    start(__doc__, grows=True)
    for what, code, out in loops():
        expect(what, run(what, ["-c", code]), out=out)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lines.py")
        for what, code, out in straight_lines():
            with open(path, "w", encoding="utf-8") as file:
                file.write(code + "\n")
            for options in ([], ["--depth", "1"]) if what == "lines" else ([],):
                expect(what, run(what, [*options, path]), out=out)
    check_handled()
    check_limits()
    finish()


main()
