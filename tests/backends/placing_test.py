#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Where work is done and arrays are: by name (nacre.device, nacre.to), by size (--device-least), one by one
(--no-fuse), and single elements of arrays that stay on a device.

    placing_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ.pop("NACRE_STRESS", None)  # kernels and copies are counted
NACRE = os.path.abspath(sys.argv[1])


def run(code, *options, status=0):
    """Output and figures of a program."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "stats.json")
        done = subprocess.run([NACRE, "--stats", file, *options, "-c", code], capture_output=True, text=True, timeout=120)
        if done.returncode != status:
            raise AssertionError(done.stdout + done.stderr)
        with open(file, encoding="utf-8") as stream:
            return done.stdout, json.load(stream)


BY_NAME = """
import numpy as np, nacre
x = np.arange(100000.0)
y = nacre.to(x, 'mirror')
print(nacre.device_of(x), nacre.device_of(y), nacre.device_of(y * 2), nacre.device_of(x + 1), nacre.device_of(x + y))
with nacre.device('mirror'):
    z = np.sin(x) * 2
    print(nacre.device_of(z), end=' ')
    try:
        with nacre.device('cpu'):
            w = x + 2
            print(nacre.device_of(w), end=' ')
            raise KeyError
    except KeyError:
        pass
    print(nacre.device_of(x * 5))
v = x * 3
print(nacre.device_of(v), (y + x)[-1], float((z[:3] ** 2).sum()), w[-1], v[1])
back = nacre.to(y, 'cpu')
print(nacre.device_of(back), back is y, nacre.to(y, 'mirror:0') is y, nacre.device_of(nacre.to(y, nacre.device('mirror'))))
y[1:3] = 7
print(x[:4], y[:4], back[:4], nacre.device('mirror'))
"""

# A device that is opened in a block for the host changes nothing behind it.
NESTED = """
import numpy as np, nacre
x = np.arange(100000.0)
with nacre.device('cpu'):
    y = nacre.to(x, 'mirror')
    print(nacre.device_of(y), nacre.device_of(x * 2), end=' ')
print(nacre.device_of(x + 1), nacre.device_of(y + 1))
"""

BAD = """
import numpy as np, nacre
x = np.arange(10.0)
for where in ('nothing', 'mirror:1', 'cpu:1', 'x' * 100, 3, None):
    try:
        nacre.to(x, where)
    except Exception as e:
        print(type(e).__name__, e)
nacre.to(x, 'mirror')
for where in ('cuda', ''):
    try:
        with nacre.device(where):
            print('never')
    except Exception as e:
        print(type(e).__name__, e)
"""

PICKED = """
import numpy as np
x = np.ones(1000000) * 2
total = 0.0
for i in range(5):
    total += float(x[i * 1000])
x[5] = 7.0
x[6] += 1
x[-1] = x[5]
print(total, x[4:8], x[-1])
"""

MANY = """
import numpy as np
x = np.ones(100000) * 2
total = 0.0
indexes = list(range(0, 100000, 10))
for i in indexes:
    if i % 3 == 0:
        total += float(x[i])
    else:
        x[i] = total
print(total, float(x.sum()))
"""

PRINTED = """
import numpy as np
x = np.arange(1000000.0) * 2
print(x, repr(x.astype(np.int32)), x.reshape(1000, 1000) + 1j, x.reshape(10, 50, 2000)[::-1], x.reshape(2, 1, -1)[:, :, :300000:3] > 5)
print(np.array2string(x, separator=';', edgeitems=2), x.reshape(2, 10, 10, 10, 500))
"""

TABLE = """
import numpy as np
from IPython.core._arrays import html
x = np.arange(1000000.0) * 2
print(html(x))
print(html(x.reshape(1000, 1000)))
"""

STEPS = """
import numpy as np
x = np.ones((300, 300)) * 0.5
for i in range(10):
    x = x * 2 + x - 1
    x[1:-1] = (x[2:] + x[:-2]) / 2
print(float(x.sum()))
"""

# Rows of an array that was made on the device, each too short for it.
ROWS = """
import numpy as np
a = np.ones((500, 500)) * 2 + 1
b = a * 3
for k in range(4):
    for i in range(500):
        a[i] = a[%s] * 0.5 + b[i]
print(float(a.sum()), float((a * 2).sum()))
"""
FACTOR = """
import numpy as np
n = 400
a = np.arange(n * n).reshape(n, n) % 13 / 13.0
a = a @ a.T + np.eye(n) * n
for i in range(n):
    for j in range(i):
        a[i, j] -= np.dot(a[i, :j], a[j, :j])
        a[i, j] /= a[j, j]
    a[i, i] -= np.dot(a[i, :i], a[i, :i])
    a[i, i] = np.sqrt(a[i, i])
print(round(float(np.abs(a).sum()), 6))
"""
STAYS = """
import numpy as np, nacre
a = nacre.to(np.ones((300, 300)), 'mirror')
for i in range(2000):
    a[i % 300] *= 1.001
print(nacre.device_of(a), round(float(a.sum()), 6))
"""
LOOKED_UP = """
import numpy as np
x, places = np.arange(200000.0), np.arange(100000) * 2
total = 0.0
for i in range(5000):
    total += x[places[i:i + 3]].sum()
print(total)
"""

UNTOUCHED = """
import numpy as np
a, b, c, d = np.zeros(20000), np.empty(20000), np.empty((100, 300)), np.zeros(20000)
b[:] = np.arange(20000)
c[10:20] = 5
a[::2] += b[::2]
e, f = np.zeros(30000), np.zeros(1000)
e[7] = 3            # written by the host
f.flat[5] = 2.0      # the same
print(float(a.sum()), float(c[10:20].sum()), float((d + 1).sum()), d[:3], float((e * 2).sum()), float((f * 2).sum()))
g = np.zeros(20000)
h = g + 1
print(g[5], float(g.sum()), float(h.sum()))
g[5] = 9
print(float(g.sum()), float((g + h).sum()))
"""


class Placing(unittest.TestCase):
    def test_by_name(self):
        out, stats = run(BY_NAME)
        self.assertEqual(out, "cpu mirror mirror cpu mirror\nmirror cpu mirror\ncpu 199998.0 6.139580914821509 100001.0 3.0\n"
                         "cpu False False mirror\n[0. 1. 2. 3.] [0. 7. 7. 3.] [0. 1. 2. 3.] nacre.device('mirror')\n")
        self.assertEqual(stats["fallbacks"], 0)

    def test_the_same_under_a_device(self):
        out, _ = run(BY_NAME, "--backend", "mirror")
        here, _ = run(BY_NAME)
        places = out.splitlines()
        self.assertEqual(places[0], "mirror mirror mirror mirror mirror") # all is there anyway
        self.assertEqual(places[4:], here.splitlines()[4:])

    def test_nested(self):
        self.assertEqual(run(NESTED)[0], "mirror cpu cpu mirror\n")

    def test_bad_names(self):
        out, _ = run(BAD)
        self.assertEqual(out, "ValueError there is no device 'nothing'\nValueError there is no device 'mirror:1'\n"
                         "ValueError there is no device 'cpu:1'\nValueError there is no device '%s'\n"
                         "TypeError a device is named by a str, not 'int'\n"
                         "TypeError a device is named by a str, not 'NoneType'\n"
                         "ValueError the device of this program is 'mirror', not 'cuda'\n"
                         "ValueError the device of this program is 'mirror', not ''\n" % ("x" * 100))

    def test_elements(self):
        """What is read and written one by one moves by itself."""
        expected, _ = run(PICKED)
        out, stats = run(PICKED, "--backend", "mirror")
        self.assertEqual(out, expected)
        self.assertLess(stats["bytes_device_to_host"], 1000)
        self.assertEqual(stats["bytes_host_to_device"], 0)

    def test_many_elements(self):
        """After some of them the array itself is brought."""
        expected, _ = run(MANY, "--tier", "interp")
        out, stats = run(MANY, "--backend", "mirror", "--tier", "interp")
        self.assertEqual(out, expected)
        self.assertLess(stats["copies_device_to_host"], 20)
        self.assertLess(stats["kernels"], 20)

    def test_printed(self):
        """Of large arrays what is shown is brought."""
        for code, most in ((PRINTED, 25000), (TABLE, 40000)):
            expected, _ = run(code)
            out, stats = run(code, "--backend", "mirror")
            self.assertEqual(out, expected)
            self.assertLess(stats["bytes_device_to_host"], most)

    def test_little_work(self):
        """Loops of fewer elements stay on the host, and so do their arrays."""
        expected, _ = run(STEPS)
        for least, there in (("1", True), ("80000", True), ("100000", False)):
            out, stats = run(STEPS, "--backend", "mirror", "--device-least", least)
            self.assertEqual(out, expected)
            self.assertEqual(stats["copies_device_to_host"] > 0, there, least)
            self.assertEqual(stats["fallbacks"], 0)

    def test_comes_home(self):
        """What only little kernels use is brought once, when they have cost as much."""
        rows = ROWS % "i - 1"
        expected, _ = run(rows)
        for tier in ("interp", "auto"):
            out, stats = run(rows, "--backend", "mirror", "--device-least", "16384", "--tier", tier)
            self.assertEqual(out, expected)
            self.assertGreaterEqual(stats["bytes_device_to_host"], 2 * 500 * 500 * 8)
            self.assertLess(stats["bytes_device_to_host"], 2 * 500 * 500 * 8 + 5000)
            self.assertLessEqual(stats["copies_host_to_device"], 2) # for the sums at the end

    def test_batches_stay(self):
        """Rounds that are run together are no little kernels."""
        expected, _ = run(ROWS % "i")
        out, stats = run(ROWS % "i", "--backend", "mirror", "--device-least", "16384")
        self.assertEqual(out, expected)
        self.assertLess(stats["bytes_device_to_host"], 100)
        self.assertLess(stats["kernels"], 20)

    def test_home_in_machine_code(self):
        expected, _ = run(FACTOR)
        out, stats = run(FACTOR, "--backend", "mirror", "--device-least", "16384", "--tier", "function")
        self.assertEqual(out, expected)
        self.assertLess(stats["kernels"] + stats["library_calls"], 5000) # of 80,000 products
        self.assertGreater(stats["loops_entered"], 0)

    def test_stays_by_hand(self):
        out, stats = run(STAYS)
        self.assertEqual(out, run(STAYS.replace("'mirror'", "'cpu'"))[0].replace("cpu", "mirror"))
        self.assertLess(stats["bytes_device_to_host"], 1000)

    def test_lookups_are_little(self):
        """However large the array is that is looked into."""
        expected, _ = run(LOOKED_UP)
        out, stats = run(LOOKED_UP, "--backend", "mirror", "--device-least", "16384")
        self.assertEqual(out, expected)
        self.assertLess(stats["copies_device_to_host"], 300)

    def test_untouched(self):
        """Arrays that nobody has written are not copied, and hold zeros where zeros were asked for."""
        expected, _ = run(UNTOUCHED)
        out, stats = run(UNTOUCHED, "--backend", "mirror")
        self.assertEqual(out, expected)
        self.assertEqual(stats["bytes_host_to_device"], 8 * 30000 + 8 * 1000 + 8 * 20000) # e, f, and g once the host has written it

    def test_unfused(self):
        for backend in ("cpu", "mirror"):
            out, fused = run(STEPS, "--backend", backend)
            same, apart = run(STEPS, "--backend", backend, "--no-fuse")
            self.assertEqual(out, same)
            done = {name: count for name, count in apart["operations"].items() if count}
            self.assertEqual(done, {"add": 20, "subtract": 10, "multiply": 11, "divide": 10, "cast": done["cast"],
                                    "add.reduce": 1})
            self.assertEqual(apart["kernels"], sum(done.values()))
            self.assertLess(fused["kernels"], apart["kernels"] / 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
