#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""--strict: what goes another way than the options ask for is an error or a warning, at its line; loops
leave whole arrays to a device; figures name the lines. (Operations that a device has not: backends/fallback_test.)

usage: strict_test.py NACRE
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

from terminal import environment

NACRE = os.path.abspath(sys.argv[1])
ARRAYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "array")

STENCIL = """\
import numpy as np
def heat(u, n):
    for t in range(n):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    return u
u = np.zeros((20, 30))
u[5:9, 7:20] = 1.0
print(heat(u, 300).sum().hex())
"""
# Its arrays come to the host as elements are read, before its code is entered; the other's do not.
READS = """\
import numpy as np
def total(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * 2
    return s
print(total(np.arange(100.0) + 1))
"""
SELDOM = """\
import numpy as np
def total(a):
    s = 0.0
    for i in range(len(a)):
        if i > 50:
            s += a[i] * 2
    return s
print(total(np.arange(100.0) + 1))
"""
NO_CODE = """\
s = 0
for i in range(50):
    s += i
    if i == 40:
        print(s)
"""
LEAVES = """\
import numpy as np
def sum_up(n, x):
    s = 0
    for i in range(n):
        s += x
    return s
print(sum_up(100, 2**61))
"""
ASSIGNS = """\
import numpy as np
a = np.arange(2000.0) + 1
a[3] = 5.0
print(a[3])
"""


class StrictTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-strict-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_text(self, text, *options, env=None):
        path = os.path.join(self.folder, "p.ncr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        variables = dict({"NACRE_CACHE": os.path.join(self.folder, "cache")}, **(env or {}))
        return subprocess.run((NACRE, *options, path), capture_output=True, text=True, timeout=120,
                              env=environment(variables))

    def figures(self, text, *options):
        path = os.path.join(self.folder, "stats.json")
        done = self.run_text(text, "--stats", path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            return done.stdout, json.load(file)

    def check_error(self, done, line, source, carets, message):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[-1], "RuntimeError: --strict: line %d: %s" % (line, message))
        shown = ["    " + source] + ["    " + carets] * bool(carets) # none: all of the line is meant
        self.assertEqual(lines[-1 - len(shown):-1], shown, done.stderr)
        self.assertIn(", line %d, in " % line, lines[-2 - len(shown)])

    def test_whole_arrays_stay_on_the_device(self):
        wanted = None
        for tier in "interp", "kernel", "auto", "function":
            out, figures = self.figures(STENCIL, "--backend", "mirror", "--tier", tier, "--strict")
            told = out, *(figures[name] for name in ("kernels", "fallbacks", "copies_device_to_host", "loop_rounds"))
            wanted = wanted or told
            self.assertEqual(told, wanted, tier)
        self.assertEqual(self.figures(STENCIL)[0], wanted[0])
        self.assertGreater(wanted[1], 300)
        self.assertEqual(wanted[2:], (0, 1, 0))

    def test_the_reason_is_told(self):
        done = self.run_text(STENCIL, "--backend", "mirror", "--tier", "function", "--explain")
        self.assertIn("p.ncr:3: interpreted; line 4 left to the interpreter: work on whole arrays, which is the device's",
                      done.stderr)

    def test_elements(self):
        plain = self.figures(READS, "--backend", "mirror", "--tier", "interp")
        for options in [], ["--strict"]:
            out, figures = self.figures(READS, "--backend", "mirror", "--tier", "function", *options)
            self.assertEqual((out, figures["fallbacks"], figures["copies_device_to_host"], figures["detours"]),
                             (plain[0], 0, plain[1]["copies_device_to_host"], []))
            self.assertGreater(figures["loop_rounds"], 90)

    def test_elements_that_are_not_there(self):
        out, figures = self.figures(SELDOM, "--backend", "mirror", "--tier", "function")
        self.assertEqual(out, self.run_text(SELDOM, "--tier", "interp").stdout)
        self.assertEqual(figures["fallbacks"], 1)
        [detour] = figures["detours"]
        self.assertEqual((detour["kind"], detour["line"], detour["count"], detour["text"]),
                         ("kernel", 4, 1, "a loop in machine code runs on the host: mirror has its arrays"))
        self.check_error(self.run_text(SELDOM, "--backend", "mirror", "--tier", "function", "--strict"), 4,
                         "for i in range(len(a)):", "", detour["text"])

    def test_hidden_transfer(self):
        text = "an array is brought to the host: an element of it is assigned there"
        self.check_error(self.run_text(ASSIGNS, "--backend", "mirror", "--strict"), 3, "a[3] = 5.0", "^^^^", text)
        done = self.run_text(ASSIGNS, "--backend", "mirror", env={"NACRE_STRICT": "warn"})
        self.assertEqual((done.stdout, done.returncode), ("5.0\n", 0))
        self.assertRegex(done.stderr, r"^\S+p.ncr:3: RuntimeWarning: --strict: %s\n  a\[3\] = 5.0\n$" % text)
        self.assertEqual(self.run_text(ASSIGNS, "--strict").stderr, "")

    def test_no_machine_code(self):
        self.check_error(self.run_text(NO_CODE, "--tier", "function", "--strict"), 5, "print(s)", "",
                         "a loop is left to the interpreter: a call")
        for options in ("--tier", "auto", "--strict"), ("--strict",), ("--tier", "function", "--strict=off"):
            self.assertEqual(self.run_text(NO_CODE, *options).stderr, "")

    def test_machine_code_that_is_left(self):
        message = "a loop is left to the interpreter: a number, an index or a warning that its types do not cover"
        self.check_error(self.run_text(LEAVES, "--tier", "function", "--strict"), 5, "s += x", "", message)
        done = self.run_text(LEAVES, "--tier", "function", "--strict=warn")
        self.assertEqual(done.stdout, self.run_text(LEAVES, "--tier", "interp", "--strict").stdout)
        self.assertEqual(done.stderr.count("RuntimeWarning: --strict: " + message), 1, done.stderr)

    def test_no_compiler(self):
        done = self.run_text(READS, "--tier", "function", "--strict", env={"NACRE_CC": "/bin/false"})
        self.assertRegex(done.stderr, "RuntimeError: --strict: line 4: a loop is left to the interpreter: .*compiler")

    def test_wrong_values(self):
        for options, env in (("--strict=very",), {}), ((), {"NACRE_STRICT": "very"}):
            done = self.run_text("print(1)", *options, env=env)
            self.assertEqual((done.stdout, done.returncode), ("", 2))
            self.assertTrue(done.stderr.startswith("nacre: error, warn or off is wanted "), done.stderr)

    def test_nothing_on_the_host(self):
        files = sorted(glob.glob(os.path.join(ARRAYS, "*.ncr")))
        self.assertGreater(len(files), 50)
        for path in files:
            done = subprocess.run((NACRE, "--strict", "--tier", "interp", path), capture_output=True, text=True,
                                  timeout=120, cwd=ARRAYS, env=environment({}))
            self.assertNotIn("--strict", done.stdout + done.stderr, path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
