#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Programs need no more memory than under CPython with NumPy: the most that a process holds, less what it
holds once NumPy is imported, is at most 1.05 times NumPy's and 16 MB.

usage: peak_test.py NACRE
"""

import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "run"))
from sanitizers import sanitizers_of  # noqa: E402

NACRE = os.path.abspath(sys.argv.pop(1))
os.environ.pop("NACRE_STRESS", None)
SHARE, MORE = 1.05, 16 << 20

PROGRAMS = {
    "a chain": """n = 4000000
a, b = np.full(n, 1.5), np.full(n, 0.5)
c = (a * b + a - b / 2) * (a + 3) - np.sqrt(b)
print(c[0], c.sum())
""",
    "a chain that is used again": """n = 3000000
x = np.full(n, 0.5)
for i in range(20):
    x = x * 0.9 + 0.1 / (1 + x)
print(x[0], x[-1])
""",
    "options by Black and Scholes": """n = 2000000
def cdf(x):
    k = 1 / (1 + 0.2316419 * abs(x))
    w = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    w = 1 - np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * w
    return np.where(x < 0, 1 - w, w)
S, X, T = np.linspace(5, 30, n), np.linspace(1, 100, n), np.linspace(0.25, 10, n)
R, V = 0.02, 0.3
d1 = (np.log(S / X) + (R + V * V / 2) * T) / (V * np.sqrt(T))
d2 = d1 - V * np.sqrt(T)
discount = X * np.exp(-R * T)
call = S * cdf(d1) - discount * cdf(d2)
put = discount * cdf(-d2) - S * cdf(-d1)
print(call.sum(), put.sum())
""",
    "Jacobi's iteration": """n = 1500
u = np.zeros((n, n))
u[0] = 1.0
new = u.copy()
delta, turns = 1.0, 0
while delta > 1e-3 and turns < 20:
    new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    delta = np.abs(new - u).max()
    u, new = new, u
    turns += 1
print(turns, delta)
""",
    "forces of N bodies": """n = 1200
p = np.linspace(0, 1, 3 * n).reshape(n, 3) ** 2
m = np.linspace(1, 2, n)
v = np.zeros((n, 3))
for i in range(3):
    d = p[None, :, :] - p[:, None, :]
    r2 = (d * d).sum(axis=2) + 0.01
    f = d * (m[None, :] / (r2 * np.sqrt(r2)))[:, :, None]
    v += f.sum(axis=1) * 0.01
    p += v * 0.01
print(p.sum(), v.sum())
""",
    "matrices": """n = 1200
a = np.linspace(0, 1, n * n).reshape(n, n)
b = (a @ a.T) / n + np.eye(n)
c = b - b.mean(axis=0)
print(c.sum().round(3), np.sort(c, axis=1)[3, 4])
""",
}


def most(command, code):
    """(most bytes that the process held, output)."""
    process = subprocess.Popen(command + ["-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "OPENBLAS_NUM_THREADS": "2"})
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    process.stdout.close()
    process.stderr.close()
    if status:
        raise AssertionError(err.decode())
    return usage.ru_maxrss * 1024, out.decode()


def need(command, code):
    start = "import numpy as np\nx = np.ones((400, 400))\nprint((x @ x)[0, 0] + np.sqrt(x).sum())\n"
    idle, _ = most(command, start)
    return [found - idle if i == 0 else found for i, found in enumerate(most(command, start + code))]


@unittest.skipIf(sanitizers_of(NACRE), "a sanitizer has memory of its own")
class Peaks(unittest.TestCase):
    def test_programs(self):
        for name, code in PROGRAMS.items():
            with self.subTest(name):
                theirs, wanted = need([sys.executable], code)
                mine, out = need([NACRE, "--threads", "2"], code)
                print("%-30s %7.1f MB, NumPy %7.1f MB" % (name, mine / 1e6, theirs / 1e6))
                for a, b in zip(out.split(), wanted.split()):
                    self.assertAlmostEqual(float(a), float(b), delta=1e-9 * max(1, abs(float(b))))
                self.assertLessEqual(mine, SHARE * theirs + MORE)


if __name__ == "__main__":
    unittest.main()
