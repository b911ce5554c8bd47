#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The command `nacre` from outside: its options, where code comes from, exit status, what goes to
which stream, the prompt, Ctrl-C.

usage: cli_test.py NACRE
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command_case import CommandCase
from terminal import Terminal, environment

NACRE = os.path.abspath(sys.argv[1])
ENDLESS = "print('on', flush=True)\nwhile True: pass\n"
SMALL = "x = 'a' * 3000000\n"


def nacre(*arguments, text="", env=None, folder=None):
    return subprocess.run(
        (NACRE,) + arguments, input=text, capture_output=True, text=True, timeout=120, cwd=folder,
        env=environment(env or {}))


class Sources(CommandCase):
    show_arguments = "import sys\nprint(sys.argv, __name__)\n"

    def test_file(self):
        path = self.script(self.show_arguments)
        for command in (path,), ("run", path), ("--threads", "1", path):
            self.check(nacre(*command, "a", "-b"), "['%s', 'a', '-b'] __main__\n" % path)

    def test_code(self):
        self.check(nacre("-c", self.show_arguments, "a", "--b"), "['-c', 'a', '--b'] __main__\n")

    def test_standard_input(self):
        for command in (), ("-",):
            self.check(nacre(*command, text=self.show_arguments), "[''] __main__\n")
        self.check(nacre(), "")

    def test_input_reads_after_the_script(self):
        text = "print(input('who? '))\nprint(input())\ntry:\n    input()\n"
        text += "except EOFError as e:\n    print(repr(e))\n"
        done = nacre(self.script(text), text="one\ntwo")
        self.check(done, "who? one\ntwo\nEOFError('EOF when reading a line')\n")

    def test_end_of_standard_input(self):
        self.check(nacre(text="print(1)\nprint(2)"), "1\n2\n")
        self.check(nacre(text="try:\n    input()\nexcept EOFError:\n    print('end')"), "end\n")
        many = "".join("print(%d)\n" % i for i in range(5000))  # more than is read at a time
        self.check(nacre(text=many), "".join("%d\n" % i for i in range(5000)))
        done = subprocess.run([NACRE], input=b"print(1)\nx = '\xff'\nprint(2)\n",
                              capture_output=True, timeout=120)
        self.assertEqual((done.stdout, done.returncode), (b"", 1))
        self.assertIn(b"decode byte 0xff in position 14", done.stderr)

    def test_lines_of_any_length(self):
        code = "import sys\nfor line in sys.stdin: print(len(line))\n"
        lengths = [1, 2, 16383, 16384, 16385, 100000, 3]
        text = "".join("x" * (n - 1) + "\n" for n in lengths)
        for end, last in ("", ""), ("last", "4\n"):
            self.check(nacre("-c", code, text=text + end),
                       "".join("%d\n" % n for n in lengths) + last)

    def test_missing_file(self):
        done = nacre("missing.ncr", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing.ncr", done.stderr)


class Options(CommandCase):
    def test_version_and_help(self):
        done = nacre("--version")
        self.assertRegex(done.stdout, r"\Anacre \d+\.\d+\.\d+\n\Z")
        self.assertEqual(done.returncode, 0)
        done = nacre("--help")
        self.assertRegex(done.stdout, r"\Ausage: nacre ")
        self.assertEqual((done.stderr, done.returncode), ("", 0))

    def test_info(self):
        done = nacre("info")
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertIn("nacre", done.stdout)

    def refused(self, *arguments, env=None):
        done = nacre(*arguments, env=env)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        first, second = done.stderr.split("\n")[:2]
        self.assertRegex(second, r"\Ausage: nacre ")
        return first

    def test_wrong_use(self):
        self.assertEqual(self.refused("--nonsense"), "nacre: bad option --nonsense")
        self.assertEqual(self.refused("--" + 100 * "n"), "nacre: bad option --" + 100 * "n")
        self.assertEqual(self.refused("-x"), "nacre: unknown option -x")
        self.assertEqual(self.refused("-c"), "nacre: -c needs code")
        self.assertEqual(self.refused("run"), "nacre: run needs a file")
        self.assertEqual(self.refused("--threads"), "nacre: bad option --threads")

    def test_threads_of_openmp(self):
        def threads(*arguments, **env):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "stats.json")
                nacre("--stats", path, *arguments, "-c", "1", env=env)
                with open(path, encoding="utf-8") as file:
                    return json.load(file)["threads"]
        self.assertEqual(threads(OMP_NUM_THREADS="3"), 3)
        self.assertEqual(threads(OMP_NUM_THREADS="5,2"), 5)
        self.assertEqual(threads(OMP_NUM_THREADS="3", NACRE_THREADS="4"), 4)
        self.assertEqual(threads("--threads", "2", OMP_NUM_THREADS="3"), 2)
        self.assertEqual(threads(OMP_NUM_THREADS="x"), threads())

    def test_numbers_of_threads(self):
        for value in "x", "-1", "2x", "":
            self.assertEqual(
                self.refused("--threads=" + value), "nacre: bad option --threads=" + value)
        for command in ("--threads", "0"), ("--threads=3",):
            self.check(nacre(*command, "-c", "print(1)"), "1\n")

    def test_sizes(self):
        for value in "x", "-1", "1T", "1kb", "", "K", "99999999999999999999G", "20000000000G":
            self.assertEqual(
                self.refused("--memory-limit=" + value), "nacre: bad option --memory-limit=" + value)

    def test_memory_limit(self):
        for value in "2M", "2m", "2048K", "2048k", "2097152":
            done = nacre("--memory-limit", value, "-c", SMALL)
            self.assertEqual((done.stderr.split("\n")[-2], done.returncode), ("MemoryError", 1))
        for value in "12M", "12288k", "12582912", "1G", "1g", "0":
            self.check(nacre("--memory-limit=" + value, "-c", SMALL), "")

    def test_backend(self):
        self.check(nacre("--backend", "cpu", "-c", "print(1)"), "1\n")
        message = "nacre: unknown backend 'none'\n"
        for command in ("-c", "1"), (self.script("1"),), ():
            self.check(nacre("--backend=none", *command), "", message, 2)
        done = nacre("--memory-limit=1K", "-c", "1")
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertEqual(done.stderr, "nacre: cannot start: out of memory\n")

    def test_environment(self):
        done = nacre("-c", SMALL, env={"NACRE_MEMORY_LIMIT": "2M"})
        self.assertEqual(done.stderr.split("\n")[-2], "MemoryError")
        done = nacre("-c", "1", env={"NACRE_BACKEND": "none"})
        self.assertIn("unknown backend 'none'", done.stderr)
        for name in "threads", "memory-limit":
            variable = "NACRE_" + name.upper().replace("-", "_")
            self.assertEqual(
                self.refused("-c", "1", env={variable: "x"}),
                "nacre: bad value in the environment for option " + name)
            self.check(nacre("-c", "print(1)", env={variable: ""}), "1\n")
        done = nacre("--memory-limit=1G", "-c", SMALL, env={"NACRE_MEMORY_LIMIT": "2M"})
        self.check(done, "")  # the command line counts

    def test_stats(self):
        path = os.path.join(self.folder, "stats.json")
        code = "import numpy as np\nx = np.ones(2000) + 1\nprint(x.sum() / 20)\n"
        for how in ({"env": {"NACRE_STATS": path}}, {}):
            command = ("-c", code) if how else ("--stats", path, "-c", code)
            self.check(nacre(*command, **how), "200.0\n")
            with open(path, encoding="utf-8") as file:
                stats = json.load(file)
            os.unlink(path)
            self.assertGreaterEqual(stats["memory_peak"], stats["memory_in_use"])
            self.assertGreater(stats["memory_in_use"], 800)
            self.assertGreater(stats["allocations"], 100)
            self.assertGreater(stats["system_allocations"], 10)
            self.assertIn(stats["threads_used"], range(1, stats["threads"] + 1))
            self.assertGreater(stats["objects"], 100)
            self.assertGreaterEqual(stats["nodes_recorded"], 2)
            self.assertEqual(stats["nodes_executed"], stats["nodes_recorded"])
            self.assertEqual((stats["nodes_pending"], stats["nodes_eliminated"]), (0, 0))
            self.assertIn(stats["kernels"] + stats["library_calls"],
                          range(1, stats["nodes_executed"] + 1))

    def test_stats_of_a_device(self):
        path = os.path.join(self.folder, "stats.json")
        code = "import numpy as np; a = np.array([1, 2, 3]); b = a * 2; c = b + 1; print(c[1], c)"
        nacre("--backend", "mirror", "--stats", path, "-c", code)
        with open(path, encoding="utf-8") as file:
            stats = json.load(file)
        self.assertEqual(stats["fallbacks"], 0)
        self.assertEqual([stats["operations"][name] for name in ("add", "multiply", "sin")], [1, 1, 0])
        self.assertEqual((stats["copies_host_to_device"], stats["bytes_host_to_device"]), (1, 24))
        self.assertEqual((stats["copies_device_to_host"], stats["bytes_device_to_host"]), (1, 24))

    def test_stats_that_cannot_be_written(self):
        path = os.path.join(self.folder, "no", "stats.json")
        self.check(nacre("--stats", path, "-c", ""), "", "nacre: cannot write %s\n" % path)

    def test_stats_that_would_overwrite_a_program(self):
        path = self.script("print(1)")
        self.assertTrue(path.endswith(".ncr"))
        for how in ("--stats", path), ("--stats=" + path,):
            done = nacre(*how)
            self.assertEqual((done.stdout, done.returncode), ("", 2))
            self.assertTrue(done.stderr.startswith("nacre: a file for figures is wanted by --stats"), done.stderr)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "print(1)")

    def test_opcode_counts(self):
        path = os.path.join(self.folder, "counts")
        self.check(nacre("-c", "for i in range(1000): -i", env={"NACRE_OPCODE_COUNTS": path}), "")
        with open(path, encoding="utf-8") as file:
            counts = dict(line.split() for line in file)
        self.assertIn("1000", counts.values())
        self.check(nacre("-c", "1", env={"NACRE_OPCODE_COUNTS": self.folder}), "")


class Endings(CommandCase):
    def test_flush(self):
        by_method = "import sys\nsys.stdout.write('on\\n')\nsys.stdout.flush()"
        for code in "print('on', flush=True)", by_method:
            started = subprocess.Popen(
                [NACRE, "-c", code + "\nimport time\ntime.sleep(20)"], stdout=subprocess.PIPE,
                text=True, env=environment({}))
            self.assertEqual(started.stdout.readline(), "on\n")
            self.assertIsNone(started.poll())
            started.kill()
            started.communicate()

    def test_exit(self):
        for code, status, err in (
            ("0", 0, ""), ("3", 3, ""), ("", 0, ""), ("None", 0, ""), ("'why'", 1, "why\n"),
        ):
            done = nacre("-c", "import sys\nprint('out')\nsys.exit(%s)" % code)
            self.check(done, "out\n", err, status)
        self.check(nacre(text="raise SystemExit(4)"), "", "", 4)

    def test_errors(self):
        for run, name in (
            (lambda text: nacre("-c", text), "<string>"),
            (lambda text: nacre(text=text), "<stdin>"),
        ):
            done = run("print('out')\nx = {}['key']\n")
            self.assertEqual((done.stdout, done.returncode), ("out\n", 1))
            self.assertIn('File "%s", line 2, in <module>' % name, done.stderr)
            self.assertTrue(done.stderr.endswith("\nKeyError: 'key'\n"))
            done = run("x = = 1\n")
            self.assertEqual((done.stdout, done.returncode), ("", 1))
            self.assertIn("\nSyntaxError: invalid syntax\n", done.stderr)

    def test_exceptions_in_dropped_generators(self):
        path = self.script("def fails():\n    try:\n        yield 1\n    finally:\n        1 / 0\n"
                           "def stays():\n    try:\n        yield 1\n    except GeneratorExit:\n"
                           "        yield 2\n"
                           "for x in fails(): break\nprint('on')\nnext(stays())\nnext(fails())\n")
        done = nacre(path)
        told = re.sub(" at 0x[0-9a-f]+>", " at 0x0>", done.stderr)
        ignored = ("Exception ignored in: <generator object fails at 0x0>\n"
                   "Traceback (most recent call last):\n  File \"%s\", line 5, in fails\n"
                   "    1 / 0\nZeroDivisionError: division by zero\n" % path)
        self.assertEqual(told, ignored + "Exception ignored in: <generator object stays at 0x0>\n"
                         "RuntimeError: generator ignored GeneratorExit\n" + ignored)
        self.assertEqual((done.stdout, done.returncode), ("on\n", 0))

    def test_order_of_the_streams(self):
        code = "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\n1 / 0\n"
        done = subprocess.run(
            [NACRE, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=120, env=environment({}))
        self.assertEqual(done.stdout.split("\n")[:3], ["a", "b", "c"])
        self.assertTrue(done.stdout.split("\n")[3].startswith("Traceback "))

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(
                [NACRE, "-c", "print(1)"], stdout=full, stderr=subprocess.DEVNULL, timeout=120)
        self.assertEqual(done.returncode, 1)

    def test_closed_pipe(self):
        code = "for i in range(100000): print(i)"
        done = subprocess.run(
            "'%s' -c '%s' | head -n 2" % (NACRE, code), shell=True, capture_output=True, text=True,
            timeout=120)
        self.assertEqual(done.stdout, "0\n1\n")

    def test_interrupt(self):
        started = subprocess.Popen(
            [NACRE, self.script(ENDLESS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment({}))
        self.assertEqual(started.stdout.readline(), "on\n")
        started.send_signal(signal.SIGINT)
        err = started.communicate(timeout=120)[1]
        self.assertEqual(started.returncode, 130)
        self.assertTrue(err.endswith("\nKeyboardInterrupt\n"), err)

    def test_interrupt_that_is_caught(self):
        text = "try:\n    print('on', flush=True)\n    while True: pass\n"
        text += "except KeyboardInterrupt:\n    print('caught')\n"
        started = subprocess.Popen(
            [NACRE, self.script(text)], stdout=subprocess.PIPE, text=True, env=environment({}))
        self.assertEqual(started.stdout.readline(), "on\n")
        started.send_signal(signal.SIGINT)
        self.assertEqual(started.communicate(timeout=120)[0], "caught\n")
        self.assertEqual(started.returncode, 0)


    def test_interrupt_of_input(self):
        text = "while True:\n    try:\n        print('on', flush=True)\n        print(input())\n"
        text += "    except KeyboardInterrupt:\n        print('caught', flush=True)\n"
        text += "    except EOFError:\n        break\n"
        started = subprocess.Popen(
            [NACRE, self.script(text)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment({}))
        for i in range(20):
            self.assertEqual(started.stdout.readline(), "on\n")
            started.send_signal(signal.SIGINT)
            self.assertEqual(started.stdout.readline(), "caught\n")
        started.stdin.write("half")  # of a line: it stays there
        started.stdin.flush()
        self.assertEqual(started.stdout.readline(), "on\n")
        time.sleep(0.1)
        started.send_signal(signal.SIGINT)
        self.assertEqual(started.communicate(" a line\n", timeout=120)[0],
                         "caught\non\nhalf a line\non\n")
        self.assertEqual(started.returncode, 0)

    def test_interrupt_of_a_script_from_a_pipe(self):
        started = subprocess.Popen(
            [NACRE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment({}))
        started.stdin.write("print('on')\n")
        started.stdin.flush()
        while not handles_interrupts(started.pid):
            time.sleep(0.01)
        started.send_signal(signal.SIGINT)
        self.assertEqual(started.communicate(timeout=120), ("", "KeyboardInterrupt\n"))
        self.assertEqual(started.returncode, 130)


def handles_interrupts(pid):
    with open("/proc/%d/status" % pid, encoding="utf-8") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1


class Prompt(unittest.TestCase):
    def setUp(self):
        self.terminal = Terminal([NACRE], {"TERM": "dumb"})
        self.assertRegex(self.terminal.wait_for(">>> "), r"\Anacre \d+\.\d+\.\d+\n\Z")

    def enter(self, *lines):
        """Types a statement; gives what it shows until the next prompt."""
        for i, line in enumerate(lines):
            self.terminal.type(line + "\n")
            self.terminal.wait_for(line + "\n")
            if i + 1 < len(lines):
                self.assertEqual(self.terminal.wait_for("... "), "")
        return self.terminal.wait_for(">>> ")

    def leave(self, text, shown, status):
        self.terminal.type(text)
        self.assertEqual(self.terminal.end(), (shown, status))

    def test_statements(self):
        self.assertEqual(self.enter("x = 20"), "")
        self.assertEqual(self.enter("x + 1"), "21\n")
        self.assertEqual(self.enter("'text'"), "'text'\n")
        self.assertEqual(self.enter("None"), "")
        self.assertEqual(self.enter(""), "")
        self.assertEqual(self.enter("def f(a):", "    return a * x", ""), "")
        self.assertEqual(self.enter("f(", "3)"), "60\n")
        self.assertEqual(self.enter("for i in range(2):", "    i", ""), "0\n1\n")
        self.assertEqual(self.enter("'''a", "b'''"), "'a\\nb'\n")
        self.assertEqual(self.enter("class C:", "    def __repr__(self): return 'x\\udcff'", ""), "")
        self.assertEqual(self.enter("C()"), "x\\udcff\n")
        self.leave("\x04", "\n", 0)

    def test_errors_do_not_end_it(self):
        shown = self.enter("1 / 0")
        self.assertTrue(shown.startswith("Traceback (most recent call last):\n"), shown)
        self.assertTrue(shown.endswith("\nZeroDivisionError: division by zero\n"), shown)
        self.assertIn("\nSyntaxError: invalid syntax\n", self.enter("x = = 1"))
        self.assertEqual(self.enter("1"), "1\n")
        self.leave("import sys; sys.exit(7)\n", "import sys; sys.exit(7)\n", 7)

    def test_end_of_input_in_a_statement(self):
        self.terminal.type("def f():\n")
        self.terminal.wait_for("... ")
        self.terminal.type("\x04")
        shown = self.terminal.wait_for(">>> ")
        self.assertTrue(shown.startswith("\n  File \"<stdin>\", line 1\n    def f():\n"), shown)
        self.assertIn("\nIndentationError: expected an indented block", shown)
        self.leave("\x04", "\n", 0)

    def test_end_of_input_in_a_line(self):
        self.terminal.type("20 + 1\x04\x04")
        self.assertEqual(self.terminal.wait_for(">>> "), "20 + 121\n")
        self.terminal.type("for i in range(2):\x04\x04")
        self.terminal.wait_for("... ")
        self.assertEqual(self.enter("    i", ""), "0\n1\n")
        self.leave("\x04", "\n", 0)

    def test_typed_ahead(self):
        self.terminal.type("import time; time.sleep(0.3)\nx = 20\nx + 1\ninput('? ')\nabc\nx\n")
        self.assertTrue(self.terminal.wait_for("21\n").endswith(">>> >>> "))
        self.assertEqual(self.terminal.wait_for("20\n"), ">>> ? 'abc'\n>>> ")
        self.terminal.wait_for(">>> ")
        self.leave("\x04", "\n", 0)

    def test_interrupts(self):
        for i in range(3):
            self.terminal.type("while True: pass\n\n")
            self.terminal.wait_for("... ")
            time.sleep(0.2)
            self.terminal.type("\x03")
            self.assertIn("KeyboardInterrupt\n", self.terminal.wait_for(">>> "))
            self.assertEqual(self.enter("1"), "1\n")

    def interrupt(self, typed):
        self.terminal.type(typed + "\x03")
        # The terminal may have dropped what was typed, and it sends the signal before it shows ^C,
        # which can therefore stand after what the signal made us write.
        shown = self.terminal.wait_for("\nKeyboardInterrupt\n>>> ")
        self.assertNotIn("KeyboardInterrupt", shown)

    def test_interrupt_while_typing(self):
        """At once after the prompt, with a line begun, and with one that is just being read."""
        for i in range(40):
            for typed in "", "def f(:", "def f():\n", "def f():\n    x = 1\n    y":
                self.interrupt(typed)
            if i % 10 == 0:
                self.assertEqual(self.enter("2 + %d" % i), "%d\n" % (2 + i))
        self.enter_half("def f():", "    return 1")
        self.interrupt("")
        self.assertIn("\nNameError: name 'f' is not defined\n", self.enter("f"))
        self.leave("\x04", "\n", 0)

    def enter_half(self, *lines):
        for line in lines:
            self.terminal.type(line + "\n")
            self.terminal.wait_for("... ")

    def test_interrupt_of_input(self):
        for i in range(20):
            self.terminal.type("input('? ')\n")
            self.terminal.wait_for("\n? ")
            self.terminal.type("abc\x03")
            shown = self.terminal.wait_for("\nKeyboardInterrupt\n>>> ")
            self.assertIn("Traceback ", shown)
        self.assertEqual(self.enter("1"), "1\n")
        self.leave("\x04", "\n", 0)

    def test_interrupt_after_arrays(self):
        """Threads that wait for array work get the signal too."""
        self.enter("import numpy as np")
        self.enter("a = np.ones(10 ** 6); b = int((a + a).sum())")
        for i in range(20):
            self.interrupt("b +")
        self.assertEqual(self.enter("b"), "2000000\n")
        self.leave("\x04", "\n", 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
