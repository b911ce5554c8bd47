#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Pending operations that are the last to read a large array run with those that are asked for (vm/sched/sched.c), so
that loops of solvers keep no array of an earlier round alive. And a sum of products runs in the kernel that computes an
operand.

    last_readers_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
os.environ.pop("NACRE_STRESS", None)  # kernels and memory are counted

MADE = """
import numpy as np
n = 1 << 18
x, p, r = np.zeros(n), np.ones(n), np.linspace(0, 1, n)
"""
ARRAY = (1 << 18) * 8


def run(code, *options):
    """Output and figures of a program."""
    with tempfile.TemporaryDirectory() as folder:
        stats, script = os.path.join(folder, "stats.json"), os.path.join(folder, "script.ncr")
        with open(script, "w", encoding="utf-8") as file:
            file.write(MADE + code)
        done = subprocess.run([NACRE, "--stats", stats, *options, script], capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise AssertionError(code + done.stdout + done.stderr)
        with open(stats, encoding="utf-8") as stream:
            return done.stdout, json.load(stream)


class LastReaders(unittest.TestCase):
    def test_memory_of_a_loop(self):
        """Sixty rounds need no more memory than six."""
        loop = """
for i in range(%d):
    x += 0.5 * p
    p = r + 0.25 * p
    assert p[0] > -1
print(float(x.sum()), float(p.sum()))
"""
        for options in (), ("--tier", "interp"), ("--backend", "mirror"):
            with self.subTest(options):
                few, many = (run(loop % rounds, *options)[1]["memory_peak"] for rounds in (6, 60))
                self.assertLess(many - few, ARRAY)
                self.assertLess(many, 24 * ARRAY)

    def test_values_in_between(self):
        """x += 0.5 * p is two operations: its product is not kept until x is asked for."""
        output, stats = run("x += 0.5 * p\nq = p\ndel q\np = r * 2\nprint(p[1])\nprint(x[1])\n")
        self.assertEqual(output, "%r\n0.5\n" % (2 / ((1 << 18) - 1)))
        self.assertEqual(stats["nodes_eliminated"], 0)

    def test_an_exception_between(self):
        output, _ = run("""
try:
    x += 0.5 * p
    p = r + 0.25 * p
    float(p[3])
    raise ValueError
except ValueError:
    print(float(x[7]), float(p[0]))
""")
        self.assertEqual(output, "0.5 0.25\n")


class Products(unittest.TestCase):
    def test_fused(self):
        for code, kernels in ((MADE + "r -= 0.5 * p\nprint(round(float(r @ r), 9))", 1), (MADE + "q = r * 3\nprint(round(float(p @ q), 6))", 1)):
            before = run("")[1]["kernels"]
            output, stats = run(code[len(MADE):])
            self.assertEqual((stats["kernels"] - before, stats["library_calls"] - run("")[1]["library_calls"]), (kernels, 0), output)

    def test_a_routine_for_what_is_there(self):
        output, stats = run("r[0], p[0]\nprint(round(float(p @ r), 6))")
        self.assertEqual(output, "131072.0\n")
        self.assertEqual(stats["library_calls"] - run("r[0], p[0]")[1]["library_calls"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
