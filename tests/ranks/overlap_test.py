#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Exchanges during which ranks compute: which programs have them and how many, on blocks of rows, over grids and in
chains of loops that share a deep halo; and that results are those of one rank.

usage: overlap_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))

LARGE = 640  # so that loops form chains

HEAD = """
import numpy as np
import nacre
N = %d
def made(i, j): return (i * 7 + j * 5) %% 23 / 4
A = %s(np.fromfunction(made, (N, N)))
B = %s(np.fromfunction(lambda i, j: made(j, i) + 1, (N, N)))
A[0, 0]
"""
TAIL = "\nprint([float(v) for v in (A[1:-1, ::3] * B[1:-1, ::3]).ravel()[::97]])\n"

# A program behind HEAD, and on how many exchanges inner ranks compute: in rows, and over a grid.
PROGRAMS = {
    "one loop": ("B[1:-1, 1:-1] = A[2:, 1:-1] + A[:-2, 1:-1]", 1, 1),
    "both directions": ("B[1:-1, 1:-1] = A[2:, 2:] + A[:-2, :-2] - A[1:-1, :-2]", 1, 1),
    "backwards": ("B[1:] = A[:-1] * 2\nB[0, 0]\nB[:-3] = A[3:] - 1", 2, 2),
    "a halo that is there": ("B[1:] = A[:-1] * 2\nB[0, 0]\nB[1:] = A[:-1] - 1", 1, 1),
    "in place": ("A[1:-1] = A[2:] * 0.5 + A[:-2]", None, None),
    "nothing travels": ("B[:] = A * 2\nB[1] = A[1]", 0, 0),
    "a sum": ("s = float((A[1:] * A[:-1]).sum())\nB *= s", 0, 0),
    "steps": ("for t in range(12):\n"
              "    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])\n"
              "    A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])\n", None, 24),
    "steps with borders": ("for t in range(6):\n"
                           "    B[2:-2] = A[4:] + A[:-4] - A[2:-2] * B[2:-2] / 64\n"
                           "    B[0] = B[2]\n    B[-1] = B[-3]\n    B[:, 0] = B[:, 1]\n"
                           "    A[1:-1, 1:-1] = 0.25 * (B[2:, 1:-1] + B[:-2, 1:-1] - B[1:-1, 2:])\n", None, None),
}


class Overlap(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="nacre-overlap-")
        cls.addClassCleanup(cls.folder.cleanup)

    def run_program(self, text, ranks, *more):
        """What it prints, and the figures of each rank."""
        script, stats = (os.path.join(self.folder.name, name) for name in ("script.ncr", "stats.json"))
        with open(script, "w", encoding="utf-8") as file:
            file.write(text)
        command = [NACRE, "-n", str(ranks), "--transport", "loopback", "--split-least", "1K", "--stats", stats, *more, script]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        with open(stats, encoding="utf-8") as file:
            return done.stdout, json.load(file)["ranks"]

    def check(self, program, makes, ranks, wanted, size=240):
        text = HEAD % (size, makes, makes) + program + TAIL
        one, _ = self.run_program(text, 1)
        many, figures = self.run_program(text, ranks, "--check-ranks")
        self.assertEqual(many, one)
        overlapped = [each["exchanges_overlapped"] for each in figures]
        for each in figures:
            self.assertLessEqual(each["exchanges_overlapped"], each["exchanges"])
        if wanted is not None:
            self.assertEqual(overlapped, [wanted] * ranks)
        return overlapped

    def test_rows(self):
        for name, (program, wanted, _) in PROGRAMS.items():
            for ranks in 2, 3, 5:
                with self.subTest(name, ranks=ranks):
                    self.check(program, "np.array", ranks, wanted)

    def test_grids(self):
        for name, (program, _, wanted) in PROGRAMS.items():
            for ranks, grid in (4, (2, 2)), (6, (3, 2)), (3, (1, 3)):
                with self.subTest(name, grid=grid):
                    one_way = grid[0] == 1 and name in ("one loop", "backwards", "a halo that is there")
                    self.check(program, "(lambda x: nacre.distribute(x, grid=%s) if nacre.comm.size > 1 else x)" % (grid,), ranks,
                               0 if one_way else wanted)

    def test_chains(self):
        """Twenty-four half steps take few exchanges, all of which are overlapped."""
        program = PROGRAMS["steps"][0]
        for ranks in 2, 4:
            overlapped = self.check(program, "np.array", ranks, None, LARGE)
            self.assertTrue(all(2 <= count <= 12 for count in overlapped), overlapped)
        borders = self.check(PROGRAMS["steps with borders"][0], "np.array", 3, None, LARGE)
        self.assertGreater(min(borders), 0)

    def test_operands_cut_elsewhere(self):
        """A chain's operand with more rows than its results has its blocks at other rows."""
        program = ("F = np.fromfunction(made, (N + N // 5, N)) + 0.25\nfor t in range(3):\n"
                   "    B[1:-1, 1:-1] = A[:-2, 1:-1] + A[2:, 1:-1] + F[1:N - 1, 1:-1]\n"
                   "    A[1:-1, 1:-1] = B[:-2, 1:-1] * 0.25 + B[2:, 1:-1] * 0.25\n    F *= 1.5\n")
        for ranks in 2, 3:
            self.check(program, "np.array", ranks, None, LARGE)

    def test_loops_of_few_ranks(self):
        """A loop of a chain that only the first rank has a part of, between loops over whole rows."""
        program = ("for t in range(3):\n    B[1:-1] = A[:-2] * 0.5 + A[2:] * 0.25\n    B[:2, 1:-1] = A[:2, 1:-1] * 0.125\n"
                   "    A[1:-1] = B[:-2] * 0.25 + B[2:] * 0.5\n")
        for ranks in 2, 3, 4:
            overlapped = self.check(program, "np.array", ranks, None, LARGE)
            self.assertGreater(min(overlapped), 0)

    def test_lines(self):
        """What is sent while ranks compute belongs to the line that it is for."""
        program = PROGRAMS["one loop"][0]
        text = HEAD % (240, "np.array", "np.array") + program + TAIL
        _, figures = self.run_program(text, 2)
        line = next(at for at, each in enumerate(text.split("\n"), 1) if each == program)
        for rank in figures:
            found = [each for each in rank["lines"] if each["line"] == line]
            self.assertEqual([each["array_bytes_received"] for each in found], [239 * 8])
            self.assertEqual([(each["messages_sent"], each["messages_received"], each["message_bytes_received"]) for each in found],
                             [(2, 2, 239 * 8 + 64)])  # with the flags

    def test_thin_parts(self):
        """Parts without inner rows."""
        for ranks in 40, 64:
            self.check(PROGRAMS["steps"][0], "np.array", ranks, None)
            self.check(PROGRAMS["one loop"][0].replace("2:, ", "14:, ").replace(":-2, ", ":-14, ").replace("1:-1, 1:-1] =", "7:-7, 1:-1] ="),
                       "np.array", ranks, 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
