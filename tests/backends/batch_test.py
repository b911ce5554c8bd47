#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Batching of loop rounds on a device (vm/sched/batch.h), on `mirror`: random loops print what NumPy prints, and
kernels are counted.

    batch_test.py NACRE [SEED COUNT]
"""

import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
import warnings

NACRE = os.path.abspath(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 150
TRIALS = ((), ("--depth", "7"), ("--depth", "256"))
os.environ.pop("NACRE_STRESS", None)  # kernels are counted


def run(code, *options, backend="mirror"):
    """Output and figures of a program."""
    with tempfile.TemporaryDirectory() as folder:
        stats, script = os.path.join(folder, "stats.json"), os.path.join(folder, "script.ncr")
        with open(script, "w", encoding="utf-8") as file:
            file.write(code)
        done = subprocess.run([NACRE, "--backend", backend, "--device-least", "1", "--stats", stats, *options, "script.ncr"],
                              capture_output=True, text=True, timeout=120, cwd=folder)
        if done.returncode:
            raise AssertionError(code + done.stdout + done.stderr)
        with open(stats, encoding="utf-8") as stream:
            return done.stdout + done.stderr, json.load(stream)


def by_numpy(code):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, {})
    return output.getvalue()


# --- Random programs -----------------------------------------------------------------------------

class Program:
    """Loops over arrays of integers, or of floats that are whole numbers. An access of a round is a part of an array at
    a place that moves with the round: forwards, backwards, by two, or not at all."""

    ROWS, COLUMNS = 15, 13

    def __init__(self, draw):
        self.draw = draw
        self.lines = ["import numpy as np"]
        self.names = ["a%d" % n for n in range(draw.randrange(2, 5))]
        for n, name in enumerate(self.names):
            self.lines.append("%s = (np.arange(%d).reshape(%d, %d) * %d %% 97).astype(%r)%s" % (
                name, self.ROWS * self.COLUMNS, self.ROWS, self.COLUMNS, 7 + 4 * n,
                draw.choice(["i8", "i8", "i4", "f8", "u1"]), draw.choice(["", "", ".copy('F')"])))
        for _ in range(draw.randrange(1, 4)):
            first = len(self.lines)
            self.loop()
            # Parts may have fewer elements at an array's edge, so that a statement in the middle of a loop raises.
            self.lines[first:] = ["try:"] + ["    " + line for line in self.lines[first:]] + [
                "except (ValueError, IndexError) as problem:", "    print(type(problem).__name__, i)"]
        self.lines += ["print(%s.tolist())" % name for name in self.names]

    def loop(self):
        draw = self.draw
        if draw.random() < 0.2:
            self.lines.append("old = %s%s" % (draw.choice(self.names), draw.choice([".copy()", "[::-1].copy()", ""])))
        begin = draw.choice(["range(2, 13)", "range(2, 13)", "range(12, 1, -1)", "range(2, 13, 2)", "[2, 3, 4, 6, 7, 8, 9]"])
        self.lines.append("for i in %s:" % begin)
        self.nested = draw.random() < 0.4
        if self.nested:
            if draw.random() < 0.3:
                self.statement("    ", False)
            self.lines.append("    for j in %s:" % draw.choice(["range(2, 10)", "range(9, 1, -1)", "range(2, 10, 3)"]))
        if not self.nested and draw.random() < 0.4:
            return self.from_afar()
        for _ in range(draw.randrange(1, 4)):
            self.statement("        " if self.nested else "    ", self.nested)
        if draw.random() < 0.3:
            name = draw.choice(self.names)
            self.lines.append("%s = %s + 1" % (name, name))

    def from_afar(self):
        """Rounds that need what a round two, three or four before has made, or overwrite what it has read."""
        draw = self.draw
        name, other = draw.choice(self.names), draw.choice(self.names)
        near, far = draw.choice([("i", "i - 2"), ("i - 2", "i"), ("i - 1", "i + 2"), ("i + 2", "i - 2"), ("i + 1", "i - 2")])
        if draw.random() < 0.4:
            held = ["u%d" % n for n in range(draw.randrange(2, 5))]
            self.lines[-1:] = ["%s = %s[0] + 1" % (" = ".join(held), other), self.lines[-1],
                               "    %s = %s, %s[i] + np.minimum(%s, 50)" % (", ".join(held), ", ".join(held[1:]), other, held[0]),
                               "    %s[%s] = %s.astype(%s.dtype)" % (name, near, held[0], name)]
            if draw.random() < 0.5:
                self.lines.append("print(%s.tolist())" % held[-1])
            return
        self.lines.append("    %s[%s] = np.minimum(%s[%s] + 1, %s[i]).astype(%s.dtype)" % (name, near, name, far, other, name))
        if draw.random() < 0.3:
            self.lines.append("    %s[%s, 3] = 5" % (other, draw.choice(["i", "i - 1"])))

    def part(self, name, width, nested):
        """A part of an array with `width` elements."""
        draw = self.draw
        row = draw.choice(["i", "i", "i", "i - 1", "i + 1", "i - 2", "14 - i", "i // 2", "3"])
        column = draw.choice(["j", "j", "j - 1", "j + 1", "2"]) if nested else draw.choice(["0", "1", "7", "i - 2"])
        if nested and draw.random() < 0.2:
            row, column = (column if column != "2" else "j"), draw.choice(["i - 2", "1", "i // 2"])
        if width == 0:
            return "%s[%s, %s]" % (name, row, column)
        if not nested and draw.random() < 0.4:
            return "%s[%s:%s + %d, %s]" % (name, row, row, width, draw.choice(["i - 2", "0", "5", "12 - i"])) \
                if row in ("i", "i - 1", "i - 2", "3") and width <= 2 else "%s[%d:%d, %s]" % (
                    name, 1, 1 + width, draw.choice(["i - 2", "i - 1", "12 - i", "4"]))
        return "%s[%s, %s:%s + %d]" % (name, row, column, column, width)

    def value(self, width, nested, temporary):
        draw = self.draw
        operands = [self.part(draw.choice(self.names), width, nested) for _ in range(2)]
        if temporary and draw.random() < 0.6:
            operands[0] = temporary
        if draw.random() < 0.3:
            operands[1] = draw.choice(["3", "2", "i", "i * 2 + 1"])
        return draw.choice(["%s + %s", "%s - %s", "np.minimum(%s, %s)", "np.maximum(%s, %s)",
                            "np.where(%s > 20, 5, %s)", "%s * 3 + %s"]) % tuple(operands)

    def statement(self, indent, nested):
        draw = self.draw
        width = draw.choice([0, 1, 2, 2, 3]) if nested else draw.choice([2, 3, 5])
        lines, temporary = [], None
        if draw.random() < 0.5:
            lines.append("t = %s" % self.value(width, nested, None))
            temporary = "t"
            if draw.random() < 0.3 and width:
                lines.append("t += 1")
            if draw.random() < 0.2 and width > 1:
                lines.append("t[0] = 4")
        if width > 1 and draw.random() < 0.2:
            made = draw.choice(["np.zeros(%d, int)", "np.ones(%d, int)", "np.full(%d, 7)", "np.empty(%d, int)"]) % width
            lines += ["w = %s" % made, "w[1:] = %s" % self.part(draw.choice(self.names), width - 1, nested)]
            lines.append("w[:1] = 3" if "empty" in made else "w += 1")
            temporary = "w"
        target = self.part(draw.choice(self.names), width, nested)
        if width and draw.random() < 0.15:
            lines.append("%s = %s" % (self.part(draw.choice(self.names), 0, nested),
                                      draw.choice(["(%s).sum()", "np.abs((%s).max())", "np.minimum(%s, 9).mean()", "np.sum(%s)"]) %
                                      self.value(width, nested, temporary)))
        elif width and draw.random() < 0.25:
            lines.append("s = (%s).%s()" % (self.value(width, nested, temporary), draw.choice(["sum", "max", "min"])))
            lines.append("%s = s %% 50" % self.part(draw.choice(self.names), 0, nested))
        else:
            lines.append("%s %s %s" % (target, draw.choice(["=", "=", "+=", "-="]),
                                       "np.minimum(%s, 90).astype(%s.dtype)" % (self.value(width, nested, temporary),
                                                                                target.split("[")[0])))
        self.lines += [indent + line for line in lines]


def product_program(draw):
    """Loops over stacks of small matrices of integers."""
    lines = ["import numpy as np", "s = np.arange(12 * 9).reshape(12, 3, 3) % 5", "t = np.ones_like(s)",
             "w = np.arange(9).reshape(3, 3) % 4"]
    for _ in range(draw.randrange(1, 4)):
        a, b = (draw.choice(["s[i]", "s[i - 1]", "t[i]", "t[i - 2]", "w", "s[11 - i].T", "t[i][::-1]"]) for _ in range(2))
        lines.append("for i in %s:" % draw.choice(["range(2, 12)", "range(11, 1, -1)"]))
        lines.append("    %s[%s] = (%s @ %s%s) %% 7" % (draw.choice("st"), draw.choice(["i", "i - 1"]), a, b,
                                                     draw.choice(["", "", " + i", " + w"])))
    return "\n".join(lines + ["print(s.tolist(), t.tolist())"]) + "\n"


class RandomTest(unittest.TestCase):
    def check(self, seed, code):
        with self.subTest(seed=seed, code=code):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = by_numpy(code)
            output, stats = run("import warnings\nwarnings.simplefilter('ignore')\n" + code, *TRIALS[seed % len(TRIALS)])
            self.assertEqual(output, expected)
            return stats["nodes_batched"]

    def test_random_loops(self):
        batched = [self.check(seed, "\n".join(Program(random.Random(seed)).lines) + "\n")
                   for seed in range(SEED, SEED + COUNT)]
        self.assertGreater(sum(1 for count in batched if count), COUNT // 6)

    def test_random_products(self):
        batched = [self.check(seed, product_program(random.Random(seed))) for seed in range(SEED, SEED + COUNT // 5)]
        self.assertGreater(sum(1 for count in batched if count), COUNT // 25)


# --- What is batched -----------------------------------------------------------------------------

HEAD = """import numpy as np
a = np.arange(60 * 40.).reshape(60, 40) / 7
b = np.linspace(1, 2, 40)
out = np.zeros((60, 40))
"""


class KernelsTest(unittest.TestCase):
    def check(self, code, kernels, **options):
        """Runs a loop, whose result must be the processor's, in at most so many kernels."""
        output, stats = run(HEAD + code + "print(out.tolist())\n", **options)
        self.assertEqual(output, run(HEAD + code + "print(out.tolist())\n", backend="cpu", **options)[0])
        self.assertLessEqual(stats["kernels"] + stats["library_calls"], kernels)
        self.assertEqual(stats["nodes_recorded"], stats["nodes_executed"] + stats["nodes_eliminated"] + stats["nodes_batched"])
        return stats

    def test_rows(self):
        stats = self.check("for i in range(60):\n    out[i] = np.sqrt(a[i]) * b + 1\n", 6)
        self.assertGreater(stats["nodes_batched"], 200)

    def test_columns_backwards_and_every_other(self):
        self.check("for j in range(39, -1, -1):\n    out[:, j] = a[:, j] * 2 - a[::-1, j]\n", 6)
        self.check("for i in range(1, 60, 2):\n    out[i] = a[i - 1] + a[i]\n", 6)

    def test_nested_loops(self):
        self.check("for i in range(58):\n    for j in range(37):\n"
                   "        out[i, j:j + 1] = (a[i:i + 3, j:j + 3] * b[:3]).sum(axis=(0, 1), keepdims=True)[0]\n", 40)

    def test_scalars_of_the_round(self):
        self.check("for i in range(60):\n    out[i] = np.cos(b * i) / (i + 1)\n", 6)
        self.check("for i in range(60):\n    for j in range(0, 40, 4):\n        out[i, j:j + 4] = a[i, :4] * i - j\n", 40)

    def test_temporaries(self):
        self.check("for i in range(60):\n    t = a[i] * 2\n    t += b\n    t[3:5] = 5\n    out[i] = t * t\n", 14)

    def test_sums_that_are_stored(self):
        stats = self.check("for i in range(60):\n    out[i, 0] = (a[i] * b).sum()\n    out[i, 1] = a[i].mean()\n"
                           "    out[i, 2] = np.sqrt((a[i] - b).var())\n    out[i, 3] = np.rint(a[i] * 7) @ np.rint(b)\n", 16)
        self.assertLess(stats["copies_device_to_host"], 4)
        stats = self.check("for i in range(40):\n    for j in range(40):\n"
                           "        out[i, j] = np.sqrt(((a[i, :3] - a[j, :3]) ** 2).sum())\n", 10)
        self.assertLess(stats["copies_device_to_host"], 4)

    def test_scalars_that_are_seen(self):
        code = """import numpy as np
a = np.arange(24.).reshape(4, 6)
z, c, n, seen, d = np.zeros(4), np.zeros(4, complex), np.zeros(4, int), [0] * 4, {}
class Box:
    def __setitem__(self, key, value):
        print(type(value).__name__, value)
box = Box()
for i in range(4):
    z[i] = a[i].sum()
    c[i] = a[i].sum()
    n[i] = a[i].sum()
    seen[i] = a[i].sum()
    d[i] = np.sqrt(a[i].sum())
    box[i] = np.sqrt(a[i].max())
    z[len({a[i].sum()})] = a[0].min()
    z[int(a[i].min()) % 4] = len(set(map(np.sum, a)))
    z[i] += a[i].std()
    z[i % len([x for x in seen if x])] = (lambda: a[i].sum())()
def f(z):
    for i in range(4):
        z[i] = x = a[i].sum()
        z[i], y = a[i].max(), a[i].min()
        z[i] = a[i].mean()
        if i == 2:
            z = seen
    return type(x).__name__, type(y).__name__
def swap():
    global z
    z = [0] * 4
    return 1
print(z, c, n, seen, d, f(z), seen, [type(v).__name__ for v in seen])
try:
    for i in range(7):
        z[i] = np.sum(a[i % 4])
except IndexError as problem:
    print(problem, z)
old, z.flags.writeable = z, False
try:
    z[1] = a[1].sum()
except ValueError as problem:
    print(problem)
z = old.copy()
z[swap()] = a[2].sum()
print(type(z).__name__, z)
z[1] = a[2].sum()
print(z)
"""
        self.assertEqual(run(code)[0], by_numpy(code))

    def test_functions(self):
        self.check("def norm(x):\n    y = x - b\n    return y * y + 1\n"
                   "for i in range(60):\n    out[i] = norm(a[i]) + norm(a[59 - i])\n", 12)

    def test_temporaries_of_one_value(self):
        self.check("for i in range(60):\n    t = np.zeros(40)\n    t[3:7] = a[i, 3:7]\n    u = np.empty(40)\n    u[:20] = b[:20]\n"
                   "    u[20:] = a[i, 20:]\n    w = np.ones(40)\n    w += t\n    out[i] = t * w + u\n", 30)

    def test_products(self):
        self.check("m = np.arange(60 * 9.).reshape(60, 3, 3)\nr = np.empty_like(m)\n"
                   "for i in range(60):\n    r[i] = m[i] @ m[0]\nout[:3, :3] = r[59]\n", 10)

    def test_rounds_that_need_earlier_ones(self):
        for code in ("for i in range(1, 60):\n    out[i] = out[i - 1] + a[i]\n",
                     "for i in range(59):\n    out[i + 1] = a[i]\n    a[i + 1] = out[i] + 1\n",
                     "p = b.copy()\nfor i in range(60):\n    p = p * 0.5 + a[i]\n    out[i] = p\n"):
            output, _ = run(HEAD + code + "print(out.tolist())\n")
            self.assertEqual(output, run(HEAD + code + "print(out.tolist())\n", backend="cpu")[0])
        stats = self.check("for i in range(3, 60):\n    out[i] = out[i - 3] + a[i]\n", 30)  # three at a time
        self.assertGreater(stats["nodes_batched"], 30)

    def test_not_by_itself(self):
        code = HEAD + "for i in range(60):\n    out[i] = a[i] * 2\nprint(out.sum())\n"
        self.assertEqual(run(code, "--no-fuse")[1]["nodes_batched"], 0)
        self.assertEqual(run(code, backend="cpu")[1]["nodes_batched"], 0)

    def test_warnings_and_errors(self):
        zeros = "a += 1\na[5:] -= a[5:]\n"
        code = HEAD + zeros + "for i in range(60):\n    out[i] = b / a[i]\nprint(out[4:7, :3])\n"
        output, stats = run(code)
        self.assertEqual(output, run(code, backend="cpu")[0])
        self.assertEqual(output.count("RuntimeWarning: divide by zero encountered in divide"), 1)
        self.assertGreater(stats["nodes_batched"], 60)
        code = HEAD + zeros + ("np.seterr(all='raise')\ntry:\n    for i in range(60):\n        out[i] = b / a[i]\n"
                               "except FloatingPointError as problem:\n    print(i, problem)\nprint(out[4:7, :3])\n")
        output, stats = run(code)
        self.assertEqual(output, run(code, backend="cpu")[0])
        self.assertIn("5 divide by zero", output)
        code = HEAD + "try:\n    for i in range(70):\n        out[i] = b * i\nexcept IndexError:\n    print(i, out.sum(axis=1))\n"
        self.assertEqual(run(code)[0], run(code, backend="cpu")[0])

    def test_storages_that_become_one(self):
        """In the first round `t` and `w` are two arrays, in the others one."""
        self.check("c = a * 3\nfor i in range(12):\n    t = a[i] + 1\n    w = np.add(c[i], a[i], None if i == 0 else t)\n"
                   "    out[i] = t * 2\n    del t, w\n", 40)

    def test_columns_of_many_units(self):
        """Units of one batch that lie between each other are compared with each other once."""
        code = "import numpy as np\nn = %d\na = np.arange(4.0 * n).reshape(4, n) + 0\nout = np.zeros((4, n))\n" \
               "for j in range(n):\n    out[:, j] = a[:, j] * 2 + out[:, j]\nprint(out.sum())\n"
        output, stats = run(code % 20000, "--tier", "interp")
        self.assertEqual(output, by_numpy(code % 20000))
        self.assertGreater(stats["nodes_batched"], 30000)

    def test_memory_of_batches(self):
        # What a round reads of a large array that nobody else knows is not kept.
        code = "import numpy as np\nout = np.zeros((900, 5))\nfor i in range(900):\n" \
               "    h = np.array(list(range(20000)))[:5]\n    out[i] = h * 2\nprint(out.sum())\n"
        output, stats = run(code)
        self.assertEqual(output, by_numpy(code))
        self.assertLess(stats["memory_peak"], 30e6)
        # A batch takes a part of what there is.
        code = "import numpy as np\na = np.ones((64, 200, 200))\nout = np.zeros((64, 200))\nfor i in range(64):\n" \
               "    t = a[i] @ a[i]\n    u = t @ t\n    out[i] = u.sum(axis=0)\nprint(out.sum())\n"
        for limit in ("25M", "28M", "32M", "40M"):
            self.assertEqual(run(code, "--memory-limit", limit)[0], by_numpy(code), limit)

    def test_little_memory(self):
        code = HEAD + "for i in range(60):\n    t = np.sqrt(a[i]) * b\n    out[i] = t + t[::-1]\nprint(out.tolist())\n"
        expected, stats = run(code, backend="cpu")
        for limit in range(stats["memory_peak"] * 4 // 5, stats["memory_peak"] * 3 // 2, stats["memory_peak"] // 20):
            with tempfile.NamedTemporaryFile("w", suffix=".ncr") as script:
                script.write(code)
                script.flush()
                done = subprocess.run([NACRE, "--backend", "mirror", "--device-least", "1", "--memory-limit", str(limit),
                                       script.name], capture_output=True, text=True, timeout=120)
            self.assertTrue(done.stdout == expected or "MemoryError" in done.stderr or "out of memory" in done.stderr,
                            done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
