#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What loops ask the system for, as --stats says it and as a preloaded library (interpose.c) sees it.

The rule by which the two are compared: a program is run with few turns of its loop and with many, and
the figures of the first run are taken from those of the second. What is left is due to the turns alone,
and there `system_allocations` has to be exactly the number of calls of malloc, calloc, realloc,
aligned_alloc, posix_memalign, memalign and mmap that were seen. (What a process asks for while it
starts and ends, for streams, threads and libraries, is the same in both runs.)

usage: allocations_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
LIBRARY = os.path.join(os.path.dirname(os.path.dirname(NACRE)), "tests", "interpose.so")
FEW, MANY = 20, 200
os.environ.pop("NACRE_STRESS", None)  # where next to nothing is kept

JACOBI = """import numpy as np
n = 300
u = np.zeros((n, n))
u[0] = 1.0
u_new = u.copy()
eps, delta, turns = 0.0, 1.0, 0
while delta > eps and turns < TURNS:
    u_new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    delta = np.abs(u_new - u).max()
    u, u_new = u_new, u
    turns += 1
print(turns)
"""
WITH_NEW_ARRAYS = """import numpy as np
a, b = np.ones(50000), np.full(50000, 0.5)
for i in range(TURNS):
    c = a * b + 1
    d = np.sqrt(c) - a
    a = (c + d) / (1 + abs(d).max())
    s = a.sum()
print(s > 0)
"""
KEPT = """import numpy as np
a, kept = np.ones(50000), [None] * 1000
for i in range(TURNS): kept[i] = a + i
print(kept[0][0])
"""


def run(code, turns, *options):
    """(figures of --stats, calls seen, large ones among them); what is seen is None without the
    library, which sanitizers do not go with."""
    with tempfile.TemporaryDirectory() as folder:
        stats, seen = os.path.join(folder, "stats.json"), os.path.join(folder, "seen")
        env = {**os.environ, "NACRE_TIER": "interp"}  # the loader of machine code has an allocator of its own
        if os.path.exists(LIBRARY):
            env.update(LD_PRELOAD=LIBRARY, NACRE_INTERPOSED=seen)
        done = subprocess.run([NACRE, "--stats", stats, *options, "-c", code.replace("TURNS", str(turns))],
                              capture_output=True, text=True, timeout=100, env=env)
        if done.returncode:
            raise AssertionError(done.stderr)
        with open(stats, encoding="utf-8") as file:
            figures = json.load(file)
        if not os.path.exists(LIBRARY):
            return figures, None, None
        with open(seen, encoding="utf-8") as file:
            calls, large, _ = map(int, file.read().split())
        return figures, calls, large


class Growth:
    """What MANY turns need more than FEW."""

    def __init__(self, code, *options):
        (few, *few_seen), (many, *many_seen) = (run(code, turns, *options) for turns in (FEW, MANY))
        self.figures = {name: many[name] - few[name] for name in few if isinstance(few[name], (int, float))}
        seen = many_seen[0] is not None
        self.calls, self.large = [m - f for m, f in zip(many_seen, few_seen)] if seen else (None, None)


@unittest.skipUnless(os.path.exists(LIBRARY), "a sanitizer's build keeps no memory")
class SteadyState(unittest.TestCase):
    def check_nothing(self, code, *options):
        found = Growth(code, *options)
        self.assertEqual(found.figures["system_allocations"], 0, options)
        self.assertEqual((found.calls, found.large), (0, 0), options)
        return found

    def test_jacobi(self):
        for options in (("--threads", "1"), ("--threads", "2")):
            self.assertLess(self.check_nothing(JACOBI, *options).figures["memory_peak"], 1000)

    def test_new_arrays_in_each_turn(self):
        self.check_nothing(WITH_NEW_ARRAYS, "--threads", "1")
        self.check_nothing(WITH_NEW_ARRAYS, "--threads", "2")

    def test_stress_keeps_one_block(self):
        code = ("import numpy as np\na = np.ones(50000)\nfor i in range(TURNS):\n"
                "    b, c, d = a + 1, a + 2, a + 3\n    b[0], c[0], d[0]")
        self.check_nothing(code)
        os.environ["NACRE_STRESS"] = "1"
        try:
            found = Growth(code)
        finally:
            del os.environ["NACRE_STRESS"]
        self.assertGreaterEqual(found.large, 2 * (MANY - FEW))


class Plans(unittest.TestCase):
    def test_jacobi(self):
        for options in (("--threads", "1"), ("--threads", "2"), ("--backend", "mirror")):
            figures, turns = Growth(JACOBI, *options).figures, MANY - FEW
            self.assertLessEqual(figures["kernels"] + figures["library_calls"], 2 * turns)
            self.assertEqual(figures["plans_made"], 0)
            # One scalar is asked for in a turn: there is one plan for it, and no other.
            self.assertEqual(figures["plans_reused"], turns)
            self.assertEqual(figures["nodes_recorded"], figures["nodes_executed"])


@unittest.skipUnless(os.path.exists(LIBRARY), "nothing can be preloaded in this build")
class TheSameNumbers(unittest.TestCase):
    def check_same(self, code, least, *options):
        found = Growth(code, *options)
        self.assertEqual(found.figures["system_allocations"], found.calls, options)
        self.assertGreaterEqual(found.large, least * (MANY - FEW), options)
        return found

    def test_arrays_that_stay(self):
        found = self.check_same(KEPT, 1)
        self.assertEqual(found.large, MANY - FEW)
        each = found.figures["memory_in_use"] / (MANY - FEW)
        self.assertTrue(400000 <= each < 402000, each)

    def test_nothing_is_kept_with_a_limit(self):
        self.check_same(JACOBI, 0, "--memory-limit", "1G")
        self.check_same(WITH_NEW_ARRAYS, 1, "--memory-limit", "1G")

    def test_a_device(self):
        self.check_same(KEPT, 1, "--backend", "mirror")
        self.check_same(WITH_NEW_ARRAYS, 1, "--backend", "mirror")

    def test_no_arrays(self):
        code = "x = []\nfor i in range(1000 * TURNS): x.append([i, str(i)])\nprint(len(x))"
        self.assertGreater(self.check_same(code, 0).calls, 10)


class Threads(unittest.TestCase):
    def test_threads(self):
        code = "import numpy as np\na = np.ones(10 ** 7)\nfor i in range(TURNS): a = np.sin(a)\nprint(a[0])"
        self.assertEqual(run(code, 1, "--threads", "1")[0]["threads_used"], 1)
        figures = run(code, 5, "--threads", "3")[0]
        self.assertEqual(figures["threads"], 3)
        self.assertIn(figures["threads_used"], (2, 3))  # one may always come too late
        self.assertEqual(run("print(1)", 1, "--threads", "5")[0]["threads_used"], 1)


if __name__ == "__main__":
    unittest.main()
