#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What laziness does, read from --stats; and that no output depends on how much may be pending.

usage: lazy_test.py NACRE
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.pop("NACRE_STRESS", None)  # where nearly nothing is put off, and no plan is kept for long


def run(code, *options, env=None):
    """(output, figures) of a script."""
    with tempfile.TemporaryDirectory() as folder:
        figures = os.path.join(folder, "stats.json")
        done = subprocess.run([NACRE, "--stats", figures, *options, "-c", code], timeout=60,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, **(env or {})})
        if done.returncode:
            raise AssertionError(done.stderr)
        with open(figures, encoding="utf-8") as file:
            return done.stdout, json.load(file)


def of_each_turn(code, figure="kernels"):
    """How much a figure grows with each turn of the loop `for i in range(TURNS)`."""
    few, many = (run(code.replace("TURNS", str(n)))[1][figure] for n in (20, 52))
    return (many - few) / 32


ALL = "--depth", "256"  # small operations are put off too


class Small(unittest.TestCase):
    """Operations on few elements are done where they are written."""
    CODE = "import numpy as np\na = np.arange(%d.0)\na[0]\nc = a * 2 + a - a / 4\nc += c.max()\nc[1:] = 3\nprint(c.sum())"

    def test_no_nodes(self):
        text, figures = run(self.CODE % 1024)
        self.assertEqual((figures["direct_operations"], figures["nodes_recorded"]), (8, 1))  # arange is a node
        for options in (ALL, ("--backend", "mirror")):
            same, figures = run(self.CODE % 1024, *options)
            self.assertEqual((same, figures["direct_operations"], figures["nodes_recorded"]), (text, 0, 9))

    def test_many_elements(self):
        figures = run(self.CODE % 1025)[1]
        self.assertEqual((figures["direct_operations"], figures["nodes_recorded"]), (0, 9))

    def test_what_is_to_be_said_comes_from_a_node(self):
        figures = run("import numpy as np\na = np.array([1e308, 1.0])\nnp.seterr(over='ignore')\nb = a * 10\n"
                      "np.seterr(over='warn')\nb = a * 10\na *= 10\nprint(a, b)")[1]
        self.assertEqual((figures["direct_operations"], figures["nodes_recorded"]), (1, 2))


class Loops(unittest.TestCase):
    """A loop's iterations run together when so many operations are pending: 32, or three quarters of --depth."""
    CODE = "import numpy as np\nx = np.arange(2000.0)\nfor i in range(192):\n    x = x + i\nprint(x[0], x[-1])"

    def test_kernels_of_a_loop(self):
        for depth, most in (("16", 12), ("32", 6), ("128", 2), ("256", 1)):
            text, figures = run(self.CODE, "--depth", depth)
            self.assertEqual(text, "18336.0 20335.0\n")
            with self.subTest(depth):
                self.assertEqual(figures["plans_made"] + figures["plans_reused"], most)


class Fusion(unittest.TestCase):
    def kernels(self, code, *options):
        return run("import numpy as np\na = np.arange(20.0)\nb = a + 1\nprint(a[1], b[1])\n" + code,
                   *(options or ALL))[1]["kernels"] - 1  # the one that makes b

    def test_a_chain_is_one_kernel(self):
        self.assertEqual(self.kernels("c = a * b + a - b / 2\nprint(c)"), 1)
        self.assertEqual(self.kernels("c = a * b + a - b / 2\nprint(c)", "--depth", "1"), 4)

    def test_several_results_of_one_pass(self):
        self.assertEqual(self.kernels("c = a * b\nd = a - b\ne = c + d\nprint(e, c, d)"), 1)

    def test_a_reduction_takes_what_leads_to_it(self):
        self.assertEqual(self.kernels("print(((a - b) ** 2).sum())"), 1)
        self.assertEqual(self.kernels("m = a.reshape(4, 5)\nprint((m * m + 1).max(axis=0))"), 1)
        self.assertEqual(self.kernels("m = a.reshape(4, 5)\nprint((m * m + 1).sum(axis=1))"), 1)

    def test_what_reads_a_reduction_comes_later(self):
        self.assertEqual(self.kernels("m = a.reshape(4, 5)\nprint(m - m.mean(axis=1, keepdims=True))"), 3)

    def test_in_place(self):
        self.assertEqual(self.kernels("a += 1\na *= b\nb -= a\nprint(a, b)"), 1)

    def test_a_hazard_splits_a_kernel(self):
        self.assertEqual(self.kernels("a += 1\na[1:] += a[:-1] * 2\nprint(a)"), 3)
        self.assertEqual(self.kernels("c = a[1:] + a[:-1]\na[1:] = c\nprint(a)"), 2)

    def test_parts_that_do_not_meet_are_no_hazard(self):
        self.assertEqual(self.kernels("a[::2] = a[1::2] * 2\nprint(a)"), 1)
        self.assertEqual(self.kernels("a[:10] += a[10:]\na[:10] *= a[10:]\nprint(a)"), 1)

    def test_equal_expressions_are_computed_once(self):
        code = "c = a * b + 1\nd = a * b + 2\nprint(c, d)"
        self.assertEqual(self.kernels(code), 1)

    def test_library_work_stands_between(self):
        self.assertEqual(self.kernels("m = (a * 2).reshape(4, 5)\nprint((m @ m.T) * 2 + 1)"), 2)


class Elimination(unittest.TestCase):
    def test_dead_code(self):
        code = "import numpy as np\na = np.arange(20)\nb = a > 2\nc = ~b\nb = c = a < 1\nprint(b)"
        self.assertEqual(run(code)[1]["nodes_eliminated"], 2)

    def test_what_may_warn_is_computed(self):
        code = "import numpy as np\na = np.arange(20.0)\nb = a * 2\nb = a + 1\nprint(b)"
        self.assertEqual(run(code)[1]["nodes_eliminated"], 0)
        quiet = code.replace("a = ", "np.seterr(all='ignore')\na = ", 1)
        self.assertEqual(run(quiet)[1]["nodes_eliminated"], 1)

    def test_every_node_is_accounted_for(self):
        figures = run("import numpy as np\nfor i in range(200):\n    a = np.ones(10) * i\n    if i % 7 == 0: print(a.sum())")[1]
        done = sum(figures["nodes_" + how] for how in ("executed", "eliminated", "pending"))
        self.assertEqual(figures["nodes_recorded"], done)

    def test_temporaries_that_never_exist(self):
        code = "import numpy as np\nn = 10 ** 6\na = np.ones(n)\nb = np.ones(n)\nc = (a * b + a - b / 2) * (a + 3) - b\nprint(c[0])"
        self.assertLess(run(code)[1]["memory_peak"], 3 * 8e6 + 4e6)

    def test_memory_of_operands_that_are_done_with(self):
        code = "import numpy as np\na = np.ones(10 ** 6)\nfor i in range(100): a = a * 1.5 - 0.5\nprint(a[0])"
        self.assertLess(run(code)[1]["memory_peak"], 2 * 8e6 + 4e6)


class Loops(unittest.TestCase):
    JACOBI = """import numpy as np
grid = np.zeros((64, 64)); grid[0] = 1
center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
east, west = grid[1:-1, 2:], grid[1:-1, :-2]
for i in range(TURNS):
    work = 0.2 * (center + north + south + east + west)
    delta = np.sum(np.abs(work - center))
    center[:] = work
print(delta)
"""

    def test_jacobi(self):
        self.assertEqual(of_each_turn(self.JACOBI), 2)
        self.assertEqual(of_each_turn(self.JACOBI, "nodes_recorded"), 9)

    def test_plans_are_kept(self):
        made, reused = (of_each_turn(self.JACOBI, "plans_" + how) for how in ("made", "reused"))
        self.assertEqual((made, reused), (0, 1))
        code = "import numpy as np\na = np.ones((9, 5))\nfor i in range(TURNS):\n    b = a[i % 7:i % 7 + 2] * i + 1\n    s = b.sum()\nprint(s)"
        self.assertEqual(of_each_turn(code, "plans_made"), 0)

    def test_slices_that_grow_have_one_plan(self):
        code = """import numpy as np
a = np.ones((90, 90))
for k in range(TURNS):
    a[k, k + 1:80] -= a[k + 1, k + 1:80] * 0.5
    b = a[:k + 1, k] @ a[k, :k + 1]
print(a.sum())"""
        few, many = (run(code.replace("TURNS", str(n)))[1]["plans_made"] for n in (30, 75))
        self.assertLessEqual(many - few, 1)  # the last one's, which is shorter

    def test_plans_are_told_apart(self):
        # The same operations on other storages, types, shapes, overlaps and numbers.
        code = """import numpy as np
def f(a, b, s, t):
    c = a * s + b * t
    a += c
    return c - a
def fresh():
    return np.arange(24.0), np.arange(24.0)[::-1].copy(), np.arange(24), np.arange(24).astype(np.float32)
for turn in range(3):
    a, b, i, h = fresh()
    for x, y in ((a, b), (a, a), (b, a), (a[:12], a[12:]), (a[1:], a[:-1]), (a[:-1], a[1:]), (i, i), (i, i[::-1]),
                 (h, a), (h[::2], h[1::2]), (a.reshape(4, 6), b.reshape(4, 6)), (a.reshape(4, 6).T, b.reshape(6, 4))):
        for s, t in ((2, 2), (2, 3), (3, 2), (1, 1)):
            a[:], b[:], i[:], h[:] = fresh()
            r = f(x, y, s, t)
            print(turn, x.shape, s, t, r.tolist(), x.tolist(), y.tolist())
"""
        outputs = {depth: run(code, "--depth", depth)[0] for depth in ("1", "128")}
        self.assertEqual(outputs["1"], outputs["128"])
        turns = [[line[1:] for line in outputs["128"].splitlines() if line[0] == turn] for turn in "012"]
        self.assertEqual(turns[0], turns[1])
        self.assertEqual(turns[0], turns[2])

    def test_a_loop_body_is_one_kernel(self):
        code = "import numpy as np\nx = np.ones(50)\nfor i in range(TURNS):\n    x = x * 0.5 + 1\n    x = np.sqrt(x)\nprint(x)"
        self.assertLess(of_each_turn(code), 0.2)  # several turns in one


class Warnings(unittest.TestCase):
    def test_each_operation_of_a_kernel_tells_its_own(self):
        for dtype, large in (("float16", "6e4"), ("float32", "3e38"), ("float64", "1.7e308")):
            code = ("import numpy as np\na = np.array([%s, 1, 2], dtype='%s')\nb = a + a\nc = a * 3\n"
                    "d = a ** 2\ne = b - b\nprint(b, c, d, e)" % (large, dtype))
            done = subprocess.run([NACRE, "-c", code], timeout=60, capture_output=True, text=True)
            found = [line.split(": ", 1)[0] + " " + line.split()[-1] for line in done.stderr.splitlines() if "Warning" in line]
            self.assertEqual(sorted(found), ["<string>:3 add", "<string>:4 multiply", "<string>:5 square",
                                             "<string>:6 subtract"], dtype)

    def test_what_is_computed_once_warns_wherever_it_is_written(self):
        code = ("import numpy as np\nz = np.zeros(3)\nfor i in range(2):\n    x = 1 / z\n    y = 1 / z\n"
                "    print(x, y)")
        done = subprocess.run([NACRE, "-c", code], timeout=60, capture_output=True, text=True)
        lines = [line.split(": ", 1)[0] for line in done.stderr.splitlines() if "Warning" in line]
        self.assertEqual(lines, ["<string>:4", "<string>:5"])


class Stress(unittest.TestCase):
    """With NACRE_STRESS the limits are small."""
    CODE = """import numpy as np
a, b = np.arange(20.0), np.ones(20)
for i in range(TURNS):
    c = a * b + a - b / 2
    c[0]
    d = (a + b) * (a - b)
    d[0]
print(c, d)
"""

    def grown(self, figure, *options, **env):
        few, many = (run(self.CODE.replace("TURNS", str(n)), *options, env=env)[1][figure] for n in (10, 30))
        return (many - few) / 20

    def test_two_operations_are_put_off(self):
        self.assertEqual(self.grown("kernels", *ALL), 2)
        self.assertEqual(self.grown("kernels", NACRE_STRESS="1"), 4)
        self.assertEqual(self.grown("kernels", "--depth", "9", NACRE_STRESS="1"), 2)

    def test_one_plan_is_kept(self):
        self.assertEqual(self.grown("plans_made", *ALL), 0)
        self.assertEqual(self.grown("plans_made", "--depth", "9", NACRE_STRESS="1"), 2)

    def test_the_same_output(self):
        code = self.CODE.replace("TURNS", "3")
        self.assertEqual(run(code)[0], run(code, env={"NACRE_STRESS": "1"})[0])


class Bands(unittest.TestCase):
    """Loops along the same rows, run a band of rows at a time."""

    SOFTMAX = """import numpy as np
x = np.random.default_rng(0).random((4000, 500))
def f(x):
    power = np.exp(x - np.max(x, axis=1, keepdims=True))
    return power / np.sum(power, axis=1, keepdims=True)
y = f(x)
print(y[3, :9].tolist(), float(y[-1, -1]), y.sum(axis=1)[::99].tolist())
"""

    def test_what_is_made_on_the_way_is_never_stored(self):
        output, figures = run(self.SOFTMAX)
        alone, eager = run(self.SOFTMAX, "--depth", "1")
        self.assertEqual((figures["kernels_in_bands"], eager["kernels_in_bands"]), (3, 0))
        self.assertEqual(output, alone)
        array = 4000 * 500 * 8
        self.assertLess(figures["memory_peak"], 2 * array + 4e6)
        self.assertGreater(eager["memory_peak"], 3 * array)

    def test_loops_that_need_rows_nearby(self):
        code = """import numpy as np
x = np.random.default_rng(0).random((3000, 400))
y = x * 0.5 + 1.0
z = y[1:] + y[:-1]
print(z[7, 7], y[7, 7])
"""
        output, figures = run(code)
        self.assertEqual(figures["kernels_in_bands"], 2)
        self.assertEqual(output, run(code, "--depth", "1")[0])

    def test_loops_that_need_all_rows(self):
        code = """import numpy as np
x = np.random.default_rng(0).random((3000, 400))
m = x.sum(axis=0)
d = (x - m) * 2.0
e = d[::-1] - d
print(e[3, 3], d[3, 3])
"""
        output, figures = run(code)
        self.assertEqual(figures["kernels_in_bands"], 0)
        self.assertEqual(output, run(code, "--depth", "1")[0])

    def test_the_same_bits_as_one_by_one(self):
        with open(os.path.join(TESTS, "array", "bands.ncr"), encoding="utf-8") as file:
            code = file.read()
        output, figures = run(code)
        self.assertGreater(figures["kernels_in_bands"], 50)
        for options in (["--depth", "1"], ["--threads", "1"], ["--threads", "3"]):
            self.assertEqual(output, run(code, *options)[0])

    def test_little_memory(self):
        # One by one there is room: what the bands want at once is not there.
        code = """import numpy as np
x = np.ones((1000, 1000))
x *= 2.0
for i in range(3):
    a = x - x.max(axis=1, keepdims=True)
    b = a / (1.0 + a.sum(axis=1, keepdims=True))
    a = None
    print(b[5, 5])
    b = None
try:
    c = x - x.max(axis=1, keepdims=True)
    d = c / (1.0 + c.sum(axis=1, keepdims=True))
    print(d[5, 5], c[1, 1])
except MemoryError as e:
    print("no memory")
print(x[3, 3])
"""
        for limit in range(19, 34):
            output = run(code, "--memory-limit", f"{limit}M")[0]
            self.assertRegex(output, "^(0.0\n){3}(0.0 0.0|no memory)\n2.0\n$")


class Depth(unittest.TestCase):
    """The outputs of scripts, with nothing pending, little, and much."""

    def outputs(self, path):
        for depth in ("1", "2", "5", "17", "256"):
            done = subprocess.run([NACRE, "--depth", depth, path], timeout=120, capture_output=True,
                                  stdin=subprocess.DEVNULL)
            yield depth, done.returncode, done.stdout, sorted(done.stderr.splitlines())

    def test_scripts(self):
        paths = [os.path.join(TESTS, *name.split("/")) for name in
                 ("array/random_steps.ncr", "functions/random_steps.ncr", "array/layouts.ncr",
                  "array/ufunc_reductions.ncr", "array/elements.ncr")]
        paths += sorted(glob.glob(os.path.join(TESTS, "kernels", "*.ncr")))[::9]
        for path in paths:
            outputs = list(self.outputs(path))
            for found in outputs[1:]:
                self.assertEqual(found[1:], outputs[0][1:], "%s at depth %s" % (path, found[0]))


if __name__ == "__main__":
    unittest.main()
