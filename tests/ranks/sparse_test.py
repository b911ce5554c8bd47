#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Structural work on sparse matrices that ranks share: random programs have the results of one rank, bit for bit, and those of
SciPy; what is sent is held against the least; and no array is gathered.

usage: sparse_test.py NACRE
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
PROGRAMS = int(os.environ.get("NACRE_SPARSE_PROGRAMS", "10"))


def run(text, ranks, least="1", stats=None):
    args = [NACRE, "-n", str(ranks), "--transport", "loopback", "--split-least", least, "--check-ranks"]
    done = subprocess.run(args + (["--stats", stats] if stats else []) + ["-c", text], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, "%s\n--- %d ranks\n%s%s" % (text, ranks, done.stdout, done.stderr)
    return done.stdout


# --- Results -----------------------------------------------------------------------------------------

# `show` prints a hash of the arrays as they are, `same` one that does not depend on the order of entries. Elements are such that
# sums are exact in any order, but for those of the array `rough`.
HEAD = """
import hashlib, warnings
import numpy as np
import scipy.sparse as sp
warnings.simplefilter("ignore")

def text(*arrays):
    found = hashlib.sha256()
    for a in arrays:
        a = np.ascontiguousarray(a)
        found.update(repr((a.dtype.kind, a.shape)).encode() + (a.astype(np.int64) if a.dtype.kind in "iu" else a).tobytes())
    return found.hexdigest()[:12]

def show(name, a):
    if not sp.issparse(a):
        print(name, np.shape(a), text(np.asarray(a)))
        return
    print(name, a.format, a.shape, a.dtype, end=" ")
    if ORACLE:
        a = a.tocsr(copy=True) if a.ndim == 2 else a.tocoo(copy=True)
        a.sum_duplicates()
        a.eliminate_zeros()
    print(text(*([a.indptr, a.indices, a.data] if hasattr(a, "indptr") else [*a.tocoo().coords, a.tocoo().data])))

def attempt(name, work):
    try:
        show(name, work())
    except (ValueError, IndexError, TypeError, NotImplementedError) as e:
        print(name, type(e).__name__)
"""


class Program:
    """Random matrices, and operations on them."""

    def __init__(self, seed):
        self.rng, self.lines = random.Random("sparse/%s" % seed), []
        self.extents = [self.rng.choice((1, 2, 3, 4, 7, 20, 61, 130)) for _ in range(3)]
        self.lines.append("rng = np.random.default_rng(%d)" % self.rng.randrange(1000))
        n, k, m = self.extents
        for name, shape in (("A", (n, k)), ("D", (n, k)), ("B", (k, m)), ("Q", (n, n))):
            self.matrix(name, shape)

    def matrix(self, name, shape):
        n, k = shape
        count = self.rng.choice((0, 1, n, 3 * n, n * k // 2, 2 * n * k if n * k < 400 else 5 * n))
        rows = self.rng.choice(("rng.integers(0, %d, %d)" % (n, count), "rng.integers(0, %d, %d)" % ((n + 2) // 3, count),
                                "np.sort(rng.integers(0, %d, %d))" % (n, count)))
        dtype = self.rng.choice(("float", "float", "np.float32", "np.int64", "complex", "bool"))
        index = self.rng.choice(("np.int64", "np.int32"))
        self.lines.append("r, c = (%s).astype(%s), rng.integers(0, %d, %d).astype(%s)" % (rows, index, k, count, index))
        self.lines.append("v = (rng.integers(-3, 4, %d) / %s).astype(%s)" % (count, "1" if "int" in dtype else "4", dtype))
        if self.rng.random() < 0.3:  # lines that are not sorted, places that are there twice
            self.lines.append("ends = np.sort(np.concatenate(([0, %d], rng.integers(0, %d, %d)))).astype(%s)" % (
                count, count + 1, n - 1, index))
            self.lines.append("%s = sp.csr_array((v, c, ends), shape=%s)" % (name, shape))
        else:
            self.lines.append("%s = sp.csr_array((v, (r, c)), shape=%s)" % (name, shape))
            self.lines.append("%sc = sp.coo_array((v, (r, c)), shape=%s)" % (name, shape))
            self.lines.append("show('%s by columns', %sc.tocsc())" % (name, name))

    def operations(self):
        n, k, m = self.extents
        low, high, step = self.rng.randint(0, n), self.rng.randint(0, n), self.rng.choice((1, 1, 2, -1, -3))
        yield from ("A", "A @ B", "Q @ Q", "A.tocsc() @ B.tocsc()", "A.T @ A", "B.T @ A.T", "A + D", "A - D", "A.multiply(D)",
                    "A.maximum(D)", "A < D", "A != D", "A > D", "A.tocsc()", "A.T.tocsr()", "A.tocoo()", "A.tocsc().tocsr()",
                    "A.toarray()", "sp.csr_array(A.toarray())", "A.tocsc().toarray()", "A.sum(axis=0)", "A.sum(axis=1)",
                    "A.max(axis=0)", "A.min(axis=1)", "A.argmax(axis=1)", "A.count_nonzero(axis=0)", "A.diagonal()",
                    "Q.diagonal(%d)" % self.rng.randint(-3, 3), "A[%d:%d:%d]" % (low, high, step), "A[::-1, ::2]",
                    "A[rng.integers(0, %d, %d)]" % (n, 2 * n), "A[:, rng.integers(0, %d, 4)]" % k, "A[%d]" % (n // 2),
                    "A[rng.integers(0, %d, 9), rng.integers(0, %d, 9)]" % (n, k), "A[%d, %d]" % (n - 1, k - 1),
                    "A[np.arange(%d) %% 2 == 0]" % n, "sp.kron(A[:3], B[:4], format='csr')", "sp.vstack([A, D]).tocsr()",
                    "sp.hstack([A, D]).tocsr()", "sp.eye_array(%d, %d, k=1, format='csr')" % (n, k), "sp.tril(A).tocsr()",
                    "sp.diags_array([1.0, 2.0], offsets=[0, -1], shape=(%d, %d)).tocsr()" % (n + 1, n),
                    "sp.diags_array([np.arange(%d.)], offsets=[1], shape=(%d, %d)).tocsc()" % (n, n + 1, n + 1),
                    "A.reshape((%d, %d)).tocsr()" % (k, n), "sp.kron(A, np.ones((2, 2))).tocsr()", "A[:, %d]" % (k - 1),
                    "sp.random_array((%d, %d), density=0.2, rng=4).tocsr() != 0" % (n, k), "A @ (B @ B.T)", "A.nnz")
        yield from ("changed(A, lambda X: X.eliminate_zeros())", "changed(A, lambda X: X.sum_duplicates())",
                    "changed(A, lambda X: X.sort_indices())", "changed(Q, lambda X: X.setdiag(3))",
                    "changed(A, lambda X: X.__setitem__((slice(None), 0), 2))",
                    "changed(A, lambda X: X.__setitem__((np.arange(%d) // 2, 0), np.arange(%d)))" % (n, n))

    def text(self, oracle):
        lines = [HEAD, "ORACLE = %s" % oracle, "def changed(X, change):\n    X = X.copy()\n    change(X)\n    return X\n"]
        lines += self.lines
        for k, operation in enumerate(self.operations()):
            lines.append("attempt(%r, lambda: %s)" % ("%d %s" % (k, operation), operation))
        lines.append("A.data = A.data * np.float32(0.3) + 0.1")
        if not oracle:  # sums that show their order
            for operation in ("A @ B", "A @ A.T", "A + A.copy()", "sp.csr_array((A.data, (A.indices, A.indices)))"):
                lines.append("attempt('rough %s', lambda: %s)" % (operation, operation))
        return "\n".join(lines) + "\n"


class Results(unittest.TestCase):
    def test_programs(self):
        for seed in range(PROGRAMS):
            text = Program(seed).text(False)
            alone = run(text, 1)
            self.assertGreater(len(alone.splitlines()), 50)
            for ranks, least in ((2, "1"), (3, "1"), (5, "1"), (3, "200"), (2, "2000")):  # from which arrays on are cut
                self.compare(alone, run(text, ranks, least), "seed %d, %d ranks, %s bytes" % (seed, ranks, least))

    def test_scipy(self):
        for seed in range(PROGRAMS):
            text = Program(seed).text(True)
            done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.compare(done.stdout, run(text, 3), "seed %d, SciPy" % seed)

    def compare(self, wanted, got, where):
        for one, other in zip(wanted.splitlines(), got.splitlines()):
            self.assertEqual(one, other, where)
        self.assertEqual(len(wanted.splitlines()), len(got.splitlines()), where)

    def test_threshold(self):
        """Small matrices are whole."""
        text = "import numpy as np, scipy.sparse as sp, nacre\nA = sp.csr_array(np.ones((40, 40)))\n" \
               "print([nacre.split_of(x) for B in (A @ A, A + A, A.tocsc()) for x in (B.indptr, B.indices, B.data)])\n"
        self.assertEqual(run(text, 3, "1M"), "[%s]\n" % ", ".join(["None"] * 9))
        self.assertEqual(run(text, 3, "8000"), "[%s]\n" % ", ".join(["None", "None", "0"] * 3))

    def test_errors(self):
        """What is wrong on one rank is an error on all, which goes on."""
        text = """
import numpy as np, scipy.sparse as sp
ends = np.arange(41)
for work in (lambda: sp.csr_array((np.ones(40), np.full(40, 9), ends), shape=(40, 5)).tocsc(),
             lambda: sp.csr_array((np.ones(40), np.where(ends[1:] == 40, 9, 2), ends), shape=(40, 5)) + sp.csr_array((40, 5)),
             lambda: sp.csr_array((np.ones(40), np.full(40, 2), np.where(ends == 30, 3, ends)), shape=(40, 5)) @ sp.eye_array(5).tocsr(),
             lambda: sp.csr_array((np.ones(40), np.where(ends[1:] == 20, -1, 2), ends), shape=(40, 5)) @ sp.eye_array(5).tocsr(),
             lambda: sp.csr_array((np.ones(3), (np.array([0, 1, 5]), np.array([0, 1, 1]))), shape=(2, 2))):
    try:
        print(work().shape)
    except (ValueError, IndexError) as e:
        print(type(e).__name__, e)
print(sp.csr_array(np.eye(4)).sum())
"""
        alone = run(text, 1)
        self.assertEqual(alone.count("Error"), 5, alone)
        for ranks in (2, 3, 5):
            self.assertEqual(run(text, ranks), alone)


# --- What is sent ------------------------------------------------------------------------------------

# Three entries in each row; rows and entries are cut alike.
M = 840
MADE = """
import numpy as np
import scipy.sparse as sp
M = %d
k = np.fromfunction(lambda i: i, (3 * M,)).astype(np.int32)
def matrix(columns, entries):
    A = sp.csr_array((entries, columns, 3 * np.fromfunction(lambda i: i, (M + 1,)).astype(np.int32)), shape=(M, M))
    A.sum_duplicates()
    return A
BAND = matrix(np.clip(k // 3 + k %% 3 - 1, 0, M - 1), k / 7.0)
FAR = matrix((k * 37) %% M, k / 3.0)
rows, columns, entries = k // 3, (k * 37) %% M, k / 3.0
x = np.fromfunction(lambda i: i, (M,))
BAND.data.sum(); FAR.data.sum()
""" % M
SHARED = """
BAND @ BAND
FAR @ FAR
BAND @ FAR
BAND.T @ BAND
BAND.tocsc() @ FAR.tocsc()
BAND + FAR
BAND - FAR
BAND.multiply(FAR)
BAND < FAR
BAND != FAR
BAND.maximum(FAR)
BAND.tocsc()
BAND.tocoo()
BAND.T.tocsr()
sp.coo_array((entries, (rows, columns)), shape=(M, M)).tocsr()
sp.csr_array((entries, (columns, rows)), shape=(M, M))
sp.csr_array((entries, (columns, rows)))
BAND[100:700]
BAND[::-1]
BAND[::3, 5:50]
BAND[columns]
BAND[:, 100:300]
BAND.diagonal(1)
BAND.eliminate_zeros()
BAND.has_canonical_format
BAND.sum(axis=0)
BAND.sum(axis=1)
BAND.max(axis=0)
BAND.argmax(axis=1)
BAND.count_nonzero(axis=0)
BAND.toarray()
BAND.tocoo().toarray()
FAR[rows, columns]
sp.eye_array(M, format='csr')
sp.eye_array(M, k=1, format='csr')
sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(M, M)).tocsr()
sp.diags_array([x, x[1:]], offsets=[0, 1], shape=(M, M)).tocsr()
sp.kron(BAND, sp.eye_array(3), format='csr')
sp.kron(BAND, np.ones((2, 2))).tocsr()
sp.tril(BAND).tocsr()
sp.vstack([BAND, FAR]).tocsr()
sp.hstack([BAND, FAR]).tocsr()
""".strip().splitlines()


def figures(text, ranks, least="1"):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        run(MADE + text, ranks, least, stats)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)


class Traffic(unittest.TestCase):
    RANKS = (2, 3, 7)

    @classmethod
    def setUpClass(cls):
        cls.before = {ranks: cls.total(figures("", ranks)) for ranks in cls.RANKS}

    @staticmethod
    def total(found):
        return sum(each["array_bytes_received"] for each in found["ranks"])

    def received(self, text, ranks):
        return self.total(figures("made = " + text, ranks)) - self.before[ranks]

    def test_nothing_is_whole(self):
        for text in SHARED:
            found = figures("made = " + text, 3, "128")
            self.assertEqual(found["detours"], [], text)
            for each in found["ranks"]:
                self.assertEqual(each["kernels_gathered"], 0, text)
                self.assertLess(each["array_bytes_received"], 6 * M * 16, text)

    def test_rows_with_rows(self):
        """At each inner edge, an element of each indptr."""
        for ranks in self.RANKS:
            for text in ("BAND + FAR", "BAND - FAR", "BAND.multiply(FAR)", "BAND < FAR", "BAND.maximum(FAR)"):
                self.assertLessEqual(self.received(text, ranks), 2 * (ranks - 1) * 4, text)
            for text in ("BAND[100:700]", "BAND.diagonal()", "BAND.tocoo()", "BAND.eliminate_zeros()", "BAND.argmax(axis=1)"):
                self.assertLessEqual(self.received(text, ranks), 2 * (ranks - 1) * 4, text)

    def test_product(self):
        """Of the right matrix rows beyond the edges: of a band one on each side, and no more than all."""
        for ranks in self.RANKS:
            edges = ranks - 1
            self.assertLessEqual(self.received("BAND @ BAND", ranks), edges * (3 * 4 + 2 * (4 + 3 * 12 + 12)))
            self.assertLessEqual(self.received("FAR @ FAR", ranks), edges * (2 * 4 + (M + 1) * 4 + 3 * M * 12))

    def test_few_rows(self):
        """Far rows of which few are needed are asked for: a number, a length, and the entries."""
        text = "sp.csr_array((np.ones(M), ((x * 37) % M).astype(np.int32), np.fromfunction(lambda i: i, (M + 1,)).astype(np.int32)), shape=(M, M))"
        for ranks in self.RANKS:
            made = self.total(figures("P = " + text, ranks))
            sent = self.total(figures("P = %s\nmade = P @ FAR" % text, ranks)) - made
            self.assertLess(sent, M * (8 + 4 + 3 * 12) + ranks * (M + 1) * 4 + 100 * ranks)

    def test_entries(self):
        """Each entry goes to its row's owner, if it is another one: two indices and an element."""
        for ranks in self.RANKS:
            cuts = [3 * M * r // ranks for r in range(ranks + 1)]
            owner = lambda row: next(r for r in range(ranks) if row < M * (r + 1) // ranks)
            away = sum(owner(k * 37 % M) != r for r in range(ranks) for k in range(cuts[r], cuts[r + 1]))
            self.assertEqual(self.received("sp.coo_array((entries, (columns, rows)), shape=(M, M)).tocsr()", ranks), away * 16)
            self.assertEqual(self.received("sp.coo_array((entries, (rows, columns)), shape=(M, M)).tocsr()", ranks), 0)


if __name__ == "__main__":
    unittest.main()
