#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Checks of the test runner itself: it has to see every kind of failure. CPython plays the program
under test where its answers are wanted, a shell script where wrong ones are."""

import os
import stat
import subprocess
import sys
import tempfile
import unittest

import compare

HERE = os.path.dirname(os.path.abspath(__file__))


class Comparison(unittest.TestCase):
    def same(self, got, want, rtol=1e-12):
        self.assertIsNone(compare.first_difference(got, want, rtol))

    def other(self, got, want, rtol=1e-12):
        self.assertIsNotNone(compare.first_difference(got, want, rtol))

    def test_numbers(self):
        self.same("x = 0.30000000000000004", "x = 0.3")
        self.same("[ 1.   2.5]", "[1.0000000000000002 2.5]")
        self.same("1e+16 -2.5e-3j", "9999999999999999.0 -0.0025j")
        self.same("1.00001", "1.0", 1e-4)
        self.other("1.00001", "1.0")
        self.other("1", "1.0")
        self.other("10000000000000000", "10000000000000001")
        self.other("0.0", "-0.0")
        self.other("nan", "inf")

    def test_text(self):
        self.other("float32 1.0", "float64 1.0000000000000002")
        self.other("x1", "x2")
        self.other("a  b", "a b")
        self.other("1.0  b", "1.0 b")
        self.other("a\n", "a")
        self.other("a\nb", "a")


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check(self, script, program=None, more=()):
        """(passed, printed) for one script; the program is CPython, or the shell text given."""
        nacre = sys.executable
        if program is not None:
            nacre = self.write("program", "#!/bin/sh\n" + program + "\n")
            os.chmod(nacre, stat.S_IRWXU)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "run_ncr.py"), "--nacre", nacre, "--python",
             sys.executable, "--cache", os.path.join(self.folder.name, "oracle"),
             "--timeout", "5", *more, self.write("script.ncr", script)],
            capture_output=True, text=True)
        last = done.stdout.rstrip().split("\n")[-1]
        passed = last == "1 passed, 0 failed"
        self.assertEqual(passed, done.returncode == 0, done.stdout + done.stderr)
        return passed, done.stdout

    def passes(self, script, program=None):
        passed, printed = self.check(script, program)
        self.assertTrue(passed, printed)

    def fails(self, script, program=None, why=""):
        passed, printed = self.check(script, program)
        self.assertFalse(passed, printed)
        self.assertIn(why, printed)

    def test_expect(self):
        self.passes("print(1)  # expect: 1\n\nprint('a b')\n# expect: a b\n")
        self.fails("print(1)  # expect: 2\n", why="output line 1")
        self.fails("print(1)\nprint(2)\n# expect: 1\n", why="output line 2")
        self.fails("# expect: 1\n", why="output line 1")
        self.fails("print(1)  # expect: 1\n1 / 0\n", why="exit status 1")

    def test_expects_nothing(self):
        self.fails("print(1)\n", why="cannot fail")
        self.passes("assert 1 + 1 == 2\n")
        self.fails("assert 1 + 1 == 3\n", why="exit status 1")

    def test_error(self):
        script = "x = 1\nif x:\n    y = x + 'a'\n"
        message = "TypeError: unsupported operand type(s) for +: 'int' and 'str'"
        self.passes(script + "# expect error: " + message + "\n# expect error line: 3 col: 9\n")
        self.fails(script + "# expect error: TypeError: other\n", why="error")
        self.fails(script + "# expect error: %s\n# expect error line: 2\n" % message, why="line of")
        self.fails(script + "# expect error: %s\n# expect error line: 3 col: 8\n" % message,
                   why="column of")
        self.fails("x = 1\n# expect error: TypeError: other\n", why="status")

    def test_exit_and_args(self):
        self.passes("# args: a 'b c'\n# expect exit: 3\nimport sys\nprint(sys.argv[1:])\n"
                    "# expect: ['a', 'b c']\nsys.exit(3)\n")
        self.fails("# expect exit: 3\nimport sys\nsys.exit(4)\n", why="exit status 4")

    def test_oracle(self):
        script = "# oracle: cpython\nprint(0.1 + 0.2)\n"
        self.passes(script)
        self.passes(script, "echo 0.3")
        self.fails(script, "echo 0.4", why="by CPython")
        self.fails(script, "echo 0.3; exit 1", why="status, by CPython")
        error = "# oracle: cpython\nraise ValueError('a')\n"
        self.passes(error)
        self.fails(error, "echo 'ValueError: b' >&2; exit 1", why="error, by CPython")
        self.passes(error, "printf 'ValueError: a\\n  more\\n' >&2; exit 1")
        same = "echo 'IndentationError: unexpected indent' >&2; exit 1"
        self.fails("# oracle: cpython\n  print(1)\n", same, why="cannot read the script")
        self.passes("# rtol: 1e-3\n" + script, "echo 0.3001")

    def test_crash_and_hang(self):
        self.fails("print(1)  # expect: 1\n", "echo 1; kill -SEGV $$", why="signal SIGSEGV")
        self.fails("# timeout: 0.2\nprint(1)  # expect: 1\n", "exec sleep 5", why="not finished")

    def test_one_rank(self):
        """What is not run on several ranks is neither passed nor failed, and alone it is not enough."""
        script = "# one rank: a reason\nprint(1)  # expect: 1\n"
        self.passes(script)
        passed, printed = self.check(script, more=("--ranks", "3"))
        self.assertFalse(passed)
        self.assertEqual(printed, "1 left out, which are for one rank\n0 passed, 0 failed\n")

    def test_ranks_rtol(self):
        script = "# oracle: cpython\n# ranks rtol: 1e-3\nprint(0.3)\n"
        self.fails(script, "echo 0.3001", why="by CPython")
        self.assertTrue(self.check(script, "echo 0.3001", more=("--ranks", "3"))[0])

    def test_bad_directive(self):
        self.fails("# oracle: other\n", why="unknown oracle")
        self.fails("# expect error line: x\n", why="cannot read")


if __name__ == "__main__":
    unittest.main()
