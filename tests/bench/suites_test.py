#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The driver of the suites of benchmarks: what is right is timed, what is wrong or fails is named,
and the kernels' table and their programs in C are what they say. No time is looked at.

usage: suites_test.py NACRE
"""

import argparse
import os
import re
import subprocess
import sys
import types
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITES = os.path.join(ROOT, "bench", "suites")
sys.path[:0] = [os.path.join(SUITES, "kernels"), SUITES, os.path.join(ROOT, "bench")]
os.environ.pop("NACRE_STRESS", None)
os.environ["OMP_NUM_THREADS"] = "2"

import numpy as np  # noqa: E402

import case  # noqa: E402
import pages  # noqa: E402
import peer_c  # noqa: E402
import run as driver  # noqa: E402
from programs import REPORT, kernel_text, parameters, source_in_c  # noqa: E402

KERNELS = case.suite("kernels")

# What kernels write into without changing it, with the data that they come with.
UNMOVED = {"channel_flow": {"v", "p"}, "heat_3d": {"A", "B"}}

# A program, and peers of it that are right, that have another number or one number more, that fail,
# and that become wrong in time.
PROGRAM = """import numpy as np


def data(n):
    return np.arange(n) * 1.0, n


def run(a, n):
    return a * 2 + n
"""
PEERS = {"numpy": "", "same": "", "nacre": "",
         "wrong": "\n\ndef run(a, n):\n    a = a * 2 + n\n    a[3] += 1\n    return a\n",
         "longer": "\n\ndef run(a, n):\n    return np.append(a * 2 + n, 0.0)\n",
         "failing": "\n\ndef run(a, n):\n    raise SystemExit('not compiled: no words for it')\n",
         "late": "\n\ncalls = []\n\n\ndef run(a, n):\n    calls.append(n)\n"
                 "    return a * 2 + n + (len(calls) > 4)\n"}


def small_suite(peers):
    """A suite of that one program."""
    def composed(runner, program, cases):
        return case.framed(PROGRAM + peers[runner], cases, 5)

    return types.SimpleNamespace(folder="test", PLACES=5, RUNNERS={name: name for name in peers},
                                 runners_of=lambda program: list(peers), composed=composed)


def options_for(peers):
    suite = small_suite(peers)
    return argparse.Namespace(nacre=NACRE, python=sys.executable, suite=suite, peers=[],
                              size="quick", quick=True, threads=2, timeout=60, limit=30, pairs=2)


def numpy_function(name):
    """The kernel under NumPy, and what makes its data at the quick size."""
    names = {}
    exec(compile(kernel_text(name), name, "exec"), names)
    given = {row.program: row for row in KERNELS.CASES}[name].sized("quick").given
    return names[name], lambda: names["initialize"](**given)


def arrays(values):
    return [np.array(value) for value in (values if isinstance(values, tuple) else (values,))]


class Driver(unittest.TestCase):
    def measured(self, row, options):
        processes = driver.processes_of(options, "small", [row], None)
        try:
            return driver.measured(row, processes, options)
        finally:
            for process in processes:
                process.end()

    def test_alone(self):
        """Who does not fit into memory beside the others lives for its turns only."""
        options = options_for({runner: PEERS[runner] for runner in ("nacre", "numpy", "wrong")})
        found = self.measured(case.Case("small", "small", dict(n=10), each=1e6), options)
        for runner in ("nacre", "numpy"):
            self.assertEqual(len(found[runner]["seconds"]), 2, found[runner])
            self.assertGreater(found[runner]["peak"], 0)
        self.assertTrue(found["wrong"]["why"].startswith("wrong: sum"))

    def test_without_reference(self):
        """At the large size nobody runs what NumPy has no answer to; else the next one is asked."""
        peers = {"nacre": "", "numpy": PEERS["failing"], "same": ""}
        row, options = case.Case("small", "small", dict(n=10)), options_for(peers)
        found = self.measured(row, options)
        self.assertEqual(set(found), set(peers))
        self.assertIn("seconds", found["nacre"])
        options.size = "paper"
        self.assertEqual(set(self.measured(row, options)), {"numpy"})

    def test_right_and_wrong(self):
        """Results are looked at before times are taken, and at every turn."""
        options = options_for(PEERS)
        found = self.measured(case.Case("small", "small", dict(n=10)), options)
        for runner in ("nacre", "numpy", "same"):
            self.assertEqual(len(found[runner]["seconds"]), 2, found[runner])
        for runner, why in (("wrong", "wrong: sum"), ("longer", "wrong: size"),
                            ("failing", "not compiled: no words for it"), ("late", "wrong: ")):
            self.assertNotIn("seconds", found[runner])
            self.assertTrue(found[runner]["why"].startswith(why), found[runner])
        told = pages.troubles(options.suite.RUNNERS, {"small": found}, ["other"])
        self.assertEqual(len(told), 5)
        self.assertAlmostEqual(pages.ratio(found, "same")[0], 1, delta=1000)
        self.assertIsNone(pages.ratio(found, "wrong"))

    def test_differing(self):
        one = [2.0, 3.0, 3.0, 1.0, 2.0]
        self.assertIsNone(driver.differing(one, list(one), 1e-9, 2))
        self.assertIsNone(driver.differing([2.0, float("nan")] + one[2:],
                                           [2.0, float("nan")] + one[2:], 1e-9, 2))
        for at, what in enumerate(("size", "sum", "sum of absolute", "element", "element")):
            other = list(one)
            other[at] += 1e-6
            self.assertTrue(driver.differing(other, one, 1e-9, 2).startswith(what))
            self.assertIsNone(driver.differing(other, one, 1e-5, 2) if at else None)
        self.assertEqual(driver.differing(one + one, one, 1e-9, 2), "other arrays")
        nothing, little, some = ([2.0, x, x, x, 0.0] for x in (0.0, 1e-15, 1e-9))
        self.assertIsNone(driver.differing(one + little, one + nothing, 1e-9, 2))
        self.assertIsNotNone(driver.differing(one + some, one + nothing, 1e-9, 2))
        self.assertIsNotNone(driver.differing(little, nothing, 1e-9, 2))

    def test_command(self):
        """The program as a whole, for a few kernels beside C."""
        names = ["jacobi_2d", "crc16", "softmax", "channel_flow"]
        done = subprocess.run(
            [sys.executable, os.path.join(SUITES, "run.py"), "--suite", "kernels", "--quick",
             "--nacre", NACRE, "--python", sys.executable, "--turns", "2", "--only",
             ",".join(names), "--peers", "c"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("No figures", done.stdout)
        self.assertNotIn(ROOT, done.stdout)
        for name in names:
            rows = re.findall(r"^\| %s \|(.*)\|$" % name, done.stdout, re.M)
            self.assertEqual(len(rows), 3, done.stdout)  # ratios, limits, work
            cells = [cell.strip() for cell in rows[0].split("|")]
            self.assertNotIn("—", cells)
            self.assertTrue(cells[3] and cells[-2], cells)  # NumPy's and C's
            self.assertFalse(cells[5] or cells[8], cells)   # Numba's and Pythran's: not asked for


class Table(unittest.TestCase):
    def test_whole(self):
        """Every kernel has a row, in every size."""
        names = [row.program for row in KERNELS.CASES]
        there = sorted(name[:-4] for name in os.listdir(KERNELS.KERNELS) if name.endswith(".ncr"))
        self.assertEqual(names, there)
        for size in ("S", "paper", "quick"):
            self.assertEqual(list(case.cases_of(KERNELS, size, [])), names)
        for name in names:
            self.assertNotIn(REPORT, kernel_text(name))

    def test_changed(self):
        """What the table says a kernel writes into is what it writes into."""
        for row in KERNELS.CASES:
            with self.subTest(row.program):
                function, data = numpy_function(row.program)
                before, given = data(), data()
                function(*given)
                changed = {name for name, old, new in zip(parameters(row.program), before, given)
                           if isinstance(old, np.ndarray) and not np.array_equal(old, new)}
                self.assertEqual(changed | UNMOVED.get(row.program, set()), set(row.changed))


    def test_lines(self):
        """Lines that nacre names are found again in the kernel's own file."""
        for row in KERNELS.CASES:
            first, last = KERNELS.lines_of(row.program)
            text = KERNELS.composed("nacre", row.program, [row.sized("quick")]).split("\n")
            kernel = kernel_text(row.program).split("\n")
            self.assertEqual(text[first - 1:last], kernel)


class InC(unittest.TestCase):
    def test_agrees(self):
        """Each program in C does what its kernel does, again and again, and tells its floor."""
        names = [row.program for row in KERNELS.CASES if os.path.exists(source_in_c(row.program))]
        self.assertGreaterEqual(len(names), 24)
        for row in KERNELS.CASES:
            if row.program in names:
                with self.subTest(row.program):
                    self.agrees(row)

    def agrees(self, row):
        function, data = numpy_function(row.program)
        wanted = arrays(function(*data()))
        given = data()
        before = [np.array(value) for value in given]
        kernel = peer_c.compiled(row.program, given)
        floor = dict(word.split("=") for word in kernel.floor())
        self.assertEqual(set(floor), {"bytes", "flops", "span"})
        self.assertGreater(float(floor["bytes"]) + float(floor["flops"]), 0)
        for _ in range(2):
            for value, old in zip(given, before):
                if isinstance(value, np.ndarray):
                    value[...] = old
            found = arrays(kernel())
            self.assertEqual(len(found), len(wanted))
            for one, other in zip(found, wanted):
                self.assertEqual(one.size, other.size)
                scale = np.abs(other).max()
                apart = np.abs(one.reshape(other.shape) - other).max()
                self.assertLessEqual(apart, row.rtol * scale)


if __name__ == "__main__":
    unittest.main()
