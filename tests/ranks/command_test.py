#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The command with -n: what the user sees of a program that runs on several ranks is what one rank would show,
however it ends, and what rank 0 does not know of the others is told once.

usage: command_test.py NACRE
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from xml.etree import ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hosts"))
from command_case import CommandCase  # noqa: E402
from terminal import Terminal, environment  # noqa: E402

NACRE = os.path.abspath(sys.argv[1])
COMPLEX_FACTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "complex_factors.ncr")
# first: whether this is rank 0. Without nacre.comm, that is the one that has the standard input.
FIRST = """
try:
    from nacre import comm
    first = comm.rank == 0
except ImportError:
    try:
        first = bool(input())
    except EOFError:
        first = False
"""

# Elements of a distributed array one by one, again and again: the interpreter's first, then machine code's.
ELEMENTS = """import numpy as np
def total(a):
    s = 0.0
    for i in range(600):
        s += a[i] * 2
    return s
A = np.fromfunction(lambda i: i * 1.0, (600,))
for t in range(60):
    A = A * 0.5
    s = total(A)
print(s > 0)
"""


STENCIL = """import numpy as np
x = np.ones((30, 20)) + 1
for i in range(5):
    x = x * 0.5
    y = float((x[:-1] + x[1:]).sum())
print(x.sum())
z = x.tolist()
"""


def nacre(*arguments, text="", env=None):
    env = dict(env or {})
    if "-n" in arguments or arguments[0].startswith("--ranks") or "NACRE_RANKS" in env:
        env.setdefault("NACRE_TRANSPORT", "loopback")
    return subprocess.run((NACRE,) + arguments, input=text, capture_output=True, text=True, timeout=120,
                          env=environment(env))


class Ranks(CommandCase):
    def refused(self, *arguments, env=None):
        done = nacre(*arguments, env=env)
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        return done.stderr.split("\n")[0]


class Runs(Ranks):
    def test_once(self):
        text = "import sys\nimport numpy as np\nprint(sys.argv[1:], np.arange(100000.0).sum())\n"
        shown = "['a', '-n'] 4999950000.0\n"
        path = self.script(text)
        for command in ("-n", "3", path), ("--ranks=2", path), ("-n", "1", path), ("-n", "4", "run", path), \
                ("run", "-n", "2", path), ("-n", "3", "--transport", "loopback", "-c", text):
            self.check(nacre(*command, "a", "-n"), shown)
        for count in "1", "3":
            self.check(nacre(path, "a", "-n", env={"NACRE_RANKS": count}), shown)
        self.check(nacre("--check-ranks", "--split-least", "4K", "-n", "3", path, "a", "-n"), shown)
        env = {"NACRE_RANKS": "3", "NACRE_CHECK_RANKS": "1", "NACRE_SPLIT_LEAST": "1K", "NACRE_TRANSPORT": "loopback"}
        self.check(nacre(path, "a", "-n", env=env), shown)

    def test_element_loops_are_told(self):
        path = self.script(ELEMENTS)
        stats = os.path.join(self.folder, "stats.json")
        options = ("-n", "3", "--split-least", "1K", "--tier", "function")
        self.check(nacre(*options, "--stats", stats, path), "True\n")
        with open(stats, encoding="utf-8") as file:
            told = {(each["line"], each["kind"], each["text"]) for each in json.load(file)["detours"]}
        self.assertEqual(told, {
            (4, "gathered", "a loop in machine code is done whole on every rank: it works on single elements")})
        done = nacre(*options, "--strict", path)
        self.assertEqual(done.stderr.strip().split("\n")[-1],
                         "RuntimeError: --strict: line 4: a loop in machine code is done whole on every rank: it works "
                         "on single elements")

    def test_grids_that_are_left_are_told(self):
        path = self.script("import numpy as np\nimport nacre\nx = nacre.distribute(np.arange(24.0).reshape(4, 6), grid=(2, 2))\n"
                           "print(x.sum())\nprint(np.sort(x, axis=0)[0, 0])\n")
        options = ("-n", "4", "--transport", "loopback")
        self.check(nacre(*options, path), "276.0\n0.0\n")
        done = nacre(*options, "--strict", path)
        self.assertEqual((done.stdout, done.stderr.strip().split("\n")[-1]),
                         ("276.0\n", "RuntimeError: --strict: line 5: sort brings arrays on a grid of ranks into rows: it has no "
                          "rule for boxes"))

    def test_program_on_standard_input(self):
        self.check(nacre("-n", "3", text="print(1)\nprint(2)\n"), "1\n2\n")
        self.check(nacre("-n", "3", text=""), "")

    def test_standard_input(self):
        text = "try:\n    line = input('who? ')\nexcept EOFError:\n    line = ''\nprint(line)\n"
        self.check(nacre("-n", "3", "-c", text, text="me\n"), "who? me\n")

    def test_atexit(self):
        text = "import atexit\natexit.register(print, 'end')\nprint('begin')\n"
        self.check(nacre("-n", "3", "-c", text), "begin\nend\n")

    def test_bits_of_complex_factors(self):
        # Where BLIS has no kernel for complex products, as for these old processors, its threads could differ.
        old = {"BLIS_ARCH_TYPE": "5"}
        if nacre(COMPLEX_FACTORS, env=old).returncode:
            self.skipTest("this BLIS has no such kernels")
        done = nacre("-n", "3", "--transport", "loopback", "--check-ranks", COMPLEX_FACTORS, env=old)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_depth_of_calls(self):
        text = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(9000))\n"
        self.check(nacre("-n", "3", "--recursion-limit", "10000", "-c", text), "9000\n")
        done = nacre("-n", "2", "-c", text)
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertIn("RecursionError", done.stderr)
        self.assertNotIn("nacre: rank", done.stderr)

    def test_reports(self):
        path = self.script("import numpy as np\nprint((np.arange(1000.0) * 2).sum())\n")
        done = nacre("-n", "2", "--explain", path)
        self.assertEqual((done.stdout, done.returncode), ("999000.0\n", 0))
        self.assertIn("multiply", done.stderr)
        done = nacre("-n", "2", "profile", path)
        self.assertEqual((done.stdout, done.returncode), ("999000.0\n", 0))
        dot = os.path.join(self.folder, "plan.dot")
        self.check(nacre("-n", "2", "graph", path, "-o", dot), "999000.0\n")
        with open(dot, encoding="utf-8") as file:
            self.assertIn("multiply", file.read())

    def figures_of(self, text, ranks="3"):
        path = os.path.join(self.folder, "stats.json")
        done = nacre("-n", ranks, "--split-least", "1", "--stats", path, self.script(text))
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def test_figures_by_line(self):
        stats, halos = self.figures_of(STENCIL), 0
        for rank in stats["ranks"]:
            lines = {line["line"]: line for line in rank["lines"]}
            for name in "messages_sent", "messages_received", "message_bytes_sent", "message_bytes_received", "exchanges", \
                    "gathers", "broadcasts":
                self.assertEqual(sum(line[name] for line in rank["lines"]), rank[name], name)
            self.assertAlmostEqual(sum(line["seconds"] for line in rank["lines"]), rank["seconds_with_ranks"], delta=1e-5 * len(lines))
            self.assertEqual((lines[5]["exchanges"], lines[5]["array_exchanges"]), (5, 5))
            self.assertEqual((lines[7]["arrays_gathered"], lines[7]["array_bytes_gathered"]), (1, 30 * 20 * 8))
            halos += lines[5]["array_bytes_received"]
        # A row of 20 numbers of 8 bytes, in each of 5 rounds, where one rank's part ends and the next one's begins.
        self.assertEqual(halos, 5 * 2 * 20 * 8)

    def test_explain(self):
        done = nacre("-n", "3", "--split-least", "1", "--explain", self.script(STENCIL))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stderr.split("\n")

        def note(text):
            at = next(i for i, line in enumerate(lines) if text in line)
            return next(line for line in lines[at + 1:] if line.startswith("          · ranks: ")).strip()
        self.assertIn("cut along axis 0", note("x = x * 0.5"))
        self.assertIn("exchanges of missing parts (", note("y = float"))
        self.assertIn("combined of all parts", note("print(x.sum"))
        # 10 of 30 rows of 20 numbers are read, and 10 written.
        self.assertTrue(any(re.search(r" 3\.2 kB  multiply ", line) for line in lines), done.stderr)
        self.assertIn("1 array brought whole (4.8 kB): the program looks at its elements", note("z = x.tolist"))

    def test_profile(self):
        done = nacre("-n", "3", "--split-least", "1", "profile", self.script(STENCIL))
        self.assertRegex(done.stderr, r"\nrank 0 of 3: [\d.]+ .*\(\d+%\) in steps with the others")
        self.assertRegex(done.stderr, r"\nsteps with other ranks, of the run: rank 0: \d+%, rank 1: \d+%, rank 2: \d+%\n$")
        self.assertRegex(done.stderr, r"\n +5  +y = float.* \d+\.\d%\n")
        # What rank 0 does behind the program, when the others wait for it, is not the program's.
        shares = re.findall(r"rank \d: (\d+)%", done.stderr.strip().split("\n")[-1])
        self.assertLessEqual(max(int(share) for share in shares), 110, done.stderr)
        alone = nacre("profile", self.script(STENCIL))
        self.assertNotIn("rank", alone.stderr.replace("ranks", ""))

    def test_saved_plans(self):
        path, saved = self.script("import numpy as np\nx = np.arange(13) * 2\ny = x[np.arange(5)]\nprint(y)\n"), \
            os.path.join(self.folder, "plans.json")
        self.check(nacre("-n", "3", "--split-least", "1", "graph", "-o", saved, path), "[0 2 4 6 8]\n")
        done = nacre("run-graph", saved)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("int64 (5,)", done.stdout)

    def test_messages_of_a_dry_run(self):
        done = nacre("plan", "--ranks", "4", self.script("from nacre import comm\nimport numpy as np\nprint(comm.allreduce(np.ones(3)))\n"))
        self.assertRegex(done.stderr, "NotImplementedError: messages between two ranks: their contents are not known")

    def test_picture(self):
        picture = os.path.join(self.folder, "ranks.svg")
        for ranks in "2", "20":
            done = nacre("-n", ranks, "--split-least", "1", "graph", "--ranks", self.script(STENCIL), "-o", picture)
            self.assertEqual((done.stderr, done.returncode), ("", 0))
            root = ElementTree.parse(picture).getroot()
            titles = [re.match(r"rank (\d+) to rank (\d+): (\d+) bytes, (\d+) messages$", each.text).groups()
                      for each in root.iter("{http://www.w3.org/2000/svg}title")]
            self.assertEqual([(int(a), int(b)) for a, b, _, _ in titles],
                             [(a, b) for a in range(int(ranks)) for b in range(int(ranks))])
            self.assertTrue(all((int(size) > 0) == (a != b) for a, b, size, _ in titles))
            texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
            self.assertIn("y = float((x[:-1] + x[1:]).sum())", texts)
        self.check(nacre("graph", "--ranks", self.script("print(1)\n"), "-o", picture), "1\n",
                   "nacre graph: --ranks needs several: nacre -n N graph --ranks …\n", 2)
        self.check(nacre("-n", "2", "graph", "--ranks", "x.ncr", "-o", "x.dot"), "",
                   "nacre graph: with --ranks the file's name has to end with .svg: x.dot\n", 2)

    def test_program_of_its_own(self):
        program = os.path.join(self.folder, "program")
        self.check(nacre("build", "--exe", self.script("print('on', 7)\n"), "-o", program), "")
        done = subprocess.run([program], capture_output=True, text=True, timeout=120,
                              env=environment({"NACRE_RANKS": "3", "NACRE_TRANSPORT": "loopback"}))
        self.check(done, "on 7\n")

    def test_figures(self):
        path = os.path.join(self.folder, "stats.json")
        self.check(nacre("-n", "3", "--stats", path, "-c", "print(1)"), "1\n")
        with open(path, encoding="utf-8") as file:
            stats = json.load(file)
        self.assertEqual([each["rank"] for each in stats["ranks"]], [0, 1, 2])
        self.assertEqual(sum(each["messages_sent"] for each in stats["ranks"]),
                         sum(each["messages_received"] for each in stats["ranks"]))
        self.assertEqual(sum(each["message_bytes_sent"] for each in stats["ranks"]),
                         sum(each["message_bytes_received"] for each in stats["ranks"]))
        self.assertEqual(stats["threads"], max(1, os.sysconf("SC_NPROCESSORS_ONLN") // 3))
        self.assertEqual([sorted(to["to"] for to in each["sent"]) for each in stats["ranks"]], [[1, 2], [0, 2], [0, 1]])
        nacre("-n", "3", "--threads", "5", "--stats", path, "-c", "print(1)")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["threads"], 5)
        nacre("--stats", path, "-c", "print(1)")
        with open(path, encoding="utf-8") as file:
            self.assertEqual([each["rank"] for each in json.load(file)["ranks"]], [0])

    def test_backends(self):
        text = "import numpy as np\na = np.arange(1000.0)\na[1:] += a[:-1] * 2\nprint(a[-3:], a.sum())"
        for backends in "cpu", "mirror", "nonesuch,cpu":
            self.check(nacre("-n", "2", "--split-least", "1", "--backend", backends, "-c", text),
                       "[2989. 2992. 2995.] 1496502.0\n")
        self.assertEqual(self.refused("-n", "2", "--backend", "nonesuch", "-c", "print(3)"),
                         "nacre: unknown backend 'nonesuch'")


class Ends(Ranks):
    def test_error(self):
        text = "def f(): raise ValueError('no')\nf()\n"
        alone, done = nacre("-c", text), nacre("-n", "3", "-c", text)
        self.check(done, "", alone.stderr, 1)
        self.check(nacre("-n", "3", "-c", "x = (\n"), "", nacre("-c", "x = (\n").stderr, 1)
        missing = os.path.join(self.folder, "missing.ncr")
        self.check(nacre("-n", "3", missing), "", nacre(missing).stderr, 1)

    def test_exit_code(self):
        self.check(nacre("-n", "3", "-c", "import sys\nsys.exit(7)"), "", "", 7)
        self.check(nacre("-n", "3", "-c", "import sys\nsys.exit()"), "")
        alone = nacre("-c", "import sys\nsys.exit('so')")
        self.check(nacre("-n", "3", "-c", "import sys\nsys.exit('so')"), "", alone.stderr, alone.returncode)

    def test_errors_of_others(self):
        done = nacre("-n", "3", "-c", FIRST + "print('on')\nif not first: raise ValueError('other')\n", text="x\n")
        self.assertEqual((done.stdout, done.returncode), ("on\n", 1))
        self.assertEqual(done.stderr.count("ValueError: other"), 1)
        self.assertRegex(done.stderr, r"ValueError: other\nraised on rank [12]\n$")

    def test_exits_of_others(self):
        done = nacre("-n", "2", "-c", FIRST + "import sys\nsys.exit(0 if first else 3)\n", text="x\n")
        self.check(done, "", "nacre: rank 1 ended with exit status 3, unlike rank 0\n", 1)

    def test_others_go_on(self):
        began = time.monotonic()
        text = FIRST + "if first: raise ValueError('first')\nwhile True: pass\n"
        done = nacre("-n", "3", "-c", text, text="x\n")
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertEqual(done.stderr.count("Traceback"), 1)
        self.assertIn("ValueError: first", done.stderr)
        self.assertLess(time.monotonic() - began, 60)

    def test_interrupt(self):
        for text in "while True: pass", "import time\ntime.sleep(1000)":
            command = [NACRE, "-n", "3", "-c", "print('on', flush=True)\n" + text]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env=environment({"NACRE_TRANSPORT": "loopback"})) as process:
                self.assertEqual(process.stdout.readline(), "on\n")
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
            self.assertEqual((out, process.returncode), ("", 130))
            self.assertEqual(err.count("KeyboardInterrupt"), 1)

    def test_time_limit(self):
        done = nacre("-n", "3", "--time-limit", "0.3", "-c", "while True: pass")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("TimeoutError"), 1)


class Refused(Ranks):
    def test_numbers(self):
        for value in "0", "x", "-1", "2x", "", "1.5", "99999999999":
            self.assertEqual(self.refused("-n", value, "-c", "1"),
                             "nacre: a number of ranks, at least 1, is wanted by -n")
            self.assertEqual(self.refused("--ranks=" + value, "-c", "1"),
                             "nacre: a number of ranks, at least 1, is wanted by --ranks=" + value)
            if value:
                self.assertEqual(self.refused("-c", "1", env={"NACRE_RANKS": value}),
                                 "nacre: bad value in the environment for option ranks")
        self.assertEqual(self.refused("-n"), "nacre: a number of ranks, at least 1, is wanted by -n")
        self.assertEqual(self.refused("-n", "1000000", "-c", "1"), "nacre: so many ranks cannot be made")
        self.assertEqual(self.refused("--split-least", "much"), "nacre: bad option --split-least")
        self.assertEqual(self.refused("--check-ranks=2"), "nacre: bad option --check-ranks=2")

    def test_transports(self):
        self.assertEqual(self.refused("--transport", "pigeons", "-c", "1"), "nacre: loopback or mpi is wanted by --transport")
        self.assertEqual(self.refused("-c", "1", env={"NACRE_TRANSPORT": "pigeons"}),
                         "nacre: loopback or mpi is wanted in the environment for option transport")
        self.assertEqual(self.refused("--transport", "loopback", "-c", "1"), "nacre: --transport loopback needs -n N")

    def test_commands(self):
        path = self.script("print(1)\n")
        for name, command in [("doctest", ("doctest", path)), ("build", ("build", path, "-o", "x.so")),
                              ("run-graph", ("run-graph", path))]:
            wanted = "nacre: %s runs on one rank: not with -n (NACRE_RANKS), nor --transport mpi (NACRE_TRANSPORT)" % name
            self.assertEqual(self.refused("-n", "2", *command), wanted)
            self.assertEqual(self.refused(*command, env={"NACRE_RANKS": "2"}), wanted)
        self.check(nacre("-n", "1", "doctest", path), "1\n0 passed, 0 failed\n")

    def test_prompt(self):
        terminal = Terminal([NACRE, "-n", "2"], {"NACRE_TRANSPORT": "loopback"})
        terminal.wait_for("nacre: the prompt runs on one rank")
        _, status = os.waitpid(terminal.process, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 2)

    def test_lua(self):
        if "\nlua: none" in nacre("info").stdout:
            self.skipTest("no Lua")
        self.assertEqual(self.refused("-n", "2", "--pass", self.script("", "pass.lua"), "-c", "1"),
                         "nacre: passes in Lua (--pass) are for one rank: leave out -n and --transport")
        plain = self.script("depth = 3\nranks = 3\ntransport = 'loopback'\nsplit_least = '4K'\n", "plain.lua")
        stats = os.path.join(self.folder, "stats.json")
        self.check(nacre("--config", plain, "--stats", stats, "-c", "print(1)"), "1\n")
        with open(stats, encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["ranks"]), 3)
        for asked in "use = {algebra = false}", "passes = {'pass.lua'}", "operations = {sort = 'cpu'}":
            config = self.script(asked + "\n", "config.lua")
            self.assertEqual(self.refused("--config", config, "-n", "2", "-c", "1"),
                             "nacre: the configuration's %s are for a program on one rank" % asked.split(" ")[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
