#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""With --reproducible the same decisions are made each time: what runs together, when loops go on in machine code, and
what a script sees of identities, with code that is cached or not, a compiler that takes its time, a busy machine,
and one or two threads.

usage: decisions_test.py NACRE
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
COUNTED = ("plans_hash", "kernels", "library_calls", "nodes_recorded", "nodes_executed", "nodes_eliminated",
           "direct_operations", "loops_compiled", "loops_entered", "loops_left", "loop_rounds")

STENCIL = """\
import numpy as np
def heat(u, n):
    for t in range(n):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u
u = np.zeros((40, 60))
u[5:9, 7:20] = 1.0
print(heat(u, 9000).sum())
"""
LOOPS = """\
import numpy as np
def norms(a, n):
    found = []
    for i in range(n):
        s = 0.0
        for j in range(50):
            s += a[(i + j) % 300] * 0.5
        if i % 100 == 0:
            found.append((a * s + i).sum())
    return found
a = np.arange(3000.0) / 7
print(norms(a, 1500)[-1])
x = 0
for k in range(20000):
    x = (x * 3 + k) % 1009
    if x == 5:
        a = a + 1
print(x, a[3])
"""
SETS = """\
import numpy as np
class Point:
    def __init__(self, n):
        self.n = n
points = {Point(n) for n in range(200)}
order = [p.n for p in points]
print(order, object() in points)
a = np.arange(2000.0)
for p in points:
    a = a * 1.5 + p.n if p.n % 3 else np.sqrt(abs(a)) - p.n
    if p.n % 7 == 0:
        print(float(a[5]), id(p) % 1000)
"""


class Decisions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-decisions-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def slow_compiler(self):
        compiler = os.environ.get("NACRE_CC") or shutil.which("cc")
        if not compiler:
            self.skipTest("no compiler")
        path = os.path.join(self.folder, "slow-cc")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nsleep 0.3\nexec %s \"$@\"\n" % shlex.quote(compiler))
        os.chmod(path, 0o755)
        return path

    def decisions(self, text, cache, *options, **env):
        path, stats = os.path.join(self.folder, "p.ncr"), os.path.join(self.folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        variables = dict(os.environ, NACRE_CACHE=os.path.join(self.folder, cache), **env)
        done = subprocess.run((NACRE, "--reproducible", "--tier", "auto", "--stats", stats, *options, path),
                              capture_output=True, text=True, timeout=120, env=variables)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        with open(stats, encoding="utf-8") as file:
            figures = json.load(file)
        return done.stdout, [(name, figures[name]) for name in COUNTED]

    def check(self, text, compiles):
        wanted = self.decisions(text, "first", "--threads", "1")
        self.assertNotEqual(wanted[1][0][1], 0)
        self.assertEqual(dict(wanted[1])["loop_rounds"] > 0, compiles)
        self.assertEqual(self.decisions(text, "first", "--threads", "1"), wanted, "the code is in the cache")
        self.assertEqual(self.decisions(text, "second", "--threads", "2"), wanted, "two threads")
        self.assertEqual(self.decisions(text, "third", NACRE_CC=self.slow_compiler()), wanted, "a slow compiler")
        ended = threading.Event()
        busy = [threading.Thread(target=lambda: [None for _ in iter(ended.is_set, True)]) for _ in range(2)]
        for thread in busy:
            thread.start()
        try:
            self.assertEqual(self.decisions(text, "fourth"), wanted, "a busy machine")
        finally:
            ended.set()
            for thread in busy:
                thread.join()

    def test_stencil(self):
        self.check(STENCIL, True)

    def test_loops(self):
        self.check(LOOPS, True)

    def test_sets(self):
        self.check(SETS, False)

    def test_other_plans_have_another_hash(self):
        hashes = {self.decisions(SETS.replace("% 7", "% " + n), "first")[1][0] for n in ("7", "8", "9")}
        self.assertEqual(len(hashes), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
