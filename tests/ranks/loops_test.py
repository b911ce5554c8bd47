#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Loops over elements on ranks: they come to what they come to on one rank, exceptions, warnings and their lines included;
ranks share them, and send what the program needs and no more.

usage: loops_test.py NACRE [COUNT [SEED]]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run"))
import commit
import device_loops
from devices import agree
from device_loops import BROKEN, CALL, HEAD, LEFT, LOOPS, NAMES

NACRE = os.path.abspath(sys.argv.pop(1))
COUNT = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 8
SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else commit.seed_of_commit()
ITEM = 8
# Loops of which ranks make their parts. Of the others: steps other than 1, rounds that need what others have made, rows written in
# an order that is known only then, indexes that are negative.
SHARED = [name for name in NAMES if name not in ("strided", "eliminate", "scattered", "backward", "mapped")]
# What is brought whole for them, since any of its elements may be read.
READS_ALL = ("product", "below", "views", "rows")

MORE = """
def by_columns(a, b):
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            b[i, j] = a[i, j] * 2
def folded(a, b):
    n, most = 0, -1e9
    for i in range(a.shape[0]):
        n += i
        most = max(most, float(a[i, 3]))
    b[0, 0] = n + most
def declared(a, b):
    s = 0.0
    for i in nacre.map[0:a.shape[0]]:
        s += a[i, 0] * a[i, 1]
    b[1, 1] = s
def counted(a, b):
    h = np.zeros(7)
    for i in nacre.map[0:a.shape[0]]:
        h[i % 7] += a[i, 2]
    b[2, :7] = h
def bodies(a, b):
    for i in range(a.shape[0]):
        f = 0.0
        for j in range(a.shape[0]):
            d = a[j, 0] - a[i, 0]
            f += d / (d * d + 1)
        b[i, 0] = f
def in_place(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += b[i, j]
            b[i, j] = a[i, j] - 1
def by_rows(a, b):
    for i in range(a.shape[0]):
        b[i] = a[i] * 2 + i
        b[i, 1:-1] = a[i, 2:] - a[i, :-2]
def first(a, b):
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[0, j] + a[i, 0]
def from_above(a, b):
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = b[i - 1, j] * 0.5 + a[i, j]
def kept(a, b):
    for i in range(a.shape[0]):
        row = a[i]
        for j in range(a.shape[1]):
            b[i, j] = row[j]
    b[0] = row + row[3]
def far(a, b):
    for i in range(a.shape[0] // 2):
        for j in range(a.shape[1]):
            b[i, j] = a[i + a.shape[0] // 2, j]
def beside(a, b):
    c = np.empty(a.shape)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            c[i, j] = a[i, j] - b[i, j]
    b[:] = c
def convolved(a, b):
    w = np.arange(15.0).reshape(5, 3)
    for i in range(a.shape[0] - 4):
        for j in range(a.shape[1] - 2):
            s = a[i, j]
            for k in range(5):
                for l in range(3):
                    s += a[i + k, j + l] * w[k, l]
            b[i, j] = s
def in_pairs(a, b):
    for i in range(a.shape[0] // 2):
        for j in range(a.shape[1]):
            b[2 * i, j] = a[2 * i + 1, j]
            b[2 * i + 1, j] = a[2 * i, j]
def flattened(a, b):
    x, y, m = a.ravel(), np.zeros(b.size), a.shape[1]
    for i in range(1, a.shape[0] - 1):
        for j in range(m):
            y[i * m + j] = x[(i - 1) * m + j] + x[(i + 1) * m + j]
    b[:] = y.reshape(b.shape)
def triangle(a, b):
    for i in range(a.shape[0]):
        for j in range(i + 1):
            for k in range(j, i + 1):
                b[i, j] += a[i, k] * 0.5
def whole(a, b):
    k = np.array([3, 1, 2])
    for i in range(a.shape[0]):
        b[i, 0] = a[i, k[i % 3]]
        if k[i % 3] == 7:
            print(k)
"""
MORE_NAMES = [line.split("(")[0][4:] for line in MORE.splitlines() if line.startswith("def ")]

# How the arrays lie before.
PLACED = """
def placed(x, way):
    n, size = x.shape[0], nacre.comm.size
    if way == 0:
        return x
    if way == 1:
        return nacre.distribute(x, 1)
    first = min(n, 3 * way)
    return nacre.distribute(x, 0, counts=[first] + [0] * (size - 2) + [n - first] if size > 1 else None)
"""

IN_TIME = """
def step(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.2 * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
A = np.fromfunction(lambda i, j: i * (j + 2) % 17, (500, 400))
B = A.copy()
for t in range(STEPS):
    step(A, B)
    step(B, A)
"""


def run(text, ranks=1, *more, split=1, env=()):
    """What a program shows, and its figures."""
    args = ["-n", str(ranks), "--transport", "loopback", "--check-ranks", "--split-least", str(split)] if ranks > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        done = subprocess.run([NACRE, *args, *more, "--stats", stats, "-c", text], capture_output=True, text=True, timeout=300,
                              env=dict(os.environ, **dict(env)))
        with open(stats, encoding="utf-8") as file:
            return done, json.load(file)


class Loops(unittest.TestCase):
    def compare(self, text, ranks, *more, rtol=1e-12):
        here, _ = run(text)
        there, stats = run(text, ranks, *more)
        self.assertTrue(here.stdout.count("\n") == there.stdout.count("\n") and agree(here.stdout, there.stdout, rtol),
                        "%s\non %d ranks %s\n%s\n%s" % (text, ranks, more, here.stdout, there.stdout))
        self.assertEqual(here.stderr, there.stderr, text)
        return stats

    def test_loops(self):
        for kind in ("float64", "float32", "int64"):
            for ranks, name in enumerate(NAMES + MORE_NAMES):
                if kind[0] == "i" and name in ("product", "eliminate", "escape"):
                    continue
                text = HEAD + LOOPS + MORE + CALL % (kind, 70, 60, kind, 70, 60, name)
                self.compare(text, 2 + ranks % 4, rtol=1e-5 if kind == "float32" and name == "declared" else 1e-12)

    def test_placed(self):
        """Arrays that are cut otherwise than loops would have them."""
        rng = random.Random(SEED)
        for name in NAMES + MORE_NAMES:
            a, b = rng.randrange(4), rng.randrange(4)
            text = HEAD + PLACED + LOOPS + MORE + "a, b = make('float64', (60, 50), 3), make('float64', (60, 50), 5)\n" \
                "a, b = placed(a, %d), placed(b, %d)\n%s(a, b)\n%s(a, b)\nshow(a)\nshow(b)\n" % (a, b, name, name)
            self.compare(text, rng.choice((2, 3, 4)))

    def test_shared(self):
        for name in SHARED:
            text = HEAD + LOOPS + CALL % ("float64", 300, 300, "float64", 300, 300, name)
            _, stats = run(text, 3)
            self.assertEqual([d["text"] for d in stats["detours"] if "loop" in d["text"]], [], name)
            self.assertGreater(stats["rank_rounds"], 80, name)
            received = max(each["array_bytes_received"] for each in stats["ranks"])
            self.assertLess(received, 490000 if name in READS_ALL else 30000, name)

    def test_halo(self):
        """A row each way over each inner edge in each half step, without the element outside, and nothing else."""
        for ranks in (2, 3, 4):
            few, many = (run(HEAD + IN_TIME.replace('STEPS', str(steps)), ranks)[1]["ranks"] for steps in (3, 8))
            received = sum(b["array_bytes_received"] - a["array_bytes_received"] for a, b in zip(few, many))
            self.assertEqual(received, 5 * 2 * 2 * (ranks - 1) * 399 * ITEM)
            for a, b in zip(few, many):
                self.assertEqual(b["exchanges"] - a["exchanges"], 5 * 2)
                self.assertEqual(b["arrays_gathered"], a["arrays_gathered"])

    def test_windows(self):
        """Elements that inner loops count are known as well: five rows of a window, rows in pairs."""
        for name, rows in (("convolved", 4), ("in_pairs", 1), ("triangle", 0)):
            text = HEAD + MORE + CALL % ("float64", 300, 300, "float64", 300, 300, name)
            _, stats = run(text, 3, split=4096)
            self.assertGreater(stats["rank_rounds"], 45, name)
            first, last = HEAD.count("\n"), (HEAD + MORE).count("\n")
            for rank in stats["ranks"]:
                lines = [line for line in rank["lines"] if first < line["line"] <= last]
                self.assertLess(sum(line["array_bytes_received"] for line in lines), (2 * rows + 1) * 300 * ITEM, name)
                self.assertEqual(sum(line["arrays_gathered"] for line in lines), 0, name)

    def test_given_up(self):
        """Where ranks would have to send over and over what they share, they gather it once."""
        text = HEAD + LOOPS + "a, b = make('float64', (400, 400), 3), make('float64', (400, 400), 5)\nfor k in range(3):\n    eliminate(a, b)\n"
        done, stats = run(text, 3)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLess(max(each["array_bytes_received"] for each in stats["ranks"]), 8 * 400 * 400 * ITEM)

    def test_little(self):
        """Arrays that every rank has, and little work: nothing is sent."""
        text = HEAD + LOOPS + CALL % ("float64", 20, 30, "float64", 20, 30, "stencil")
        _, stats = run(text, 3, "--tier", "function", split=1 << 20)
        self.assertEqual((stats["rank_rounds"], stats["ranks"][1]["exchanges"], stats["detours"]), (0, 0, []))

    def test_much_work(self):
        """Arrays that every rank has, and much work for each element."""
        text = HEAD + LOOPS + CALL % ("int64", 300, 300, "int64", 300, 300, "escape")
        _, stats = run(text, 3, "--tier", "function", split=1 << 30)
        self.assertGreater(stats["rank_rounds"], 90)

    def test_names(self):
        for tier in ("auto", "function"):
            self.compare(HEAD + LEFT, 3, "--tier", tier)

    def test_threads(self):
        text = HEAD + LOOPS + "".join(CALL % ("float64", 700, 500, "float64", 700, 500, n) for n in ("stencil", "in_time", "above"))
        self.compare(text, 2, "--threads", "3")
        self.compare(HEAD + BROKEN, 2, "--threads", "3")

    def test_what_cannot_be_shared(self):
        """Exceptions and warnings, at the very round, with arrays as one rank would leave them."""
        for ranks in (2, 3):
            stats = self.compare(HEAD + BROKEN, ranks)
            self.assertIn("a loop in machine code is done whole on every rank: a round of it cannot be done in machine code",
                          {d["text"] for d in stats["detours"]})

    def test_overwritten(self):
        """Large arrays with flags in the middle, which were written to and are not put back: written again."""
        text = HEAD + """
def quotients(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j] / (a[i, 1] - a[i, j])
np.seterr(divide='ACTION', invalid='ignore')
a, b = make('float64', (900, 600), 3), make('float64', (900, 600), 5)
for k in range(3):
    try:
        quotients(a, b)
    except FloatingPointError as error:
        print(error)
    show(np.nan_to_num(b))
"""
        for action in ("warn", "raise", "ignore"):
            self.compare(text.replace('ACTION', action), 3)

    def test_strict(self):
        text = HEAD + LOOPS + CALL % ("float64", 300, 300, "float64", 300, 300, "backward")
        done, _ = run(text, 2, "--strict")
        self.assertIn("RuntimeError: --strict: line", done.stderr)
        text = HEAD + LOOPS + "a, b = make('float64', (300, 300), 3), make('float64', (300, 300), 5)\n" \
            "for k in range(3):\n    stencil(a, b)\n    stencil(b, a)\n"
        done, _ = run(text, 2, "--strict")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_random_loops(self):
        for k in range(SEED, SEED + COUNT):
            self.compare(device_loops.program(random.Random(k)), 2 + k % 4, "--tier", ("auto", "function")[k % 2])


if __name__ == "__main__":
    unittest.main()
