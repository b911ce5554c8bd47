#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A few kernels beside Numba and Pythran, which bench/compare installs. Where that was never done
this test says so and is counted as skipped.

usage: peers_test.py NACRE
"""

import os
import subprocess
import sys
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = os.path.join(ROOT, "build", "peers", "bin", "python")
os.environ.pop("NACRE_STRESS", None)


class Peers(unittest.TestCase):
    def test_command(self):
        done = subprocess.run(
            [PYTHON, os.path.join(ROOT, "bench", "suites", "run.py"), "--suite", "kernels",
             "--quick", "--nacre", NACRE, "--turns", "1", "--only", "crc16,floyd_warshall",
             "--peers", "numba,pythran"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=550)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]]
                for line in done.stdout.split("\n") if line.startswith("| crc16 |")]
        self.assertTrue(rows[0][6] and rows[0][9] and rows[0][11], rows[0])
        self.assertIn(rows[0][8], ("njit", "parallel"))
        # Numba has no words for the kernel's text, but for loops that do the same.
        self.assertIn("- floyd_warshall, Numba: not compiled: ", done.stdout)
        self.assertIn("- floyd_warshall, Pythran: not compiled: ", done.stdout)
        self.assertRegex(done.stdout, r"\n\| floyd_warshall \|.*\| loops \|")


if __name__ == "__main__":
    if not os.access(PYTHON, os.X_OK):
        print("skipped: bench/compare has not installed its peers in build/peers")
        sys.exit(77)
    unittest.main()
