#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The prompt of `nacre` where lines are edited: keys, history, completion, blocks, Ctrl-C, Ctrl-D.

What libedit draws is not looked at but where it has to be: what the lines say when they are
entered tells how they were edited.

usage: edit_test.py NACRE
"""

import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from terminal import Terminal, environment

NACRE = os.path.abspath(sys.argv[1])
UP, DOWN, LEFT, RIGHT, HOME, DELETE = ("\x1b[" + key for key in ("A", "B", "D", "C", "H", "3~"))
END_OF_LINE, BACKSPACE = "\x05", "\x7f"


def has_libedit():
    done = subprocess.run([NACRE, "info"], capture_output=True, text=True, timeout=120)
    return "line editing: libedit" in done.stdout


class EditTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-edit-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.history = os.path.join(self.folder, ".local", "state", "nacre", "history")

    def start(self, **env):
        variables = {"TERM": "xterm", "HOME": self.folder, "XDG_STATE_HOME": ""}
        self.terminal = Terminal([NACRE], dict(variables, **env))
        self.assertRegex(self.terminal.wait_for(">>> "), r"\Anacre \d+\.\d+\.\d+\n\Z")

    def entered(self, prompt):
        """What is shown from the end of the line to the next prompt. Where libedit draws a line
        again, its prompt does not stand behind a line's end."""
        self.terminal.wait_for("\n")
        self.terminal.shown = "\n" + self.terminal.shown
        shown = self.terminal.wait_for("\n" + prompt)
        return shown[1:] + "\n" if shown else ""

    def enter(self, *lines):
        """Types a statement; gives what it shows until the next prompt."""
        for line in lines[:-1]:
            self.terminal.type(line + "\r")
            self.assertEqual(self.entered("... "), "")
        self.terminal.type(lines[-1] + "\r")
        return self.entered(">>> ")

    def leave(self, status=0):
        self.terminal.type("\x04")
        self.assertEqual(self.terminal.end()[1], status)

    def lines(self):
        with open(self.history, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().split("\n")[:-1]


@unittest.skipUnless(has_libedit(), "built without libedit")
class Editing(EditTest):
    def test_keys(self):
        self.start()
        self.assertEqual(self.enter("1+1"), "2\n")
        for typed, expect in (
            ("12" + LEFT + "3", 132), ("12" + LEFT + LEFT + RIGHT + "3", 132),
            ("12" + HOME + "3", 312), ("12\x01" + "3" + END_OF_LINE + "4", 3124),
            ("123" + BACKSPACE, 12), ("123" + HOME + DELETE, 23), ("123\x02\x02\x0b4", 14),
            ("99\x155", 5), ("1 + 2 + 99\x17" + "3", 6), ("40\x01\x04", 0),
        ):
            self.assertEqual(self.enter(typed), "%d\n" % expect, repr(typed))
        self.leave()

    def test_letters_beyond_ascii(self):
        self.start()
        self.assertEqual(self.enter("'a\u20ac\U0001f600'" + LEFT + LEFT + "\xe4"),
                         "'a\u20ac\xe4\U0001f600'\n")
        self.assertEqual(self.enter("len('\xe4\xdf\u20ac" + BACKSPACE + "')"), "2\n")
        self.assertIn("can't decode byte 0xff", self.enter("'\udcff'"))
        self.assertIn("can't decode byte 0xe2", self.enter("'\udce2'" + BACKSPACE + "x'"))
        self.leave()
        self.assertEqual(self.lines()[0], "'a\u20ac\xe4\U0001f600'")

    def test_expressions(self):
        self.start()
        for typed, expect in (
            ("20 + 1", "21\n"), ("_ * 2", "42\n"), ("None", ""), ("_", "42\n"), ("'a'", "'a'\n"),
            ("_ + 'b'", "'ab'\n"), ("", ""), ("# nothing", ""), ("_ = 5", ""), ("7", "7\n"),
            ("_", "5\n"), ("del _", ""), ("_", "5\n"),
        ):
            self.assertEqual(self.enter(typed), expect, typed)
        self.leave()

    def test_blocks(self):
        self.start()
        self.assertEqual(self.enter("def f(x):", "\tif x:", "\t\treturn 2 * x", "\treturn 'no'", ""),
                         "")
        self.assertEqual(self.enter("f(4), f(0)"), "(8, 'no')\n")
        self.assertEqual(self.enter("for i in range(2):", "    i", ""), "0\n1\n")
        self.assertEqual(self.enter("[1,", "2]"), "[1, 2]\n")
        self.leave()

    def test_errors(self):
        self.start()
        shown = self.enter("for i in 2, 0:", "    print(1 // i)", "")
        self.assertRegex(shown, r"\A0\nTraceback \(most recent call last\):\n"
                                r'  File "<stdin>", line 2, in <module>\n(?s:.*)'
                                r"\nZeroDivisionError: ")
        self.assertIn("\nSyntaxError: invalid syntax\n", self.enter("x = = 1"))
        self.assertEqual(self.enter("i"), "0\n")
        self.terminal.type("import sys; sys.exit(7)\r")
        self.assertEqual(self.terminal.end()[1], 7)

    def test_input(self):
        self.start()
        self.terminal.type("input('? ')\r")
        self.terminal.wait_for("\n? ")
        self.assertEqual(self.terminal.shown, "")
        self.terminal.type("abc\n")
        self.assertEqual(self.terminal.wait_for(">>> "), "abc\n'abc'\n")
        self.leave()

    def test_typed_ahead(self):
        self.start()
        self.terminal.type("import time; time.sleep(0.3)\rx = 20\rx + 1\rinput('? ')\rabc\rx\r")
        self.terminal.wait_for("\n21\n")
        self.terminal.wait_for("? 'abc'\n")
        self.terminal.wait_for("\n20\n>>> ")
        self.leave()

    def test_user_settings(self):
        with open(os.path.join(self.folder, ".editrc"), "w", encoding="utf-8") as file:
            file.write("nacre:bind '^T' ed-move-to-beg\nother:bind '^T' ed-ignore\n")
        self.start()
        self.assertEqual(self.enter("23\x141"), "123\n")
        self.leave()


@unittest.skipUnless(has_libedit(), "built without libedit")
class History(EditTest):
    def test_in_a_session(self):
        self.start()
        self.enter("x = 1")
        self.enter("x + 1")
        self.assertEqual(self.enter(UP), "2\n")
        self.assertEqual(self.enter(UP + UP + BACKSPACE + "5"), "")
        self.assertEqual(self.enter(UP + UP), "6\n")
        self.assertEqual(self.enter("17" + UP + DOWN), "17\n")
        self.terminal.type("\x12x +" + END_OF_LINE + " * 2\r")
        self.terminal.wait_for("\n7\n>>> ")
        self.leave()

    def test_from_session_to_session(self):
        self.start()
        for line in "1 + 1", "   ", "", "2 + 2", "2 + 2":
            self.enter(line)
        self.enter("if 1:", "    3 + 3", "")
        self.leave()
        self.assertEqual(self.lines(), ["1 + 1", "2 + 2", "if 1:", "    3 + 3"])
        self.assertEqual(stat.S_IMODE(os.stat(self.history).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(self.history)).st_mode), 0o700)
        self.start()
        self.assertEqual(self.enter(3 * UP), "4\n")
        self.leave()

    def test_sessions_side_by_side(self):
        self.start()
        first = self.terminal
        self.start()
        self.enter("1")
        self.terminal, second = first, self.terminal
        self.enter("2")
        self.leave()
        self.terminal = second
        self.enter("3")
        self.leave()
        self.assertEqual(self.lines(), ["1", "2", "3"])

    def test_its_length(self):
        os.makedirs(os.path.dirname(self.history))
        with open(self.history, "w", encoding="utf-8") as file:
            file.write("".join("%d + 0\n" % i for i in range(2500)))
        self.start()
        self.assertEqual(self.lines(), ["%d + 0" % i for i in range(1500, 2500)])
        self.assertEqual(stat.S_IMODE(os.stat(self.history).st_mode), 0o600)
        self.assertEqual(self.enter(UP), "2499\n")
        self.assertEqual(self.enter(1100 * UP), "1500\n")
        self.leave()

    def test_its_place(self):
        state = os.path.join(self.folder, "state")
        self.start(XDG_STATE_HOME=state)
        self.enter("1")
        self.leave()
        self.assertFalse(os.path.exists(self.history))
        self.history = os.path.join(state, "nacre", "history")
        self.assertEqual(self.lines(), ["1"])

    def test_failures_are_silent(self):
        blocked = os.path.join(self.folder, "file")
        with open(blocked, "w", encoding="utf-8"):
            pass
        for env in {"XDG_STATE_HOME": blocked}, {"HOME": blocked}, {"HOME": ""}:
            self.start(**env)
            self.assertEqual(self.enter("1"), "1\n")
            self.assertEqual(self.enter(UP), "1\n")
            self.leave()
        os.makedirs(self.history)  # a folder in its place
        self.start()
        self.assertEqual(self.enter("1"), "1\n")
        self.leave()


@unittest.skipUnless(has_libedit(), "built without libedit")
class Completion(EditTest):
    def setUp(self):
        super().setUp()
        self.start()

    def listed(self, typed):
        """What Tab lists after a text, which is then dropped."""
        self.terminal.type(typed + "\t")
        self.terminal.wait_for("\n")
        shown = self.terminal.wait_for(">>> ")
        self.terminal.type("\x15")
        return shown.replace("\r", "\n").replace("\x1b[K", "").split()

    def test_one(self):
        self.enter("import numpy as np; value_one = [3]; x = np.ones((2, 3))")
        for typed, expect in (
            ("val\t", "[3]"), ("value_one.ind\t(3)", "0"), ("x.sh\t", "(2, 3)"),
            ("np.aran\t(3)", "array([0, 1, 2])"), ("(1 if Tru\t els\t 2)", "1"),
            ("str(x.T.sh\t)[valu\t[0]]", "' '"), ("len(x.su\t(axis=0))", "3"),
        ):
            self.assertEqual(self.enter(typed), expect + "\n", typed)

    def test_within_a_line(self):
        self.assertEqual(self.enter("prin(6)" + 3 * LEFT + "\t"), "6\n")

    def test_several(self):
        self.enter("value_one = 1; value_two = 2")
        self.assertEqual(self.enter("val\to\t"), "1\n")
        self.assertEqual(self.listed("value_"), ["value_one", "value_two"])
        self.assertEqual(self.listed("'ab'; value_"), ["value_one", "value_two"])
        self.assertEqual(self.listed("str.isal"), ["isalnum", "isalpha"])
        self.assertIn("ZeroDivisionError", self.listed("x = "))

    def test_none(self):
        for typed in "no_such_name", "no_such_name.x", "'a'.up", "(1).re", "1.", "f().":
            self.terminal.type(typed + "\t")
            self.assertIn(typed, self.terminal.wait_for("\a"))
            self.terminal.type("\x15")
        self.assertEqual(self.enter("1"), "1\n")

    def test_modules(self):
        self.assertEqual(self.enter("import nump\t as np"), "")
        self.assertEqual(self.enter("from nump\t im\t aran\t"), "")
        self.assertEqual(self.enter("arange(2)"), "array([0, 1])\n")
        self.assertEqual(self.enter("import math, matplotlib.py\t"), "")
        self.assertEqual(self.enter("x = 1; from math import sq\t as ro\t"), "")
        self.assertEqual(self.listed("x = 1; import f"), ["fnmatch", "fractions", "functools"])
        self.assertEqual(self.listed("from math import cos, is"),
                         ["isclose", "isfinite", "isinf", "isnan", "isqrt"])

    def test_blanks_indent(self):
        self.assertEqual(self.enter("if 1:", "\t2", ""), "2\n")
        self.assertEqual(self.enter("if 1:", "  \tif 1:", "\t  \t3", ""), "3\n")


@unittest.skipUnless(has_libedit(), "built without libedit")
class Signals(EditTest):
    def setUp(self):
        super().setUp()
        self.start()

    def interrupt(self, typed):
        self.terminal.type(typed + "\x03")
        shown = self.terminal.wait_for("\nKeyboardInterrupt\n>>> ")
        self.assertNotIn("KeyboardInterrupt", shown)

    def test_interrupt_while_typing(self):
        for i in range(40):
            for typed in "", "def f(:", "def f():\r", "def f():\r    x = 1\r    y", "\x12x", "\x1b":
                self.interrupt(typed)
            if i % 10 == 0:
                self.assertEqual(self.enter("2 + %d" % i), "%d\n" % (2 + i))
        self.terminal.type("def f():\r")
        self.terminal.wait_for("... ")
        self.interrupt("    return 1")
        self.assertIn("\nNameError: name 'f' is not defined\n", self.enter("f"))
        self.leave()

    def test_interrupt_while_running(self):
        for i in range(3):
            self.terminal.type("while True: pass\r")
            self.terminal.wait_for("... ")
            self.terminal.type("\r")
            self.terminal.wait_for("\n")
            time.sleep(0.1)
            self.terminal.type("\x03")
            self.assertIn("\nKeyboardInterrupt\n", self.terminal.wait_for(">>> "))
            self.assertEqual(self.enter("1"), "1\n")
        self.leave()

    def test_interrupt_of_input(self):
        for i in range(10):
            self.terminal.type("input('? ')\r")
            self.terminal.wait_for("\n? ")
            self.terminal.type("abc\x03")
            self.assertIn("Traceback ", self.terminal.wait_for("\nKeyboardInterrupt\n>>> "))
        self.assertEqual(self.enter("1"), "1\n")
        self.leave()

    def test_end_of_input(self):
        self.terminal.type("12\x04")
        self.terminal.wait_for("\a")  # not in a line
        self.assertEqual(self.enter("3"), "123\n")
        self.terminal.type("def f():\r")
        self.terminal.wait_for("... ")
        self.terminal.type("\x04")
        self.assertIn("\nIndentationError: expected an indented block", self.terminal.wait_for(">>> "))
        self.leave()

    def test_suspend(self):
        """Under a shell with jobs: the terminal is the shell's meanwhile, and ours again later."""
        self.leave()
        self.terminal = Terminal(["/bin/sh", "-i"], {"TERM": "xterm", "HOME": self.folder, "PS1": "$ "})
        self.terminal.wait_for("$ ")
        self.terminal.type(NACRE + "\n")
        self.terminal.wait_for(">>> ")
        self.terminal.type("123")
        self.terminal.wait_for("123")
        self.terminal.type("\x1a")
        self.terminal.wait_for("$ ")
        self.terminal.type("stty -a\n")
        self.assertRegex(self.terminal.wait_for("$ "), r" icanon (?s:.*) echo ")
        self.terminal.type("fg\n")
        self.terminal.wait_for(">>> ")
        self.terminal.type(LEFT + LEFT + BACKSPACE + "\r")
        self.terminal.wait_for("\n23\n>>> ")
        self.terminal.type("\x04")
        self.terminal.wait_for("$ ")
        self.terminal.type("exit\n")
        self.assertEqual(self.terminal.end()[1], 0)


class Plain(EditTest):
    """Where lines are not edited, keys are bytes like any other."""

    def test_terminals_that_cannot(self):
        for term in "dumb", "":
            self.start(TERM=term)
            self.terminal.type("'a'" + UP + "\n")
            shown = self.terminal.wait_for(">>> ")
            self.assertTrue(shown.startswith("'a'^[[A\n"), shown)
            self.assertIn("\nSyntaxError: ", shown)
            self.assertEqual(self.maps(), False)
            self.leave()
        self.assertFalse(os.path.exists(self.history))

    def maps(self):
        with open("/proc/%d/maps" % self.terminal.process, encoding="utf-8") as file:
            return "libedit" in file.read()

    def test_libedit_is_opened_at_a_prompt_only(self):
        code = "print('libedit' in open('/proc/self/maps').read())"
        done = subprocess.run([NACRE, "-c", code], capture_output=True, text=True, timeout=120,
                              env=environment({"TERM": "xterm"}))
        self.assertEqual((done.stdout, done.stderr), ("False\n", ""))
        self.start()
        self.assertEqual(self.maps(), has_libedit())
        self.leave()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
