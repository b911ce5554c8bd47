#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random array programs: the generator and the comparison themselves, then Nacre beside NumPy on both
backends.

    arrays_test.py PATH-OF-NACRE

The programs of a fixed seed have to agree with NumPy as often as they once did (PASSING, which may
only grow); those of a seed that the commit gives, about as often. None may crash or hang, and the
backends have to agree with each other.
"""

import io
import os
import stat
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

import run_arrays
from array_program import make_program
from commit import hash_of_commit
from comparing import first_difference
from optable import read_ops
from sanitizers import sanitizers_of

NACRE = os.path.abspath(sys.argv[1])
COUNT = 1200
PASSING = 1199  # of the first COUNT programs of seed 1
SLACK = 0.005  # of COUNT: how many fewer may pass with another seed
MIRRORED = 400

# NumPy in Nacre's place; the last argument of the command is the script.
WRAPPER = """#!%s -Wignore
import runpy, sys
import numpy as np
%s
path = sys.argv[-1]
sys.path.insert(0, path.rsplit("/", 1)[0])
runpy.run_path(path, run_name="__main__")
"""


def run(nacre, *options):
    limit = "0" if sanitizers_of(nacre) else "8"
    parsed = run_arrays.parse_arguments(["--nacre", nacre, "--memory-gib", limit] + list(options))
    made = run_arrays.Run(parsed)
    made.run()
    return made


class GeneratorTest(unittest.TestCase):
    def test_same_text_for_same_seed(self):
        self.assertEqual(make_program(5, 77), make_program(5, 77))
        self.assertNotEqual(make_program(5, 77), make_program(6, 77))

    def test_forms_appear(self):
        text = "".join(make_program("forms", number) for number in range(400))
        for form in ("np.nan", "np.newaxis", "::-1", "...", "out=", "axis=", "keepdims=", "np.uint8",
                     "float16", " @ ", "**=", "np.broadcast_to(", ".T", "reshape(", "np.argsort("):
            self.assertIn(form, text)

    def test_every_row_of_the_table_is_read(self):
        names = [op.name for op in read_ops()]
        self.assertEqual(len(names), len(set(names)))
        for name in ("add", "sin", "arctan2", "add.reduce", "matmul"):
            self.assertIn(name, names)


class CompareTest(unittest.TestCase):
    def found(self, got, want, text="x = 1  # 3 np.sin w\n", warned=({}, {})):
        difference = first_difference(text, (got, warned[0]), (want, warned[1]))
        return difference and difference.kind

    def test_tolerance(self):
        head = "3 ~ 2 None ndarray float64 (2,)\n"
        want = head + "[1.0, nan]"
        self.assertIsNone(self.found(head + "[1.0000000000000002, nan]", want))
        self.assertEqual(self.found(head + "[1.000000000000001, nan]", want), "value")
        self.assertEqual(self.found(head + "[1.0, 2.0]", want), "value")
        scaled = "3 ~ 2 1000 ndarray float32 (1,)\n"
        self.assertIsNone(self.found(scaled + "[0.0001]", scaled + "[0.0]"))
        self.assertEqual(self.found(scaled + "[0.001]", scaled + "[0.0]"), "value")

    def test_exact(self):
        want = "3 = ndarray int8 (1,)\n[1]\narray([1], dtype=int8)"
        self.assertIsNone(self.found(want, want))
        self.assertEqual(self.found(want.replace("[1]", "[2]"), want), "value")
        self.assertEqual(self.found(want.replace("int8", "int16"), want), "result")

    def test_unwritten(self):
        text = "x = np.add(a, a, where=m)  # 3 np.add\n"
        want = "3 = ndarray int8 (2,)\n[7, 1]\narray([7, 1], dtype=int8)"
        self.assertEqual(self.found(want.replace("7", "0"), want, text), "unwritten")
        self.assertEqual(self.found(want.replace("7", "2"), want, text), "value")
        given = text.replace("where", "out=b, where")
        self.assertEqual(self.found(want.replace("7", "0"), want, given), "value")

    def test_zeros(self):
        want = "3 = ndarray float64 (2,)\n[-0.0, 1.0]\narray([-0.,  1.])"
        self.assertEqual(self.found(want.replace("-0.0", "0.0"), want), "zeros")
        self.assertEqual(self.found(want.replace("-0.0", "-0.05"), want), "value")
        self.assertEqual(self.found(want.replace("1.0", "2.0"), want), "value")

    def test_infinite(self):
        want = "3 = ndarray complex64 (2,)\n[[nan, 1.0], [inf, 2.0]]\narray([...])"
        self.assertEqual(self.found(want.replace("nan", "-inf"), want), "infinite")
        self.assertEqual(self.found(want.replace("nan", "7.0").replace("inf", "7.0"), want), "value")
        self.assertEqual(self.found(want.replace("2.0", "3.0"), want), "value")

    def test_half_way(self):
        failed = "3 ! ValueError: Integers to negative integer powers are not allowed.\n"
        want = "3 = ndarray int8 (1,)\n[1]\narray([1], dtype=int8)"
        got = want.replace("[1]", "[2]")
        self.assertEqual(self.found(failed + got, failed + want), "half-way")
        self.assertEqual(self.found(got, want), "value")

    def test_complex_scale(self):
        head = "3 ~ 2 1000 ndarray complex128 (1,)\n"
        self.assertIsNone(self.found(head + "[[1e-16], [0.0]]", head + "[[0.0], [0.0]]"))
        self.assertEqual(self.found(head + "[[1e-9], [0.0]]", head + "[[0.0], [0.0]]"), "value")

    def test_failures(self):
        self.assertIsNone(self.found("3 ! ValueError: axis", "3 ! AxisError: axis"))
        self.assertEqual(self.found("3 ! TypeError: axis", "3 ! AxisError: axis"), "type")
        self.assertEqual(self.found("3 ! ValueError: a", "3 ! ValueError: b"), "message")
        self.assertEqual(self.found("3 ! ValueError: a", "3 = int python\n[1]\n1"), "raises")
        self.assertEqual(self.found("3 = int python\n[1]\n1", "3 ! ValueError: a"), "passes")

    def test_warnings(self):
        one = {1: {"RuntimeWarning: overflow encountered in sin"}}
        self.assertEqual(self.found("", "", warned=({}, one)), "warnings")
        self.assertIsNone(self.found("", "", warned=(one, one)))


class RunTest(unittest.TestCase):
    def numpy_as_nacre(self, folder, change):
        path = os.path.join(folder, "interpreter")
        with open(path, "w", encoding="utf-8") as file:
            file.write(WRAPPER % (sys.executable, change))
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_numpy_agrees_with_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            made = run(self.numpy_as_nacre(folder, ""), "--count", "150", "--jobs", "1")
        self.assertEqual({s: f for s, f in made.groups.items() if "warnings: " not in s}, {})
        self.assertEqual((made.programs, made.aside), (150, 0))

    def test_a_mistake_is_found_and_made_small(self):
        change = "true_where = np.flip\nnp.flip = lambda a, *rest, **kw: true_where(a)"
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as out:
            path = self.numpy_as_nacre(folder, change)
            made = run(path, "--count", "300", "--shrink-seconds", "8")
            groups = {s: f for s, f in made.groups.items() if "np.flip" in s}
            self.assertTrue(groups)
            whole = len(make_program("1", next(iter(groups.values()))[0][0]).split("\n"))
            made.groups = dict([next(iter(groups.items()))])
            made.report()
        shown = [line for line in out.getvalue().split("\n") if line.startswith("  | ")]
        self.assertTrue(0 < len(shown) <= whole / 2, out.getvalue())
        self.assertIn("np.flip", "".join(shown))

    def test_a_crash_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "interpreter")
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nkill -SEGV $$\n")
            os.chmod(path, 0o755)
            made = run(path, "--count", "2", "--jobs", "1")
        self.assertEqual(made.failed, 2)
        self.assertTrue(all("crash" in signature for signature in made.groups))


class NacreTest(unittest.TestCase):
    def outcome(self, made, least):
        """Checks what holds of every run; the numbers of the programs that differ."""
        numbers = {n for found in made.groups.values() for n, _ in found}
        ended = [s for s in made.groups if ": crash: " in s or ": timeout: " in s]
        self.assertEqual(ended, [])
        self.assertLessEqual(made.aside, 0.05 * made.programs)
        self.assertGreaterEqual(made.raised, 0.3 * made.programs)
        passed = made.programs - len(numbers)
        print("%d of %d programs agree with NumPy (seed %s, %s)" % (
            passed, made.programs, made.options.seed, made.options.backend))
        self.assertGreaterEqual(passed, least, "\n".join(
            "%d %s" % (found[0][0], signature) for signature, found in made.groups.items()))
        return numbers

    def test_fixed_seed(self):
        made = run(NACRE, "--count", str(COUNT), "--seed", "1")
        differing = self.outcome(made, PASSING)
        self.assertGreaterEqual(made.rows()[0], run_arrays.ROWS_SHARE)
        mirrored = run(NACRE, "--count", str(MIRRORED), "--seed", "1", "--backend", "mirror")
        self.assertEqual(self.outcome(mirrored, 0), {n for n in differing if n < MIRRORED})

    def test_seed_of_the_commit(self):
        self.outcome(run(NACRE, "--count", str(COUNT), "--seed", hash_of_commit()),
                     PASSING - SLACK * COUNT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
