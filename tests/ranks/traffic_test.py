#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What ranks send of their arrays, held against the least that each program allows.

usage: traffic_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
ITEM = 8  # bytes of a float64
N, STEPS = 132, 6
# All arrays are made of indices: each rank has its block from the start.
MADE = """
import numpy as np
N, STEPS = %d, %d
A = np.fromfunction(lambda i, j: i * (j + 2) / N, (N, N))
B = np.fromfunction(lambda i, j: i * (j + 3) / N, (N, N))
C = np.fromfunction(lambda i, j: (i + 1) / (j + 3), (N, N))
x = np.fromfunction(lambda i: i / N, (N,))
""" % (N, STEPS)
# A band: each row has its entries from two columns before the diagonal to two behind, and all of it is cut evenly.
M = 840
BAND = """
import scipy.sparse as sp
M = %d
indices = np.fromfunction(lambda i, j: np.minimum(np.maximum(i + 2 * j - 2, 0), M - 1), (M, 3)).astype(np.int32).ravel()
S = sp.csr_array((np.ones(3 * M), indices, 3 * np.arange(M + 1, dtype=np.int32)), shape=(M, M))
v, V = np.arange(M) / M, np.fromfunction(lambda i, j: i + j, (M, 4))
S.indices.max(); S.indptr.max()
""" % M
STENCIL = """
for t in range(STEPS):
    B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
    A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
"""


def run(text, ranks, made=MADE):
    """The figures at the end of a program, which shows nothing."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        subprocess.run([NACRE, "-n", str(ranks), "--transport", "loopback", "--split-least", "1", "--tier", "interp",
                        "--check-ranks", "--stats", stats, "-c", made + text], check=True, timeout=120)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)


def figures(text, ranks):
    """Those of each rank."""
    return run(text, ranks)["ranks"]


def whole(text, ranks):
    """How many kernels and library calls rank 0 did whole. Those that make indices are."""
    all = run(text, ranks)
    return all["kernels"] + all["library_calls"] - all["ranks"][0]["kernels_shared"]


def received(text, ranks):
    """Bytes of arrays that all ranks together received for a statement, behind what made the arrays."""
    return total(text, ranks) - total("", ranks)


def total(text, ranks):
    return sum(each["array_bytes_received"] for each in figures(text, ranks))


def shared(a, b):
    """Numbers that two ranges have in common."""
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


class Traffic(unittest.TestCase):
    RANKS = (2, 3, 4, 7)

    def test_nothing(self):
        """What each rank has of its operands is enough."""
        for text in ("D = A * B + C", "D = A[1:] * B[1:]", "D = A[:, 1:] - A[:, :-1]", "D = A.sum(axis=1)", "D = A[::2]",
                     "D = A.T * B.T", "A += B; A[3:9] = C[3:9]", "D = np.sort(A, axis=1)", "D = np.cumsum(A, axis=1)",
                     "D = np.exp(A).sum()", "D = x[:, None] * np.array([1.0, 2, 3])"):
            for ranks in self.RANKS:
                self.assertEqual(whole(text, ranks), whole("", ranks), text)
                self.assertEqual(received(text, ranks), 0, text)

    def test_halo(self):
        """Five points, rows cut: each inner edge is crossed by a row each way in each half step. A row has the element
        between the two rows' needed ones, too."""
        for ranks in self.RANKS:
            edges = 2 * STEPS * 2 * (ranks - 1)
            self.assertEqual(received(STENCIL, ranks), edges * (N - 1) * ITEM)

    GRIDS = ((2, 1), (1, 3), (2, 2), (3, 2), (2, 4))
    ON_GRID = "import nacre\nA, B = nacre.distribute(A, grid=%r), nacre.distribute(B, grid=%r)\nA[0, 0] = 1; B[0, 0] = 1\n"

    def on_grid(self, text, grid):
        """Bytes that a statement takes of arrays over a grid of ranks."""
        made, ranks = self.ON_GRID % (grid, grid), grid[0] * grid[1]
        return total(made + text, ranks) - total(made, ranks)

    def test_grid_nothing(self):
        for text in ("C = A * B + 2", "A += B; A[:, 1:] *= 2", "D = np.exp(A).sum()", "D = A.max()", "D = A[1:] - B[1:]",
                     "D = A.T * B.T", "A[0] = 0; A[:, -1] = A[:, -1] + 1"):
            for grid in self.GRIDS:
                self.assertEqual(self.on_grid(text, grid), 0, text)

    def test_grid_halo(self):
        """Each inner edge is crossed both ways in each half step, and no corner is; nine points take corners, once."""
        for p, q in self.GRIDS:
            edges = 2 * ((p - 1) + (q - 1)) * N
            self.assertEqual(self.on_grid(STENCIL, (p, q)), 2 * STEPS * edges * ITEM)
            nine = "D = A[1:-1, 1:-1] + %s" % " + ".join("A[%s, %s]" % (i, j) for i in ("2:", ":-2") for j in ("2:", ":-2"))
            self.assertEqual(self.on_grid(nine, (p, q)), (edges + 4 * (p - 1) * (q - 1)) * ITEM)

    def test_grid_fresh_halo(self):
        """A halo is sent once, however often it is read."""
        text = "D = A[1:] + A[:-1]\n"
        for p, q in self.GRIDS:
            self.assertEqual(self.on_grid(text, (p, q)), (p - 1) * N * ITEM)
            self.assertEqual(self.on_grid(text + "E = A[1:] - A[:-1]\nF = (A[1:] * A[:-1]).sum()\n", (p, q)), (p - 1) * N * ITEM)

    def test_grid_product(self):
        """SUMMA: each rank gets its rows of the left matrix, and its columns of the right one."""
        for p, q in self.GRIDS:
            self.assertEqual(self.on_grid("D = A @ B", (p, q)), (p - 1 + q - 1) * N * N * ITEM)

    def test_grid_transpose(self):
        """What lies elsewhere moves, once."""
        for p, q in self.GRIDS:
            cuts = [[(N * i // n, N * (i + 1) // n) for i in range(n)] for n in (p, q)]
            stays = sum(shared(rows, other) * shared(columns, another) for i, rows in enumerate(cuts[0])
                        for j, columns in enumerate(cuts[1])
                        for other, another in ((cuts[1][j], cuts[0][i]),))
            self.assertEqual(self.on_grid("D = A + B.T", (p, q)), (N * N - stays) * ITEM)

    def test_ghost_zones(self):
        """Half steps of arrays that are large enough share exchanges, of less than twice the bytes of one each."""
        rows, steps = 600, 12
        made = MADE.replace("N, STEPS = %d, %d" % (N, STEPS), "N, STEPS = %d, %d" % (rows, steps))
        for ranks in (2, 3, 4):
            before, after = (run(text, ranks, made)["ranks"] for text in ("", STENCIL))
            for rank, (one, two) in enumerate(zip(before, after)):
                sides = 2 if 0 < rank < ranks - 1 else 1
                self.assertLessEqual(two["exchanges"] - one["exchanges"], 2 * steps // 4)
                self.assertLess(two["array_bytes_received"] - one["array_bytes_received"], sides * 2 * 2 * steps * rows * ITEM)
                self.assertGreater(two["array_bytes_received"] - one["array_bytes_received"], sides * 2 * steps * (rows - 2) * ITEM)

    def test_fresh_halo(self):
        """A halo is sent once, however often it is read."""
        text = "D = A[1:] + A[:-1]\n"
        for ranks in self.RANKS:
            self.assertEqual(received(text, ranks), (ranks - 1) * N * ITEM)
            self.assertEqual(received(text + "E = A[1:] - A[:-1]\nF = (A[1:] * A[:-1]).sum()\n", ranks), (ranks - 1) * N * ITEM)

    def test_shift(self):
        for ranks in self.RANKS:
            self.assertEqual(received("D = np.empty(N); D[:] = 1\nD[:-3] = x[3:]", ranks), (ranks - 1) * 3 * ITEM)

    def test_vector_of_product(self):
        """By rows: the vector is needed whole. Transposed: parts of the result go to who combines them."""
        for ranks in self.RANKS:
            self.assertEqual(received("y = A @ x", ranks), (ranks - 1) * N * ITEM)
            self.assertEqual(received("y = A @ x\nz = y @ A", ranks), 2 * (ranks - 1) * N * ITEM)

    def test_band(self):
        """Of a sparse matrix's rows each rank has the entries. At each inner edge an element of indptr comes from each side
        once: to compare neighbours, and where the last row ends; and two elements of the vector each time. By column the
        parts of the sums go to their owners."""
        for ranks in self.RANKS:
            edges, made = ranks - 1, total(BAND, ranks)
            once = edges * 2 * 4
            self.assertEqual(total(BAND + "y = S @ v", ranks) - made, edges * 2 * 2 * ITEM + once)
            self.assertEqual(total(BAND + "y = S @ v; z = S @ v; y = S @ V", ranks) - made, edges * 2 * 2 * 5 * ITEM + once)
            self.assertEqual(total(BAND + "w = v\nfor _ in range(5): w = S @ w", ranks) - made, edges * 2 * 2 * 5 * ITEM + once)
            self.assertEqual(total(BAND + "y = S.T @ v", ranks) - made, edges * M * ITEM + once)

    def test_reduction(self):
        """Parts of a large result go to who combines and keeps them, and nothing else is sent."""
        for ranks in self.RANKS:
            for text in ("D = (A * B).max(axis=0)", "D = A.sum(axis=0)"):
                self.assertEqual(received(text, ranks), (ranks - 1) * N * ITEM, text)
            self.assertEqual(received("D = A.T @ B", ranks), (ranks - 1) * N * N * ITEM)

    def test_transpose(self):
        """Each rank has the elements of its rows that are in its columns; an operation along the cut dimension goes there
        and back."""
        for ranks in self.RANKS:
            cuts = [N * r // ranks for r in range(ranks + 1)]
            rows = [high - low for low, high in zip(cuts, cuts[1:])]
            least = sum(each * (N - each) for each in rows) * ITEM
            for text in ("D = np.ascontiguousarray(A.T)", "D = A + B.T", "D = np.empty((N, N)); D[:] = 0; D[...] = A.T"):
                self.assertEqual(received(text, ranks), least, text)
            for text in ("D = np.sort(A, axis=0)", "D = np.fft.fft(A.astype(complex), axis=0)"):
                item = 2 if "fft" in text else 1
                self.assertEqual(received(text, ranks), 2 * least * item, text)

    def test_product(self):
        """By rows of the left matrix: the right one is needed whole."""
        for ranks in self.RANKS:
            self.assertEqual(received("D = A @ B", ranks), (ranks - 1) * N * N * ITEM)

    def test_scan(self):
        """Parts are continued from the last elements of those before, which are gathered beside the flags."""
        for ranks in self.RANKS:
            for text in ("D = np.cumsum(x)", "D = np.cumsum(A, axis=0)", "D = np.maximum.accumulate(A, axis=0)"):
                self.assertEqual(whole(text, ranks), whole("", ranks), text)
                self.assertEqual(received(text, ranks), 0, text)

    def test_sort(self):
        """A sorted row stays where it is, but for elements at the borders; of one in disorder each element travels at most
        once, and shares are even if values do not repeat."""
        for ranks in self.RANKS:
            self.assertEqual(whole("D = np.sort(x)", ranks), whole("", ranks))
            self.assertLessEqual(received("D = np.sort(x)", ranks), ranks * N // 10 * ITEM)
            made = "y = (x * 37) % 1\n"
            self.assertLessEqual(received(made + "D = np.sort(y)", ranks) - received(made, ranks), N * ITEM)

    def test_gather(self):
        for ranks in self.RANKS:
            self.assertEqual(received("A.tobytes()", ranks), (ranks - 1) * N * N * ITEM)

    def test_element(self):
        """One element is its owner's to send, and its own broadcast; so is one that is written."""
        for ranks in self.RANKS:
            each = figures("a = float(A[5, 7])\nA[9, 9] = a\nb = float(A[9, 9])", ranks)
            self.assertEqual([e["arrays_gathered"] for e in each], [0] * ranks)

    def test_found_and_counted(self):
        """Each rank looks at its own elements; what they come to is small, and gathered."""
        for text in ("D = x.argmax()", "D = A.argmin(axis=0)", "D = A.argmax(axis=1)", "D = np.nonzero(A > 1)", "D = (A > 1).any()",
                     "D = np.bincount(np.fromfunction(lambda i: i % 5, (N,), dtype=int), minlength=5)"):
            for ranks in self.RANKS:
                self.assertEqual(received(text, ranks), 0, text)

    INDICES = "i = np.fromfunction(lambda i: %s, (N,), dtype=int)\n"

    def test_own_places(self):
        """Indices that name what a rank owns, to read and to write."""
        for text in ("D = A[i]", "A[i] = 2", "A[i] = B", "D = x[i]", "np.add.at(x, i, 1)"):
            for ranks in self.RANKS:
                self.assertEqual(received(self.INDICES % "i" + text, ranks), 0, text)

    def test_other_places(self):
        """For each row that lies elsewhere, its index goes there, and the row comes; to write, both go there."""
        for ranks in self.RANKS:
            cuts = [N * r // ranks for r in range(ranks + 1)]
            lacking = sum(not low <= N - 1 - k < high for low, high in zip(cuts, cuts[1:]) for k in range(low, high))
            for text in ("D = A[i]", "A[i] = B"):
                self.assertEqual(received(self.INDICES % "N - 1 - i" + text, ranks), lacking * (N + 1) * ITEM, text)

    def test_repeated_places(self):
        """What is read often comes once."""
        for ranks in self.RANKS:
            self.assertEqual(received(self.INDICES % "i * 0" + "D = A[i]", ranks), (ranks - 1) * (N + 1) * ITEM)

    def test_window(self):
        for ranks in self.RANKS:
            self.assertEqual(received("D = np.convolve(x, [1.0, 2, 3])", ranks), (ranks - 1) * 2 * ITEM)

    def test_drawn(self):
        for text in ("np.random.default_rng(1).random((N, N))", "np.random.default_rng(1).normal(size=(N, N))"):
            for ranks in self.RANKS:
                self.assertEqual(received("D = %s + A" % text, ranks), 0, text)

    def test_steady(self):
        """The second round of a loop and all later ones send the same."""
        few, many = (received(STENCIL.replace("STEPS", str(steps)), 3) for steps in (2, 12))
        self.assertEqual(many, 6 * few)


if __name__ == "__main__":
    unittest.main()
