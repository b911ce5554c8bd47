# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Loops over elements on devices: what they come to is what they come to on the cpu, exceptions, warnings and their lines
included; arrays stay where they are. Used by tests of backends beside Device (devices.py)."""

import os
import random

from devices import agree

HEAD = """import math
import numpy as np
import nacre
def make(kind, shape, seed):
    n = int(np.prod(shape))
    x = np.arange(n) * (seed * 2 + 37) % 101
    return ((x - 50) / 16 if kind[0] == 'f' else x - 50).astype(kind).reshape(shape)
def show(x):
    x = np.asarray(x)
    y = x.ravel()
    z = y.astype('float64')
    print(x.dtype, x.shape, y[:4].tolist(), y[-3:].tolist(), (z * (np.arange(y.size) % 5 + 1)).sum())
"""

# A line of a program each: what the loop's function is called with.
LOOPS = """
def stencil(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
def product(a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * a[k, j]
            b[i, j] = s
def conditions(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 2:
                b[i, j] = a[i, j] ** 2
            elif a[i, j] < -2:
                b[i, j] = -1
            else:
                b[i, j] = a[i, j] / (1 + abs(a[i, j]))
def escape(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            x = y = 0.0
            k = 0
            while k < 30 and x * x + y * y < 4:
                x, y = x * x - y * y + i / 70 - 1.5, 2 * x * y + j / 60 - 1
                k += 1
            b[i, j] = k
def below(a, b):
    for i in range(a.shape[0]):
        for j in range(i):
            b[i, j] = a[j, i] + i
def above(a, b):
    for i in range(a.shape[0]):
        for j in range(i + 1, a.shape[1]):
            b[i, j] = a[i, j] - j
def rows(a, b):
    for i in range(a.shape[0]):
        best, at = a[i, 0], 0
        for j in range(a.shape[1]):
            if a[i, j] > best:
                best, at = a[i, j], j
        b[i, at] = best
        b[i, 0] += at
def clip(v, low, high):
    return low if v < low else high if v > high else v
def inlined(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = clip(a[i, j] * 2, -3, 4)
def strided(a, b):
    for i in range(a.shape[0] - 1, -1, -2):
        for j in range(0, a.shape[1], 3):
            b[i, j] = a[i, j] + 1
def eliminate(a, b):
    for i in range(a.shape[0]):
        b[i, i] = 100
    for k in range(20):
        for i in range(k + 1, a.shape[0]):
            b[i, k] /= b[k, k]
            for j in range(k + 1, a.shape[1]):
                b[i, j] -= b[i, k] * b[k, j]
def flat(a, b):
    x, y = a.ravel(), b.ravel()
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i + 1]) / 2
    b[:] = y.reshape(b.shape)
def views(a, b):
    x, y = a.T, b[::-1, ::2]
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = x[i, j] * 2
def mapped(a, b):
    for i, j in nacre.map[0:a.shape[0], 1:a.shape[1]]:
        b[i, j] = a[i, j] * 2 + i
def scattered(a, b):
    k = np.arange(a.shape[0]) * 7 % a.shape[0]
    for i in nacre.map[0:a.shape[0]]:
        for j in range(a.shape[1]):
            b[k[i], j] = a[i, j] + 1
def in_time(a, b):
    for t in range(6):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = (a[i - 1, j] + a[i + 1, j]) * 0.5
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (b[i, j - 1] + b[i, j + 1]) * 0.5
def backward(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, -1 - j]
"""
NAMES = [line.split("(")[0][4:] for line in LOOPS.splitlines() if line.startswith("def ") and "clip" not in line]
# Whose rounds a device makes, all but the few that the interpreter begins with. Of what a loop with another step than 1 touches
# is not known enough; one loop that eliminates needs what others have made; the first row of nacre.map is
# interpreted.
THERE = [name for name in NAMES if name not in ("backward", "flat", "strided", "eliminate", "scattered", "mapped")]

# Names that a loop leaves behind, at a script's own level.
LEFT = """
n, m = 120, 160
A = make('float64', (n, m), 1)
B = A * 0
for i in range(n):
    for j in range(m):
        t = A[i, j] + i
        if t > 60:
            u = t - 60
        B[i, j] = t * 2
print(i, j, t, u)
show(B)
for i in range(n - 1):
    for j in range(i + 2, n):
        v = A[i, j] - 1
        B[i, j] = v
print(i, j, v)
show(B)
"""

# Each of them in a loop that only the host can finish: which round it was, what had been written by then.
BROKEN = """
def beyond(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i, j + (i == 77)]
def by_zero(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = 1 // (j - 100 + (i != 90))
def by_zero_float(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = 1.0 / float(i * j - 3481)
def warned(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = 1 / (a[i, j] - a[80, 90])
def overflown(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = (a[i, j] + 1e154) * 1e154 if i == 101 else 0
def invalid(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = np.sqrt(a[i, j] + 3 - (i == 100))
def long(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = (2 ** 40 + i) * (2 ** 20 + j * 200000) % 7
def raised(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if i == 60 and j == 70:
                raise ValueError("enough")
            b[i, j] = 1
def endless(a, b):
    for i in range(a.shape[0]):
        k = i
        while k != 5 and k < 100000:
            k += 1
        b[i, 0] = k
for f in (beyond, by_zero, by_zero_float, warned, overflown, invalid, long, raised, endless):
    for again in range(3):
        np.seterr(all='raise' if again == 2 else 'warn', under='ignore')
        a = make('float64', (120, 160), 3)
        b = a + 1
        try:
            f(a, b)
        except Exception as error:
            print(f.__name__, type(error).__name__, error, error.__traceback__.tb_next.tb_lineno)
        show(b)
"""

CALL = "a, b = make('%s', (%d, %d), 3), make('%s', (%d, %d), 5)\n%s(a, b)\nshow(a)\nshow(b)\n"


def calls(kind, names, rows=130, cols=130):
    return HEAD + LOOPS + "".join(CALL % (kind, rows, cols, kind, rows, cols, name) for name in names)


# Of random loops: the seed of the first program.
FIRST = int(os.environ.get("NACRE_LOOPS_SEED", "0"))


# --- Random loops ----------------------------------------------------------------------------------

FLOATS = ("{} + {}", "{} - {}", "{} * {}", "{} / (abs({}) + 2)", "max({}, {})", "-{}", "abs({})", "math.sqrt(abs({}))", "np.sin({})",
          "{} if {} > 0.5 else 1.5", "min({}, 2.5)")
INTS = ("{} + {}", "{} - {}", "{} * 3 - {}", "{} % 7", "{} // 3", "-{}", "abs({})", "{} & 31", "max({}, {})", "{} if {} > 2 else 4")


def index(rng, names, written):
    """Indexes of an element of a matrix; of one that is written they are the loops' own."""
    i, j = names
    if written:
        return "%s, %s" % (i, j)
    return "%s, %s" % tuple(rng.choice((v, v + " - 1", v + " + 1")) for v in (i, j))


def term(rng, forms, operands, depth):
    if depth == 0:
        return rng.choice(operands)
    form = rng.choice(forms)
    return "(" + form.format(*(term(rng, forms, operands, depth - 1) for _ in range(form.count("{}")))) + ")"


def nest(rng, kind, number):
    """A function with a nest of loops over matrices of 40 x 50, of which it writes two."""
    forms = FLOATS if kind[0] == "f" else INTS
    bounds = rng.choice(("range(1, 39)", "range(2, 39, 2)", "range(38, 0, -1)", "range(1, n - 1)"))
    inner = rng.choice(("range(1, 49)", "range(1, 49)", "range(1, i + 1)", "range(i + 1, 49)", "range(48, 0, -3)", "range(1, m - 1)"))
    operands = ["a[%s]" % index(rng, "ij", False) for _ in range(3)] + ["c[i, j]", "i", "j", "2"]
    lines = ["def loop%d(a, b, c, d):" % number, "    n, m = a.shape", "    for i in %s:" % bounds]
    if rng.random() < 0.3:
        lines.append("        r = a[i, 0] + i")
        operands.append("r")
    lines.append("        for j in %s:" % inner)
    if rng.random() < 0.4:
        lines += ["            s = a[i, j]", "            for k in range(%s):" % rng.choice(("5", "j", "i % 4")),
                  "                s += a[i, k] %s c[k, j]" % rng.choice("+-")]
        operands.append("s")
    if rng.random() < 0.4:
        lines += ["            t = %s" % term(rng, forms, operands, 1), "            if %s > %s:" % (rng.choice(operands), rng.choice(operands)),
                  "                t = %s" % term(rng, forms, operands, 1)]
        operands.append("t")
    lines.append("            b[i, j] = %s" % term(rng, forms, operands, 2))
    if rng.random() < 0.5:
        lines.append("            %s[i, j] %s %s" % (rng.choice("bd"), rng.choice(("=", "+=", "-=")), term(rng, forms, operands, 1)))
    if rng.random() < 0.2:
        lines.append("        d[i, 0] = i")
    return "\n".join(lines) + "\n"


def program(rng):
    text = HEAD
    for number in range(4):
        kind = rng.choice(("float64", "float64", "float32", "int64", "int32"))
        text += nest(rng, kind, number)
        text += "x = [make('%s', (40, 50), s) for s in range(4)]\nfor t in range(2):\n    try:\n        loop%d(*x)\n" \
                "    except Exception as error:\n        print(type(error).__name__, error, error.__traceback__.tb_next.tb_lineno)\n" % (kind, number)
        text += "for y in x:\n    show(y)\n"
    return text


# --- Tests -----------------------------------------------------------------------------------------

class Loops:
    def compare_loops(self, code, rtol, **env):
        here = self.run_program(["-c", code])
        out, stats = self.stats_of(code, **env)
        for a, b in zip(here.stdout.splitlines(), out.splitlines()):
            self.assertTrue(agree(a, b, rtol, 10), "%s\n%s\n%s" % (code, a, b))
        self.assertEqual(len(here.stdout.splitlines()), len(out.splitlines()), code)
        return stats

    def test_loops(self):
        for kind, rtol in (("float64", 1e-10), ("float32", 1e-4), ("int64", 0)):
            self.compare_loops(calls(kind, [name for name in NAMES if kind[0] == "f" or name not in ("product", "eliminate", "escape")]), rtol)

    def test_arrays_stay(self):
        for name in THERE:
            code = calls("float64", [name], 500, 500)
            _, stats = self.stats_of(code, NACRE_DEVICE_LEAST="16384")
            if name not in ("product", "rows"):
                self.assertEqual([d for d in stats["detours"] if "loop" in d["text"]], [], name)
            self.assertGreater(stats["device_rounds"], 100, name)
            # A first loop within is the interpreter's, which reads more elements than one by one is worth.
            self.assertLess(stats["bytes_device_to_host"], 2001000 if name in ("product", "rows") else 1000, name)
            self.assertLess(stats["bytes_host_to_device"], 1000, name)
            self.assertEqual(stats["parallel_rounds"], 0, name)

    def test_little_loops_stay(self):
        _, stats = self.stats_of(calls("float64", ["stencil"], 60, 60), NACRE_DEVICE_LEAST="16384", NACRE_TIER="function")
        self.assertEqual(stats["device_rounds"], 0)
        self.assertEqual([d for d in stats["detours"] if "loop" in d["text"]], [])

    def test_names(self):
        for tier in ("auto", "function"):
            self.compare_loops(HEAD + LEFT, 1e-12, NACRE_TIER=tier)

    def test_what_only_the_host_finishes(self):
        code = HEAD + BROKEN
        here = self.run_program(["-c", code])
        there = self.run_program(["--backend", self.backend, "-c", code], NACRE_DEVICE_LEAST="1")
        self.assertTrue(agree(here.stdout, there.stdout, 1e-12), here.stdout + there.stdout)
        self.assertEqual(here.stderr, there.stderr)
        self.assertIn("IndexError", here.stdout)
        self.assertIn("RuntimeWarning", here.stderr)

    def test_detours(self):
        code = calls("float64", ["backward"], 300, 300)
        _, stats = self.stats_of(code, NACRE_DEVICE_LEAST="16384")
        self.assertEqual([d["text"] for d in stats["detours"] if "loop" in d["text"]],
                         ["a loop in machine code runs on the host: %s cannot do all of its rounds" % self.backend])
        done = self.run_program(["--backend", self.backend, "--strict", "-c", code], NACRE_DEVICE_LEAST="16384")
        self.assertIn("RuntimeError: --strict: line", done.stderr)
        self.assertIn("a loop in machine code runs on the host", done.stderr)

    def test_random_loops(self):
        for k in range(FIRST, FIRST + self.count):
            code = program(random.Random(k))
            here = self.run_program(["-c", code])
            self.assertEqual(here.returncode, 0, "seed %d\n%s\n%s" % (k, code, here.stderr))
            there = self.run_program(["--backend", self.backend, "-c", code], NACRE_DEVICE_LEAST="1",
                                     NACRE_TIER="function" if k % 2 else "auto")
            self.assertEqual(here.stderr, there.stderr, "seed %d\n%s" % (k, code))
            for a, b in zip(here.stdout.splitlines(), there.stdout.splitlines()):
                rtol = 1e-4 if "float32" in a else 1e-10
                self.assertTrue(agree(a, b, rtol, 10), "seed %d\n%s\n%s\n%s" % (k, code, a, b))
            self.assertEqual(len(here.stdout.splitlines()), len(there.stdout.splitlines()), code)
