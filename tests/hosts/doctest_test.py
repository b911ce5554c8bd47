#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""`nacre doctest`, compared with Python's own module where the rules agree: which examples there
are, in which lines, and which of them fail.

usage: doctest_test.py NACRE
"""

import contextlib
import doctest
import importlib.util
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv[1])
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

# Each is a text of its own.
TEXTS = [
    # finding
    "no examples\n\n> > 1\n", "", "\n", ">>> 1\n1", ">>> 1\n1\n>>> 2\n3\n\ntext\n\n   >>> 4\n   4\n",
    ">>> 1\n1\ntext that belongs to it\n", "text >>> 1\n2\n", ">>> # a comment\n2\n", ">>>\n>>> \n1\n",
    "\t>>> 1\n\t1\n", "    >>> [1,\n    ...  2]\n    [1, 2]\n", ">>> def f():\n...     return 5\n>>> f()\n5\n",
    ">>> def f():\n...     return 5\n...\n>>> f()\n5\n", ">>> for i in range(3):\n...     i\n0\n1\n2\n",
    ">>> if 1:\n...     x = 3\n... else:\n...     x = 4\n...\n>>> x\n3\n", ">>> x = 1\n... y = 2\n",
    ">>> '''a\n... b'''\n'a\\nb'\n", ">>> '''a\n...   b\n... '''\n'a\\n  b\\n'\n",
    ">>> 1\n1\n   \n2\n", ">>> print(' a')\n a\n", "  >>> print(' a')\n   a\n", ">>> 1\r\n1\r\n\r\n>>> 2\r\n3\r\n",
    ">>> class C:\n...     '''\n...     >>> 1\n...     2\n...     '''\n", ">>> x = 3; x\n3\n",
    ">>> # a comment\n... 5\n5\n", ">>> 5 # a comment\n5\n", ">>> ''\n''\n", ">>> print()\n", ">>> 1 + 1 # >>> 3\n2\n",
    # comparing
    ">>> 1\n", ">>> None\n", ">>> x = 1\n1\n", ">>> print('a  b')\na b\n", ">>> print('a\\n b')\na b\n", ">>> print('ab')\na b\n",
    ">>> print('a\\n\\nb')\na\n<BLANKLINE>\nb\n", ">>> print('<BLANKLINE>')\n<BLANKLINE>\n",
    ">>> print('a<BLANKLINE>')\na<BLANKLINE>\n", ">>> print('a\\n\\nb')  # doctest: +DONT_ACCEPT_BLANKLINE\na\n<BLANKLINE>\nb\n",
    ">>> print('<BLANKLINE>')  # doctest: +DONT_ACCEPT_BLANKLINE\n<BLANKLINE>\n", ">>> print(' ')\n<BLANKLINE>\n",
    ">>> True\n1\n", ">>> False\n0\n", ">>> True\n1\n2\n", ">>> True  # doctest: +DONT_ACCEPT_TRUE_FOR_1\n1\n", ">>> 1\nTrue\n",
    ">>> list(range(20))\n[0, 1, ..., 19]\n", ">>> list(range(20))\n[0, 1, ..., 18]\n", ">>> list(range(20))\n[...]\n",
    ">>> list(range(20))\n[0,..., 1, ..., 19]\n", ">>> 'abc'\n...\n", ">>> 'abc'\n'a...c'\n", ">>> 'abc'\n'ab...bc'\n", ">>> 'abc'\n'abc...'\n",
    ">>> 'aXbXc'\n'a...X...X...c'\n", ">>> 'aXbXc'\n'a...X...X...X...c'\n", ">>> print('a')\na ...\n", ">>> print('a b c')\na ... c\n",
    ">>> print('a x x y')\na...x y\n", ">>> 3.14159\n3.14...\n", ">>> 3.14159\n3.15...\n", ">>> 314159\n31...59\n", ">>> 10000000\n10000001\n",
    ">>> 4 // 2\n2.0\n", ">>> 1.5\n1.50001\n", ">>> print('1.5.5')\n1.5.50000000001\n", ">>> print('x1.5')\nx1.50000000001\n",
    ">>> print('1.5x')\n1.50000000001x\n", ">>> 1.5\n-1.5\n", ">>> '\u20ac'\n'\u20ac'\n", ">>> print('a...b')\na...b\n", ">>> 1e300 * 1e10\ninf\n",
    ">>> 2.5, 7\n(2.5, 8)\n",
    # exceptions
    ">>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n",
    ">>> 1 / 0\nTraceback (most recent call last):\n  File 'x'\n    y\n  ...\nZeroDivisionError: division by zero\n",
    ">>> 1 / 0\nTraceback (innermost last):\n  ...\nZeroDivisionError: division by zero\n", ">>> 1 / 0\n", ">>> 1 / 0\nZeroDivisionError: division by zero\n",
    ">>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: something else\n", ">>> 1 / 0\nTraceback (most recent call last):\n  ...\n",
    ">>> 1 / 0\nTraceback (most recent call last):\nValueError: division by zero\n", ">>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: ...\n",
    ">>> 1 / 0\nTraceback (most recent call last) :\nZeroDivisionError: division by zero\n",
    ">>> 1 / 0 # doctest: +IGNORE_EXCEPTION_DETAIL\nTraceback (most recent call last):\nsome.ZeroDivisionError: what\n",
    ">>> 1 / 0 # doctest: +IGNORE_EXCEPTION_DETAIL\nTraceback (most recent call last):\nValueError: division by zero\n",
    ">>> 1 # doctest: +IGNORE_EXCEPTION_DETAIL\nTraceback (most recent call last):\nValueError: x\n",
    ">>> raise ValueError('a\\n  b\\nc')\nTraceback (most recent call last):\nValueError: a\n  b\nc\n",
    ">>> raise ValueError('a\\n  b\\nc')\nTraceback (most recent call last):\nValueError: a\n", ">>> raise ValueError\nTraceback (most recent call last):\nValueError\n",
    ">>> class E(Exception): pass\n>>> raise E(1)\nTraceback (most recent call last):\nE: 1\n",
    ">>> try:\n...     1 / 0\n... except ZeroDivisionError:\n...     raise KeyError(2)\nTraceback (most recent call last):\nKeyError: 2\n",
    ">>> x = = 1\nTraceback (most recent call last):\nSyntaxError: invalid syntax\n", ">>> x = = 1\nTraceback (most recent call last):\nNameError: x\n",
    ">>> def f():\n... pass\nTraceback (most recent call last):\nIndentationError: expected an indented block after function definition on line 1\n",
    ">>> import sys\n>>> sys.exit(3)\nTraceback (most recent call last):\nSystemExit: 3\n>>> sys.exit(0)\nTraceback (most recent call last):\nSystemExit: 0\n",
    ">>> import sys\n>>> sys.exit()\nTraceback (most recent call last):\nSystemExit\n>>> sys.exit(2)\n>>> 1\n1\n",
    ">>> print('out'); 1 / 0\nout\nTraceback (most recent call last):\nZeroDivisionError: division by zero\n",
    # options
    ">>> 1 # doctest: +SKIP\n2\n>>> 1\n1\n", ">>> 1 #doctest:+SKIP\n2\n", ">>> 1 # doctest: +SKIP, +ELLIPSIS\n2\n", ">>> 1 # doctest: +ELLIPSIS +SKIP\n2\n",
    ">>> 1 # doctest: +SKIP -SKIP\n2\n", ">>> (1 + # doctest: +SKIP\n... 1)\n3\n", ">>> # doctest: +SKIP\n... 1 + 1\n3\n", ">>> 1 # see # doctest: +SKIP\n2\n",
    ">>> '# doctest: +SKIP'\n2\n", ">>> 1 # doctest: +NORMALIZE_WHITESPACE\n1\n", ">>> 1 # doctest: SKIP it not 'x'\n1\n", ">>> 1 # DOCTEST: +SKIP\n2\n",
    # one namespace
    ">>> x = 1\n\ntext\n\n>>> x\n1\n>>> del x\n>>> x\nTraceback (most recent call last):\nNameError: name 'x' is not defined\n>>> __name__\n'__main__'\n",
    ">>> 5\n5\n>>> _\n5\n", ">>> x = 1\n>>> def f(): return x\n>>> x = 2\n>>> f()\n2\n>>> globals()['x']\n2\n",
]

# What Python refuses to look at, here a failure of the example.
REFUSED = [">>>1\n", ">>> [1,\n...2]\n", "  >>> 1\n 1\n", "  >>> [1,\n ... 2]\n", ">>> 1 # doctest: +NO_SUCH_OPTION\n1\n",
           ">>> 1 # doctest: SKIP\n1\n", ">>> 1 # doctest: +\n1\n", ">>> # doctest: +SKIP\n"]

MODULE = r'''#!/usr/bin/env nacre
"""The module itself.

>>> x = y + 1; x
11
>>> y = 0
>>> f.__name__, __name__
('f', '%(stem)s')
>>> raise Wrong('why')
Traceback (most recent call last):
%(stem)s.Wrong: why
"""

y = 10
print("loaded")


class Wrong(Exception):
    pass


def f(a):
    """
    >>> x
    Traceback (most recent call last):
    NameError: name 'x' is not defined
    >>> y
    10
    >>> y = 3
    >>> f(1)
    11
    >>> f(2)
    13
    """
    def inner():
        """
        >>> 1
        2
        """
    return a + y


class C:
    """A class. >>> 1

    >>> C().m()
    'm'
    """

    def m(self):
        r"""
        >>> print('a\nb')
        a
        b
        >>> C.made.__name__
        'wrong'"""
        return 'm'

    @staticmethod
    def made():
        """>>> y
        10
        """

    @classmethod
    def too(cls): "   >>> C.D.E.__doc__ is None"

    @property
    def p(self):
        """
        text
            >>> 5
            5
        >>> C().p
        7
        """
        return 7

    class D:
        class E:
            def m(self):
                """
                >>> 'deep'
                'deepest'
                """


if y:
    def in_a_branch():
        """
        >>> 'here'
        'there'
        """
try:
    def in_try():
        '>>> 3'
finally:
    pass

if __name__ == "__main__":
    raise SystemExit("not imported")
'''


class Notes(doctest.DocTestRunner):
    """Python's runner; it notes the lines of failures."""

    def __init__(self):
        super().__init__(verbose=False, optionflags=FLAGS)
        self.lines = []

    def note(self, out, test, example, *rest):
        self.lines.append(test.lineno + example.lineno + 1)

    report_failure = report_unexpected_exception = note


def by_python(tests):
    """Lines of the failures, in order, and the number of examples."""
    runner = Notes()
    with contextlib.redirect_stdout(io.StringIO()):
        for test in tests:
            runner.run(test)
    return sorted(runner.lines), runner.tries


class DoctestTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-doctest-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def nacre(self, *paths):
        return subprocess.run((NACRE, "doctest") + paths, capture_output=True, text=True, timeout=120)

    def check(self, path, out="", err=""):
        """Runs one file; gives the lines of the failures, the number of examples, and what was told."""
        done = self.nacre(path)
        self.assertTrue(done.stdout.startswith(out), done.stdout)
        *told, last = done.stdout[len(out):].split("\n")[:-1]
        passed, failed = map(int, re.fullmatch(r"(\d+) passed, (\d+) failed", last).groups())
        lines = []
        for line in told:
            self.assertTrue(line.startswith(path + ":"), line)
            lines.append(int(line[len(path) + 1:].partition(":")[0]))
        self.assertEqual((len(lines), done.returncode, done.stderr), (failed, int(failed > 0), err))
        return sorted(lines), passed + failed, told

    def one(self, text, name="text.txt"):
        """Whether the only example of a text passes, and how a failure is told."""
        path = self.write(name, text)
        lines, count, told = self.check(path)
        self.assertEqual(count, 1, text)
        return told[0][len(path) + 1:] if lines else None


class AsPython(DoctestTest):
    def test_texts(self):
        for text in TEXTS:
            with self.subTest(text=text):
                path = self.write("text.txt", text)
                plain = text.replace("\r\n", "\n")
                test = doctest.DocTestParser().get_doctest(
                    plain, {"__name__": "__main__"}, "text.txt", path, 0)
                self.assertEqual(self.check(path)[:2], by_python([test]))

    def test_refused(self):
        for text in REFUSED:
            with self.subTest(text=text):
                self.assertRaises(ValueError, doctest.DocTestParser().get_examples, text)
                self.assertIsNotNone(self.one(text))

    def test_modules(self):
        for suffix in "py", "ncr":
            path = self.write("module_%s.%s" % (suffix, suffix),
                              MODULE % {"stem": "module_" + suffix})
            spec = importlib.util.spec_from_loader(
                "module_" + suffix,
                importlib.machinery.SourceFileLoader("module_" + suffix, path))
            module = importlib.util.module_from_spec(spec)
            with contextlib.redirect_stdout(io.StringIO()):
                spec.loader.exec_module(module)
            sys.modules[module.__name__] = module  # inspect looks for the source there
            expect = by_python(doctest.DocTestFinder().find(module))
            self.assertGreater(len(expect[0]), 4)
            self.assertEqual(self.check(path, out="loaded\n")[:2], expect)


class Rules(DoctestTest):
    """What goes beyond Python, or is told."""

    def test_floats(self):
        for shown, expected, same in (
            ("1 / 3", "0.3333333", True), ("1 / 3", "0.33333", False), ("1 / 3", "0.3333334", True),
            ("1e10 / 3", "3333333333.3", True), ("1e-20", "1.0000001e-20", True), ("1e-20", "0.0", False),
            ("1e5", "1e5", True), ("1.0", "1.", True), ("1.0", "1", False), ("-2 / 3", "-0.66666667", True),
            ("-2 / 3", "0.66666667", False), ("(0.5, 1 / 3)", "(0.5, 0.33333333)", True),
            ("(0.5, 1 / 3)", "(0.50001, 0.33333333)", False), ("2 / 3j", "-0.66666667j", True),
            ("[1 / 3, 2 / 3, 5]", "[0.33333333, ..., 5]", True), ("[1 / 3, 2 / 3]", "[..., 0.66666667]", True),
            ("[1 / 3, 2 / 3]", "[..., 0.66667]", False), ("1e300 * 1e10", "inf", True),
            ("float('nan')", "nan", True), ("100000001", "100000000", False), ("'1.5'", "'1.5000000001'", True),
        ):
            told = self.one(">>> %s\n%s\n" % (shown, expected))
            self.assertEqual(told is None, same, (shown, expected, told))

    def test_arrays(self):
        text = ">>> import numpy as np\n>>> np.arange(3) / 3\narray([0.       , 0.3333333, 0.6666667])\n"
        text += ">>> np.arange(3) / 3\narray([0.       , 0.3333333, 0.66667])\n>>> np.ones((2, 2))\n"
        text += "array([[1., 1.],\n    [1., 1.]])\n"
        self.assertEqual(self.check(self.write("a.txt", text))[:2], ([4], 4))

    def test_what_is_told(self):
        for text, told in (
            (">>> 1 + 1\n3\n", "1: 1 + 1: expected '3', got '2'"),
            ("\n  >>> for i in 5, 6:\n  ...     print(i)\n  5\n  7\n",
             r"2: for i in 5, 6:\n    print(i): expected '5\n7', got '5\n6'"),
            (">>> 1 / 0\n", "1: 1 / 0: expected '', got 'ZeroDivisionError: division by zero'"),
            (">>> print(2); 1 / 0\n2\n",
             r"1: print(2); 1 / 0: expected '2', got '2\nZeroDivisionError: division by zero'"),
            (">>> 1\nTraceback (most recent call last):\nKeyError: 2\n",
             "1: 1: expected 'KeyError: 2', got '1'"),
            (">>> print('a\\x00b\\x1b')\na\n", None),
            (">>>1\n", "1: no blank after the prompt"),
            (">>> 1 # doctest: +SKIPP\n", "1: 1 # doctest: +SKIPP: an option that is not known"),
        ):
            if told: self.assertEqual(self.one(text), told)
            else: self.assertIn("expected 'a', got 'a", self.one(text))

    def test_fences_in_markdown(self):
        text = "# Title\n\n```python\n>>> 1\n1\n```\n\n~~~\n>>> 2\n3\n~~~\n"
        self.assertEqual(self.check(self.write("a.md", text))[:2], ([9], 2))
        self.assertEqual(self.check(self.write("a.txt", text))[:2], ([4, 9], 2))

    def test_several_files(self):
        one = self.write("one.txt", ">>> x = 1\n>>> x\n1\n")
        two = self.write("two.txt", ">>> x\n1\n")
        done = self.nacre(one, two)
        self.assertEqual((done.stdout, done.stderr, done.returncode), (
            two + ":1: x: expected '1', got 'NameError: name 'x' is not defined'\n"
            "2 passed, 1 failed\n", "", 1))
        done = self.nacre(one, one)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("4 passed, 0 failed\n", "", 0))

    def test_files_that_cannot_be_used(self):
        missing = os.path.join(self.folder, "missing.txt")
        done = self.nacre(missing)
        self.assertEqual((done.stdout, done.returncode),
                         (missing + ": No such file or directory\n0 passed, 1 failed\n", 1))
        for text, error in ("'''\n>>> 1\n2\n'''\n1 / 0\n", "ZeroDivisionError: division by zero\n"), \
                ("x = = 1\n", "SyntaxError: invalid syntax\n"):
            path = self.write("bad.py", text)
            done = self.nacre(path)
            self.assertEqual((done.stdout, done.returncode),
                             (path + ": it cannot be loaded\n0 passed, 1 failed\n", 1))
            self.assertIn("\n" + error, done.stderr)
        done = subprocess.run([NACRE, "doctest"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        self.assertTrue(done.stderr.startswith("nacre: doctest needs a file\n"))

    def test_modules_beside(self):
        self.write("helper.py", "value = 7\n")
        path = self.write("user.py", "'''\n>>> helper.value\n7\n>>> import helper as h; h.value\n7\n'''\nimport helper\n")
        self.assertEqual(self.check(path)[:2], ([], 2))

    def test_standard_error_is_not_compared(self):
        path = self.write("a.txt", ">>> import sys\n>>> print('x', file=sys.stderr)\n>>> 1\n1\n")
        self.assertEqual(self.check(path, err="x\n")[:2], ([], 3))

    def test_interrupt(self):
        path = self.write("a.txt", ">>> 1\n2\n>>> import sys; print('on', file=sys.stderr)\n"
                          ">>> while True: pass\n>>> 1\n2\n")
        started = subprocess.Popen([NACRE, "doctest", path], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.assertEqual(started.stderr.readline(), "on\n")
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=120)
        self.assertEqual(err, "KeyboardInterrupt\n")
        self.assertRegex(out, r"\n[01] passed, 1 failed\n\Z")
        self.assertEqual(started.returncode, 130)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
