#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Copy on write of arrays on a device (vm/sched/lazy_copy.h), on `mirror`: random programs that copy arrays and write
parts of them print what the processor prints, and kernels are counted.

    lazy_copy_test.py NACRE [SEED COUNT]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 40
TRIALS = ((), ("--depth", "1"), ("--tier", "function"))
os.environ.pop("NACRE_STRESS", None)  # kernels are counted; random programs are run under stress, too


def run(code, *options, **env):
    """Output and figures of a program."""
    with tempfile.TemporaryDirectory() as folder:
        stats, script = os.path.join(folder, "stats.json"), os.path.join(folder, "script.ncr")
        with open(script, "w", encoding="utf-8") as file:
            file.write(code)
        done = subprocess.run([NACRE, "--stats", stats, *options, script], capture_output=True, text=True, timeout=120,
                              env={**os.environ, **env})
        if done.returncode:
            raise AssertionError(code + done.stdout + done.stderr)
        with open(stats, encoding="utf-8") as stream:
            return done.stdout, json.load(stream)


def kernels(code, *options):
    """How many kernels a program launches on the device."""
    output, stats = run("import numpy as np\n" + code, "--backend", "mirror", *options)
    return stats["kernels"], output


# --- Random programs -----------------------------------------------------------------------------

class Program:
    """A program over arrays a0, a1 … of a few shapes and types, and copies of them."""

    HEAD = """import numpy as np
import nacre


def show(*arrays):
    for a in arrays:
        print(a.dtype, a.ravel().tolist())

"""

    def __init__(self, draw):
        self.draw, self.names, self.made = draw, [], 0
        self.lines = []
        self.shape = draw.choice([(12,), (7, 9), (6, 8), (4, 5, 6), (3, 4, 2, 5), (1, 9), (9, 1)])
        for _ in range(2):
            self.new("np.arange(%d).reshape(%r).astype(%r) + %d" % (
                self.size(), self.shape, draw.choice(["f8", "i8", "f4", "i2", "u1", "c16"]), draw.randrange(5)))

    def size(self):
        size = 1
        for n in self.shape:
            size *= n
        return size

    def new(self, expression):
        if self.names and self.draw.random() < 0.4:
            name = self.draw.choice(self.names)
        else:
            name = "a%d" % self.made
            self.made += 1
            self.names.append(name)
        self.lines.append("%s = %s" % (name, expression))

    def slices(self):
        """A part of an array, often all but its edges."""
        parts = []
        for n in self.shape:
            kind = self.draw.randrange(7)
            low, high = sorted((self.draw.randrange(n + 1), self.draw.randrange(n + 1)))
            parts.append([":", "1:-1", "1:-1" if n > 2 else ":", "%d:%d" % (low, high), "::%d" % self.draw.randrange(1, 4),
                          "::-1", str(self.draw.randrange(n))][kind])
        return "[%s]" % ", ".join(parts)

    def step(self):
        draw, a = self.draw, self.draw.choice(self.names)
        b, part = draw.choice(self.names), self.slices()
        kind = draw.randrange(16)
        if kind < 4:
            self.new(draw.choice(["%s.copy()", "np.array(%s)", "+%s", "%s.T.copy().T", "%s.ravel().copy().reshape(%s.shape)"]).replace("%s", a))
        elif kind < 7:
            self.lines.append("%s%s = %d" % (a, part, draw.randrange(9)))
        elif kind < 9:
            self.lines.append("%s%s = (%s%s + 1).real" % (a, part, b, part))
        elif kind == 9:
            self.lines.append("%s%s += %d" % (a, part, draw.randrange(4)))
        elif kind == 10:
            self.lines.append("%s *= 2" % a)
        elif kind == 11 and len(self.names) > 1:
            self.names.remove(a)
            self.lines.append("del %s" % a)
        elif kind == 12:
            self.lines.append("%s = nacre.to(%s, %r)" % (a, a, draw.choice(["cpu", "mirror"])))
        elif kind == 13:
            self.lines.append("print(%s.ravel()[%d])" % (a, draw.randrange(self.size())))
        elif kind == 14:
            self.lines.append("%s.ravel()[::3] = 5" % a if draw.random() < 0.5 else "%s.sort()" % a)
        else:
            self.lines.append("print(%s.sum(), %s.max(axis=0).tolist())" % (a, b))

    def text(self):
        for _ in range(self.draw.randrange(6, 40)):
            self.step()
        body = "\n".join(self.lines + ["show(%s)" % ", ".join(self.names)])
        return self.HEAD + body + "\n"


# --- Tests -----------------------------------------------------------------------------------------

# Sweeps over the inside of a matrix: the copy is its four edges, in two kernels.
SWEEPS = """
n = %d
p = np.ones((n, n)) * 2
p += 1
for k in range(10):
    pn = p.copy()
    p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, :-2]) * 0.5
print(float(p.sum() + pn.sum()))
"""
NEVER = """
x = np.ones(%d) * 2
x += 1
for k in range(10):
    y = x.copy()
print(float(y.sum()))
"""
READ = NEVER.replace("y = x.copy()", "y = x.copy()\n    print(y[k])")
WHOLE = NEVER.replace("y = x.copy()", "y = x.copy()\n    x *= 1.5")
LARGE, SMALL = 2100, 100


# A copy that is on the host, too, so that it leaves the device when the other one needs memory of its own.
SHORT = """import numpy as np
n = 100000
x = np.arange(n) * 1.0
x += 1
print(x[5])
old = x.copy()
print(len(old.tolist()))
ballast = bytearray(%d)
x *= 2
print(x[5], old[5])
y = old.copy()
y[1:-1] = x[2:] + old[:-2]
print(x[n - 1], old[n - 1], y[0], y[7], y[n - 1], old.sum())
"""


class LazyCopies(unittest.TestCase):
    def test_random_programs(self):
        for seed in range(SEED, SEED + COUNT):
            code = Program(random.Random(seed)).text()
            for trial in TRIALS:
                with self.subTest(seed=seed, trial=trial):
                    expected = run(code, *trial)[0]
                    self.assertEqual(run(code, "--backend", "mirror", "--device-least", "1", *trial)[0], expected, code)
            if seed % 4 == 0:
                self.assertEqual(run(code, "--backend", "mirror", NACRE_STRESS="1")[0], run(code)[0], code)

    def test_edges(self):
        count, output = kernels(SWEEPS % LARGE)
        # One makes both arrays at first, two add up at the end. Of the copies the first is made by that kernel.
        self.assertEqual(count, 3 + 10 + 2 * 9)
        self.assertEqual(output, run("import numpy as np\n" + SWEEPS % LARGE)[0])
        self.assertLess(kernels(SWEEPS % SMALL, "--device-least", "1000000")[0], 3 + 10 + 10 + 1)

    def test_copies_that_nothing_writes(self):
        self.assertEqual(kernels(NEVER % (LARGE * LARGE))[0], kernels(NEVER.replace("x.copy()", "x") % (LARGE * LARGE))[0])

    def test_whole_arrays(self):
        lazy, output = kernels(WHOLE % (LARGE * LARGE), "--depth", "1")
        none, _ = kernels(WHOLE.replace("x.copy()", "x") % (LARGE * LARGE), "--depth", "1")
        self.assertEqual(lazy, none)
        self.assertEqual(output, run("import numpy as np\n" + WHOLE % (LARGE * LARGE))[0])

    # Little memory is a MemoryError or no matter, wherever it runs out.
    def test_little_memory(self):
        expected = run(SHORT % 1)[0]
        ended = 0
        for ballast in range(8000000, 28000000, 700000):
            with tempfile.NamedTemporaryFile("w", suffix=".ncr") as script:
                script.write(SHORT % ballast)
                script.flush()
                done = subprocess.run([NACRE, "--backend", "mirror", "--device-least", "1", "--memory-limit", "40M", script.name],
                                      capture_output=True, text=True, timeout=120)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode:
                self.assertIn("MemoryError", done.stderr)
                self.assertTrue(expected.startswith(done.stdout), done.stdout)
            else:
                self.assertEqual(done.stdout, expected)
                ended += 1
        self.assertGreater(ended, 0)

    def test_no_fuse(self):
        lazy, _ = kernels(READ % (LARGE * LARGE))
        self.assertGreaterEqual(kernels(READ % (LARGE * LARGE), "--no-fuse", "--depth", "1")[0], lazy + 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
