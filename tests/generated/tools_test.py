#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Tests of the generator, the comparison and the shrinker themselves; Nacre is not run."""

import io
import os
import random
import stat
import sys
import tempfile
import unittest
import warnings
from contextlib import redirect_stdout

import run_generated
from program import make_program, make_with
from running import Outcome, differing, parse_traceback
from shrink import Shrinker

TRACE = """Traceback (most recent call last):
  File "a.py", line 3, in f
    g(1)
    ^^^^
KeyError: 'k'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 9, in <module>
    f()
  File "a.py", line 5, in <listcomp>
    x
NameError: name 'x' is not defined. Did you mean: 'max'?
"""

BROKEN = """#!%s
import builtins, sys
true_sorted = builtins.sorted
builtins.sorted = lambda items, **kw: true_sorted(items, **kw)[::-1]
path = sys.argv[1]
sys.path.insert(0, path.rsplit("/", 1)[0])
sys.argv = [path]
exec(compile(open(path).read(), path, "exec"), {"__name__": "__main__"})
"""


class GeneratorTest(unittest.TestCase):
    def test_same_text_for_same_seed(self):
        self.assertEqual(make_program(5, 77), make_program(5, 77))
        self.assertNotEqual(make_program(5, 77), make_program(6, 77))

    def test_all_are_syntactically_right(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number in range(400):
                text = make_program("syntax", number)
                try:
                    compile(text, "generated", "exec")
                except SyntaxError as error:
                    self.fail("program %d: %s in %r" % (number, error, error.text))

    def test_any_source_of_chance_will_do(self):
        class Zeros(random.Random):
            def random(self):
                return 0.0

        compile(make_with(Zeros()), "generated", "exec")

    def test_constructs_appear(self):
        text = "".join(make_program("mix", number) for number in range(300))
        for construct in (
            "yield from",
            "nonlocal",
            "global",
            "lambda",
            "finally:",
            "with ",
            "raise ",
            "del ",
            ":=",
            "class ",
            "@property",
            "super()",
            "__getattr__",
            ".throw(",
            ".send(",
            ".close()",
            "**kw",
            "*args",
            "else:",
            "elif",
            "while",
            "continue",
            "break",
            " from None",
            "@staticmethod",
            "@classmethod",
            "not in",
            "is not",
            "2 ** 64",
            "1j",
            "frozenset",
            'f"',
        ):
            self.assertIn(construct, text)


class CompareTest(unittest.TestCase):
    def test_traceback_parts(self):
        self.assertEqual(
            parse_traceback(TRACE),
            [([3], "KeyError: 'k'"), ([9], "NameError: name 'x' is not defined")],
        )

    def test_message_over_lines(self):
        text = TRACE.split("\n")[0] + '\n  File "a", line 1, in f\nValueError: one\ntwo\n'
        self.assertEqual(parse_traceback(text), [([1], "ValueError: one\ntwo")])

    def test_equal(self):
        self.assertIsNone(differing(Outcome("1\n"), Outcome("1\n")))
        self.assertIsNone(
            differing(Outcome("0.30000000000000004\n"), Outcome("0.3000000000000001\n"))
        )

    def test_output_differs(self):
        for got, want in (
            ("1\n", "2\n"),
            ("1\n", "1\n2\n"),
            ("0.3\n", "0.3000001\n"),
            ("a  b\n", "a b\n"),
            ("-0.0\n", "0.0\n"),
        ):
            self.assertEqual(differing(Outcome(got), Outcome(want)).kind, "output", (got, want))

    def test_not_comparable(self):
        for want in (
            Outcome("<f at 0x7f00aa00bb00>\n"),
            Outcome("\n!!! MemoryError: \n"),
            Outcome("{nan: 11, nan: 11}\n"),
            Outcome("{1, nan, 2, nan}\n"),
            Outcome("", 1, "Traceback (most recent call last):\nMemoryError\n"),
            Outcome("", None, "", True),
        ):
            self.assertFalse(want.comparable, want.out + want.err)
        for same in ("1\n", "{nan: 11, 2: nan}\n", "{nan}\n{nan}\n", "[1, nan, nan]\n"):
            self.assertTrue(Outcome(same).comparable, same)

    def test_kinds(self):
        err = 'Traceback (most recent call last):\n  File "a", line %d, in <module>\n%s\n'
        want = Outcome("", 1, err % (3, "ValueError: a"))
        for got, kind in (
            (Outcome("", 1, err % (4, "ValueError: a")), "lines"),
            (Outcome("", 1, err % (3, "ValueError: b")), "exception"),
            (Outcome("", 1, err % (3, "TypeError: a")), "exception"),
            (Outcome("", 0), "exception"),
            (Outcome("", -11), "crash"),
            (Outcome("", 134), "crash"),
            (Outcome("", None, "", True), "timeout"),
        ):
            self.assertEqual(differing(got, want).kind, kind)
        self.assertIsNone(differing(Outcome("", 1, err % (3, "ValueError: a")), want))


class ShrinkTest(unittest.TestCase):
    def shrink(self, text, needle):
        return Shrinker(lambda t: needle in t, 10, 2000).shrink(text).strip()

    def test_statements(self):
        text = (
            "a = 1\nfor i in range(3):\n    if i:\n        b = 2\n        needle = i\n"
            "    else:\n        c = 3\nd = 4\n"
        )
        self.assertIn(self.shrink(text, "needle"), ("needle = i", "needle = 0"))

    def test_try(self):
        text = "try:\n    x = 1\n    needle()\nexcept ValueError:\n    pass\nfinally:\n    y = 2\n"
        self.assertEqual(self.shrink(text, "needle"), "needle")

    def test_expressions(self):
        self.assertEqual(self.shrink("x = [1, (needle + 3) * f(2), 'é']\n", "needle"), "x = needle")

    def test_function_body_is_kept_whole(self):
        self.assertEqual(
            self.shrink("def f(a):\n    q = 1\n    return needle\nf(3)\n", "return needle"),
            "def f(a):\n    return needle",
        )


class RunTest(unittest.TestCase):
    def run_with(self, nacre, *options):
        out = io.StringIO()
        with redirect_stdout(out):
            status = run_generated.main(
                ["--nacre", nacre, "--shrink-seconds", "20"] + list(options)
            )
        return status, out.getvalue()

    def wrapper(self, folder, text):
        path = os.path.join(folder, "interpreter")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_cpython_agrees_with_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.wrapper(
                folder, '#!/bin/sh\nPYTHONHASHSEED=7 exec "%s" -S -W ignore "$@"\n' % sys.executable
            )
            status, out = self.run_with(path, "--count", "60")
        self.assertEqual(status, 0, out)
        self.assertIn("60 passed, 0 failed" if "0 set aside" in out else "passed, 0 failed", out)

    def test_a_wrong_built_in_is_found_and_shrunk(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out = self.run_with(
                self.wrapper(folder, BROKEN % sys.executable), "--count", "30", "--shrink", "1"
            )
        self.assertEqual(status, 1)
        shown = [line for line in out.split("\n") if line.startswith("  | ")]
        self.assertTrue(0 < len(shown) <= 8, out)
        self.assertIn("sorted", "".join(shown))

    def test_a_crash_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.wrapper(folder, "#!/bin/sh\nkill -SEGV $$\n")
            status, out = self.run_with(path, "--count", "3", "--shrink", "0")
        self.assertEqual(status, 1)
        self.assertIn("SIGSEGV", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
