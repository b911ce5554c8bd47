#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""scipy.sparse beside SciPy: the same program by both, taken by turns. Writes bench/results/sparse.md.

    bench/compare --suite sparse                all; twenty minutes
    bench/compare --suite sparse spmv cg        names that have these in them; writes nothing
"""

import os
import subprocess
import sys
import tempfile

import measure

HEAD = """\
import sys, time
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

rng = np.random.default_rng(0)

def laplacian(n):
    T = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    I = sp.eye_array(n)
    return (sp.kron(T, I) + sp.kron(I, T)).tocsr()

def look(x):
    return x.data[:1].tolist() if sp.issparse(x) else x.ravel()[:1].tolist() if isinstance(x, np.ndarray) else x
"""
TAIL = """
look(once())
times = []
while len(times) < 3 or (sum(times) < 1 and len(times) < 200):
    start = time.perf_counter()
    look(once())
    times.append(time.perf_counter() - start)
print("took", sorted(times)[len(times) // 2])
"""
CG = """
def steps(A, b, count):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    old = r @ r
    for _ in range(count):
        q = A @ p
        alpha = old / (p @ q)
        x += alpha * p
        r -= alpha * q
        new = r @ r
        p = r + (new / old) * p
        old = new
    return x
"""
SMALL = "A = sp.csr_array(np.triu(np.ones((10, 10)), 5) + np.eye(10)); B = A.T.tocsr()"


def times(expression, many):
    return "def once():\n    for _ in range(%d):\n        x = %s\n    return x" % (many, expression)


# name, what it is, what stands before the clock starts, what is timed
CASES = [
    ("spmv-5", "A @ x, five points, 2002²", "A = laplacian(2002); x = np.ones(A.shape[0])", "def once(): return A @ x"),
    ("spmv-band", "A @ x, 11 diagonals, 2 M rows",
     "n = 2000000; A = sp.diags_array(np.ones(11), offsets=np.arange(-5, 6), shape=(n, n)).tocsr(); x = np.ones(n)",
     "def once(): return A @ x"),
    ("spmv-power", "A @ x, power law, 1 M rows, 8 M entries",
     "n = 1000000; rows = (n * rng.random(8000000) ** 4).astype(np.int32); A = sp.coo_array((np.ones(8000000), (rows, "
     "rng.integers(0, n, 8000000).astype(np.int32))), shape=(n, n)).tocsr(); x = np.ones(n)", "def once(): return A @ x"),
    ("spmm-8", "A @ X, five points, 1001², 8 columns", "A = laplacian(1001); x = np.ones((A.shape[0], 8))",
     "def once(): return A @ x"),
    ("spmm-32", "the same, 32 columns", "A = laplacian(1001); x = np.ones((A.shape[0], 32))", "def once(): return A @ x"),
    ("cg", "20 steps of conjugate gradients, 2002²", "A = laplacian(2002); b = np.sin(np.arange(A.shape[0]))" + CG,
     "def once(): return steps(A, b, 20)"),
    ("cg-solver", "cg of scipy.sparse.linalg, 1001², 50 steps", "A = laplacian(1001); b = np.sin(np.arange(A.shape[0]))",
     "def once(): return sla.cg(A, b, rtol=0, maxiter=50)[0]"),
    ("spgemm", "A @ A, 1500²", "A = laplacian(1500)", "def once(): return A @ A"),
    ("add", "A + A.T, 1500²", "A = laplacian(1500)", "def once(): return A + A.T"),
    ("transpose", "A.T.tocsr(), 1500²", "A = laplacian(1500)", "def once(): return A.T.tocsr()"),
    ("coo-csr", "COO to CSR, 10 M shuffled entries, 1 M rows",
     "n = 1000000; C = sp.coo_array((np.ones(10000000), (rng.integers(0, n, 10000000).astype(np.int32), "
     "rng.integers(0, n, 10000000).astype(np.int32))), shape=(n, n))",
     "def once():\n    made = C.tocsr()\n    made.sum_duplicates()\n    return made"),
    ("spsolve", "spsolve, 300²", "A = laplacian(300).tocsc(); b = np.ones(A.shape[0])", "def once(): return sla.spsolve(A, b)"),
    ("spsolve-flow", "spsolve, convection and diffusion, 300²",
     "A = (laplacian(300) + sp.diags_array([-0.4, 0.4], offsets=[-1, 1], shape=(90000, 90000))).tocsc(); b = np.ones(90000)",
     "def once(): return sla.spsolve(A, b)"),
    ("kept", "a solution with kept factors, 300²", "A = laplacian(300).tocsc(); b = np.ones(A.shape[0]); lu = sla.splu(A)",
     "def once(): return lu.solve(b)"),
    ("eigsh", "eigsh(k=6, sigma=0), 200²", "A = laplacian(200).tocsc()",
     "def once(): return sla.eigsh(A, k=6, sigma=0, return_eigenvectors=False)"),
    ("row", "A[3] of 10 rows, 1,000 times", SMALL, times("A[3]", 1000)),
    ("small-add", "A + B of 10 rows, 1,000 times", SMALL, times("A + B", 1000)),
    ("small-product", "A @ x of 10 rows, 1,000 times", SMALL + "; v = np.ones(10)", times("A @ v", 1000)),
]

ABOUT = """\
The same program by Nacre and by CPython with SciPy; milliseconds are the median of several calls in a process, and ratios
those of {turns} processes each, taken by turns, with their range. Above 1 Nacre is faster. Both have all cores; SciPy uses one
but where it calls a library."""


def once(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode:
        sys.exit("failed: %s\n%s" % (" ".join(command), done.stderr[-2000:]))
    return float(done.stdout.split()[-1])


def main():
    options = measure.arguments(__doc__.split("\n")[0], 5, lambda add: add("--suite"))
    rows = ["| what | SciPy, ms | Nacre, ms | times as fast |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="nacre-sparse-") as folder:
        for name, what, before, timed in CASES:
            if options.only and not any(each in name for each in options.only):
                continue
            path = os.path.join(folder, name + ".py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join([HEAD, before, timed, TAIL]))
            found = measure.interleaved([[options.nacre, path], [options.python, path]], options.pairs, once)
            ours, theirs = map(measure.median, found)
            ratio = measure.ratios(*reversed(found))
            rows.append("| %s | %.2f | %.2f | %.2f (%.2f–%.2f) |" % ((what, theirs * 1e3, ours * 1e3) + ratio))
            print(rows[-1], file=sys.stderr, flush=True)
    measure.write(options, "sparse.md", "scipy.sparse beside SciPy", ABOUT.format(turns=options.pairs), rows)


if __name__ == "__main__":
    main()
