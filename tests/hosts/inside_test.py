#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Lua inside the command: configurations, passes, what Lua may not do, and the examples.

usage: inside_test.py NACRE
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))
from sanitizers import sanitizers_of  # noqa: E402
from terminal import environment  # noqa: E402

NACRE = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples", "passes")
SCRIPT = "import numpy as np\nx = np.linspace(0, 1, 5000)\ny = x ** 3.0 + 1\nprint(float(y.sum()))\n"
CUBES = 'nacre.pass{name = "cubes", match = "power(x, 3)", replace = function(m) return m.x * m.x * m.x end}\n'


def nacre(*arguments, env=None, folder=None):
    return subprocess.run((NACRE,) + arguments, capture_output=True, text=True, timeout=120, cwd=folder,
                          stdin=subprocess.DEVNULL, env=environment(env or {}))


class InsideTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nacre-inside-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def good(self, done, out=None):
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        if out is not None:
            self.assertEqual(done.stdout, out)
        return done.stdout

    def bad(self, done, message, status=2):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertNotIn("usage", done.stderr)

    def stats(self, *arguments, env=None):
        path = os.path.join(self.folder, "stats.json")
        self.good(nacre("--stats", path, *arguments, env=env))
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class Configuration(InsideTest):
    def test_settings(self):
        script = self.file("s.py", "import numpy as np\nprint(float(np.arange(1e5).sum()))\n")
        config = self.file("c.lua", 'local two = 2\nthreads = two - 1\ntier = "interp"\nmemory_limit = "1G"\n'
                                    'time_limit = 60\nrecursion_limit = 900\nreproducible = true\nbackend = "mirror"\n')
        stats = self.stats("--config", config, script)
        self.assertEqual(stats["threads"], 1)
        self.assertGreater(stats["copies_device_to_host"], 0)

    def test_the_command_line_counts_more(self):
        config = self.file("c.lua", 'threads = 1\nbackend = {"no such", "mirror"}\n')
        script = self.file("s.py", "import numpy as np\nprint(float(np.arange(1e5).sum()))\n")
        self.assertEqual(self.stats("--config", config, "--threads", "2", script)["threads"], 2)
        self.assertEqual(self.stats("--threads=2", "--config=" + config, script)["threads"], 2)
        env = {"NACRE_THREADS": "2", "NACRE_CONFIG": config, "NACRE_BACKEND": "cpu"}
        stats = self.stats(script, env=env)
        self.assertEqual((stats["threads"], stats["copies_device_to_host"]), (2, 0))

    def test_the_users_own(self):
        self.file("home/.config/nacre/config.lua", "recursion_limit = 20\n")
        self.file("xdg/nacre/config.lua", "recursion_limit = 30\n")
        text = "def f(n):\n    return n and 1 + f(n - 1)\nprint(f(24))"
        home, xdg = os.path.join(self.folder, "home"), os.path.join(self.folder, "xdg")
        self.bad(nacre("-c", text, env={"HOME": home, "XDG_CONFIG_HOME": ""}), "RecursionError", 1)
        self.good(nacre("-c", text, env={"HOME": home, "XDG_CONFIG_HOME": xdg}), "24\n")
        self.good(nacre("-c", text, env={"HOME": home, "XDG_CONFIG_HOME": "", "NACRE_CONFIG": ""}), "24\n")
        self.good(nacre("--config", "", "-c", text, env={"HOME": home, "XDG_CONFIG_HOME": ""}), "24\n")

    def test_what_is_wrong(self):
        for text, message in (
                ("thread = 1", r"c\.lua:1: there is no setting 'thread'"),
                ("threads = 'two'", "'threads' is a number, not a string"),
                ("tier = 'fast'", "'fast' is no tier"),
                ("memory_limit = '3X'", "'3X' is no memory.limit"),
                ("threads = (", r"c\.lua:1: unexpected symbol"),
                ("local x = nil + 1", r"c\.lua:1: attempt to perform arithmetic"),
                ("backend = {'a', 'b'}", "backend: there is none of a, b"),
                ("passes = {'missing.lua'}", "cannot read '.*missing.lua'"),
                ("use = {fusion = false}", "no pass 'fusion' can be left out"),
                ("operations = {nothing = 'cpu'}", "there is no operation 'nothing'"),
                ("local nd = require 'nacre'", "there are no arrays yet")):
            with self.subTest(text=text):
                self.bad(nacre("--config", self.file("c.lua", text), "-c", "print(1)"), message)
        self.bad(nacre("--config", os.path.join(self.folder, "none.lua"), "-c", "print(1)"), "cannot read")

    def test_passes_and_operations(self):
        self.file("tune.lua", CUBES)
        config = self.file("c.lua", 'passes = {"tune.lua"}\noperations = {["add.reduce"] = {"nothing", "cpu"}}\n'
                                    'use = {algebra = false}\n')
        script = self.file("s.py", SCRIPT)
        plain = self.good(nacre(script))
        self.assertEqual(self.good(nacre("--config", config, script)), plain)
        counts = self.stats("--config", config, "--backend", "mirror", script)
        self.assertEqual(counts["operations"]["power"], 0)


class Passes(InsideTest):
    def test_pass(self):
        script, tune = self.file("s.py", SCRIPT), self.file("tune.lua", CUBES)
        plain = self.good(nacre(script))
        for arguments in (("run", "--pass", tune, script), ("--pass", tune, "run", script), ("--pass=" + tune, script)):
            self.assertEqual(self.good(nacre(*arguments)), plain)
        counts = self.stats("--pass", tune, script)["operations"]
        self.assertEqual(counts["power"], 0)
        self.assertGreater(counts["multiply"], 0)

    def test_explain_shows_what_was_run(self):
        script, tune = self.file("s.py", SCRIPT), self.file("tune.lua", CUBES)
        shown = nacre("--explain", "--pass", tune, script).stderr
        self.assertIn("multiply", shown)
        self.assertNotIn("power", shown)

    def test_several_and_modules_of_their_own(self):
        self.file("parts/rules.lua", "return {cube = function(m) return m.x * m.x * m.x end}\n")
        one = self.file("one.lua", 'local nd, rules = require "nacre", require "parts.rules"\n'
                                   'nd.pass{name = "cubes", match = "power(x, 3)", replace = rules.cube}\n')
        two = self.file("two.lua", 'nacre.pass{name = "look", run = function(plan) print(plan.count > 1) end}\n')
        script = self.file("s.py", SCRIPT)
        out = self.good(nacre("--pass", one, "--pass", two, script))
        self.assertEqual(out.split("\n")[0], "true")
        self.bad(nacre("--pass", one, "--pass", one, script), "there is a pass 'cubes' already")

    def test_errors(self):
        script = self.file("s.py", SCRIPT)
        for text, message, status in (
                ("error('no')", r"p\.lua:1: no", 2), ("nacre.pass{}", "a pass has a name", 2),
                ("nacre.zeros{-1}", "ValueError: negative dimensions", 2),
                ("nacre.pass{name = 'x', run = function() error('late') end}", r"RuntimeError: .*p\.lua:1: late", 1),
                ("nacre.pass{name = 'x', run = function() nacre.eval('1 // 0') end}", "ZeroDivisionError", 1),
                ("nacre.pass{name = 'x', match = 'power(', replace = function() end}", "ValueError: no pattern", 1)):
            with self.subTest(text=text):
                done = nacre("--pass", self.file("p.lua", text), script)
                self.bad(done, message, status)
        done = nacre("--pass", self.file("p.lua", "nacre.pass{name = 'x', run = function() error('late') end}"), script)
        self.assertIn('s.py", line 3', done.stderr)

    def test_doctests_have_them_too(self):
        tune = self.file("tune.lua", 'nacre.pass{name = "look", run = function() end}\n')
        first = self.file("a.py", '"""\n>>> import numpy as np\n>>> float(np.arange(3000.0).sum())\n4498500.0\n"""\n')
        second = self.file("b.py", '"""\n>>> 1 + 1\n2\n"""\n')
        self.assertIn("3 passed, 0 failed", self.good(nacre("--pass", tune, "doctest", first, second)))


# Passes that are wrong in ways that the engine has to hold out: what they compute in the end is given, or refused.
HEAD = "import numpy as np\nx = np.arange(100000.0)\nx[0] = 1.0\n"
ORDER = """nacre.pass{name = "order", operations = {"sin"}, run = function(plan)
  local sin, cos
  for n in plan:each("sin") do sin = n end
  for n in plan:each("cos") do cos = n end
  if not (sin and cos) then return end
  %s
end}
"""
HARD = (
    ("two passes, of which one looks at what the other has replaced", HEAD + "y = x ** 3 + 1\nprint(y[2])\n",
     CUBES + """nacre.pass{name = "look", run = function(plan)
  for node in plan:each() do
    for i = 1, node.operands do local operand, writer = node:operand(i), node:writer(i) end
    node:result()
  end
end}\n""", "9.0\n"),
    ("an array that is updated between two uses", HEAD + "a, b = np.sin(x), np.cos(x)\nprint((a + b)[5], a[5], b[5])\n",
     ORDER % 't = sin:operand(1) * 2; s = t * 3; t["..."] = t + 1; sin:replace(t); cos:replace(s)'
     .replace("t = ", "local t = ", 1).replace("s = ", "local s = ", 1), "41.0 11.0 30.0\n"),
    ("one that has a place further behind", HEAD + "a, b = np.sin(x), np.cos(x)\ns = (a + b)[5]\nprint(a[5], b[5])\n",
     ORDER % ('local t = cos:operand(1) * 2; cos:replace(t); t["..."] = t + 1; '
              'local good, e = pcall(sin.replace, sin, t); print(good, e.class)'), "false\tValueError\n%r 10.0\n"),
    ("a part of an array that is written", "import numpy as np\nx = np.arange(100000.0)\na = np.full(100000, 5.0)\n"
     "np.sin(x * 2, out=a)\nprint(np.sum(a))\n",
     """local I = nacre.arange(1000)
nacre.pass{name = "put", operations = {"sin"}, run = function(plan)
  for n in plan:each("sin") do
    local t = nacre.zeros(100000)
    t[I] = nacre.ones(1000) * 7.0
    n:replace(t)
  end
end}\n""", "7000.0\n"),
    ("a node that is replaced twice", HEAD + "y = np.sin(x) + 1\nprint(y[5])\n",
     """nacre.pass{name = "twice", operations = {"sin"}, run = function(plan)
  for n in plan:each("sin") do n:replace(n:operand(1) * 2); n:replace(n:operand(1) + 1) end
end}\n""", "12.0\n"),
    ("as many nodes as there is room for", HEAD + "y = np.sin(x)\ny = y + np.sin(x)\ntry:\n    print(y[3])\n"
     "except RuntimeError:\n    z = x + 7\n    w = z + 1\nprint(y[3], w[3])\n",
     """nacre.pass{name = "long", each_time = true, run = function(plan)
  local t
  for m in plan:match("sin(x)") do
    t = t or m.x
    while nacre.stats().nodes_pending < 255 do t = t + 1 end
    m.node:replace(t)
  end
  if t and not OK then OK = true error("no") end
end}\n""", None),
    ("numbers that change", "import numpy as np\nx = np.arange(10000.0)\nfor p in (5, 3, 3, 7, 3): y = (x ** p)[2]\n",
     'nacre.pass{name = "cube", match = "power(x, 3)", replace = function(m) print(3) return m.x * m.x * m.x end}\n',
     "3\n3\n3\n"),
    ("arrays that it may not write", HEAD + "y = np.sin(x * 2)\nprint(y[0] != 0)\n",
     """nacre.pass{name = "write", operations = {"sin"}, run = function(plan)
  local good, e = pcall(function() plan:each("sin")():operand(1)["..."] = 1 end)
  print(good, e.class)
end}\n""", "false\tValueError\nTrue\n"),
)


class Hard(InsideTest):
    def test_hard(self):
        for what, program, passes, expected in HARD:
            for backend in ("cpu", "mirror"):
                with self.subTest(what=what, backend=backend):
                    script, path = self.file("s.py", program), self.file("p.lua", passes)
                    done = nacre("--backend", backend, "--pass", path, script)
                    if expected and "%r" in expected:
                        expected = expected % float(nacre("-c", "import math\nprint(math.sin(5))").stdout)
                    self.assertEqual((done.stderr, done.returncode), ("", 0))
                    if expected is not None:
                        self.assertEqual(done.stdout, expected)

    def test_under_a_limit(self):
        script = self.file("s.py", HEAD + "y = np.sin(x)\nprint(y[1] == 1)\n")
        path = self.file("p.lua", """nacre.pass{name = "long", match = "sin(x)", replace = function(m)
  local t, n = m.x, 0
  while n < 200 do t = t + n - n; n = n + 1 end
  return t
end}\n""")
        done = nacre("--memory-limit", "12M", "--pass", path, script)
        self.assertTrue(done.stdout == "True\n" or "MemoryError" in done.stderr or "too many nodes" in done.stderr,
                        done.stderr)


class Limits(InsideTest):
    def test_what_lua_may_not(self):
        for text in ("io.open('/etc/passwd')", "os.execute('true')", "os.remove('x')", "os.exit(0)", "debug.getinfo(1)",
                     "dofile('x')", "loadfile('x')", "package.loadlib('x', 'y')", "require('lfs')", "require('../x')",
                     "assert(load('\\27Lua'))()", "assert(load(string.dump(function() end)))()"):
            with self.subTest(text=text):
                self.bad(nacre("--pass", self.file("p.lua", text), "-c", "print(1)"), ".")
        path = self.file("p.lua", "assert(os.getenv('HOME') and os.clock() and load('return 1')() == 1)\n")
        self.good(nacre("--pass", path, "-c", "print(1)"), "1\n")

    def test_what_the_program_may_for_lua(self):
        for text in ("nacre.eval \"open('/etc/passwd').read()\"", "nacre.run \"open('x', 'w')\"",
                     "nacre.fromfile('/etc/passwd')", "nacre.run \"import some_module\""):
            with self.subTest(text=text):
                done = nacre("--pass", self.file("p.lua", text), "-c", "print(1)", folder=self.folder)
                self.bad(done, "PermissionError|ModuleNotFoundError")
        path = self.file("p.lua", "print(1)")
        self.good(nacre("--pass", path, "-c", "print(open(%r).read())" % self.file("data", "text")), "1\ntext\n")

    def test_what_lua_may_change(self):
        secret = self.file("secret.env", "SECRET = 'hunter2'")
        text = ("string.find = function() return 1 end\nstring.gsub = function() return '../%s\\0' end\n"
                "pcall(require, 'x'); print(SECRET)" % os.path.relpath(secret, self.folder))
        self.good(nacre("--pass", self.file("p.lua", text), "-c", ""), "nil\n")
        self.bad(nacre("--pass", self.file("p.lua", "getmetatable(nacre.zeros(3)).__gc(1)"), "-c", ""), "attempt to index")
        for text, message in (("error(setmetatable({}, {__index = function() error('x') end}))", "an error that is a table"),
                              ("error()", "an error that is a nil"), ("error({})", "an error that is a table"),
                              ("error(setmetatable({}, {__tostring = function() error('x') end}))", "an error that is")):
            with self.subTest(text=text):
                self.bad(nacre("--pass", self.file("p.lua", text), "-c", ""), message)
                inner = "nacre.pass{name = 'x', run = function() %s end}" % text
                self.bad(nacre("--pass", self.file("p.lua", inner), self.file("s.py", SCRIPT)), "RuntimeError: a function of Lua", 1)

    def test_hints(self):
        for hint in ("tile = '64'", "threads = 2.5", "tile = 2^32 + 64", "fast = true"):
            text = "nacre.pass{name = 'x', run = function(plan) plan:node(1):hint{%s} end}" % hint
            self.bad(nacre("--pass", self.file("p.lua", text), self.file("s.py", SCRIPT)), "hint", 1)
        self.bad(nacre("--pass", self.file("p.lua", "nacre.pass{name = 'algebra', run = print}"), "-c", ""), "already")

    def test_trusted(self):
        path = self.file("p.lua", "print(io.open('%s'):read())" % self.file("data", "some text"))
        self.good(nacre("--trust-lua", "--pass", path, "-c", "print(1)"), "some text\n1\n")
        self.good(nacre("--pass", path, "-c", "print(1)", env={"NACRE_TRUST_LUA": "1"}), "some text\n1\n")

    def test_memory(self):
        path = self.file("p.lua", "local t = {}\nwhile true do t[#t + 1] = ('x'):rep(1000000) .. #t end\n")
        self.bad(nacre("--pass", path, "-c", "print(1)"), "not enough memory")

    @unittest.skipIf("thread" in sanitizers_of(NACRE), "its signals wait for a system call")
    def interrupted(self, text, script="print(1)"):
        child = subprocess.Popen((NACRE, "--pass", self.file("p.lua", text), self.file("s.py", script)),
                                 stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment({}))
        self.addCleanup(child.kill)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", err)
        self.assertNotEqual(child.returncode, 0)

    def test_interrupt(self):
        self.interrupted("while true do end")
        self.interrupted("nacre.pass{name = 'x', run = function() while true do end end}", SCRIPT)
        self.interrupted("while true do pcall(function() while true do end end) end")
        self.interrupted("nacre.pass{name = 'x', run = function() coroutine.wrap(function() while true do end end)() end}",
                         SCRIPT)


    def test_time_limit(self):
        path = self.file("p.lua", "nacre.pass{name = 'x', run = function() while true do end end}")
        self.bad(nacre("--time-limit", "0.5", "--pass", path, self.file("s.py", SCRIPT)), "TimeoutError", 1)


class Examples(InsideTest):
    def run_power(self, *arguments):
        out = self.good(nacre(*arguments, os.path.join(EXAMPLES, "power.ncr")))
        total, seconds = re.fullmatch(r"([\d.]+)\n([\d.]+) s\n", out).groups()
        return float(total), float(seconds)

    def test_tune(self):
        tune = os.path.join(EXAMPLES, "tune.lua")
        ratios = []
        for _ in range(3):
            (total, plain), (tuned_total, tuned) = self.run_power(), self.run_power("--pass", tune)
            self.assertAlmostEqual(total, tuned_total, delta=1e-9 * abs(total))
            ratios.append(plain / max(tuned, 1e-3))
        print("tune.lua: %.1f times as fast" % sorted(ratios)[1])
        # What sanitizers watch takes half of the time with and without the pass.
        if not sanitizers_of(NACRE):  # whose checks take what the pass saves
            self.assertGreater(sorted(ratios)[1], 2)

    def test_look(self):
        out = self.good(nacre("--pass", os.path.join(EXAMPLES, "look.lua"), os.path.join(EXAMPLES, "power.ncr")))
        self.assertIn("matmul of a product of 600 x 600\n", out)

    def test_configuration(self):
        total, _ = self.run_power()
        tuned, _ = self.run_power("--config", os.path.join(EXAMPLES, "config.lua"))
        self.assertAlmostEqual(total, tuned, delta=1e-9 * abs(total))


if __name__ == "__main__":
    if "lua: none" in nacre("info").stdout:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
