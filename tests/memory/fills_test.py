#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Arrays of one value need no memory before it is written, or looked at as a whole: with a limit of 64 MB.

usage: fills_test.py NACRE
"""

import os
import subprocess
import sys
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
os.environ.pop("NACRE_STRESS", None)

FITS = {
    "np.ones(10**10)[:5] + np.arange(5.0)": "[1. 2. 3. 4. 5.]",
    "np.zeros((10**6, 10**6))[3, :4]": "[0. 0. 0. 0.]",
    "np.full(10**8, 3.0).sum()": "300000000.0",
    "np.full((10**5, 10**5), 7)[::1000, 3].sum()": "700",
    "np.empty(10**10).nbytes": "80000000000",
    "np.ones(10**10).reshape(10**5, 10**5)[2:4, 5:7].tolist()": "[[1.0, 1.0], [1.0, 1.0]]",
    "np.ones((10**6, 10**4)).T[5, 6:9]": "[1. 1. 1.]",
    "np.ones(10**10)[7], np.ones(10**10)": "1.0 [1. 1. 1. ... 1. 1. 1.]",
    "sum(x for x in np.ones(10**10)[:1000])": "1000.0",
}
# A write of a part, and of the whole; a look at the whole. What does not fit leaves the array as it was.
REFUSED = """
import numpy as np
a = np.full(10**8, 2.5)
for f in (lambda: a.__setitem__(3, 1), lambda: a.__setitem__(slice(5, 7), 1), lambda: a.sort(), lambda: a.tobytes()):
    try:
        f()
        print("no error")
    except MemoryError:
        print(a[3], (a[:3] + 1).tolist())
"""


def run(code):
    done = subprocess.run([NACRE, "--memory-limit", "64M", "-c", code], capture_output=True, text=True, timeout=100)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout.strip()


class Fills(unittest.TestCase):
    def test_parts(self):
        for text, wanted in FITS.items():
            with self.subTest(text):
                self.assertEqual(run("import numpy as np\nprint(%s)" % text), wanted)

    def test_refused(self):
        self.assertEqual(run(REFUSED).splitlines(), ["2.5 [3.5, 3.5, 3.5]"] * 4)


if __name__ == "__main__":
    unittest.main()
