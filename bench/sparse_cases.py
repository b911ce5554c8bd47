# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What bench/sparse.py measures: operations, as a few lines of a program, and applications, as programs of
examples/sparse. Peers are other libraries that do some of it."""

import os

from measure import ROOT

HEAD = """\
import os, sys, time
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

rng = np.random.default_rng(0)

def laplacian(n):
    T = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    I = sp.eye_array(n)
    return (sp.kron(T, I) + sp.kron(I, T)).tocsr()

def power_law(n, count):
    rows, columns = (n * rng.random(count) ** 4).astype(np.int32), rng.integers(0, n, count).astype(np.int32)
    return sp.coo_array((np.ones(count), (rows, columns)), shape=(n, n)).tocsr()

def shuffled(n, count):
    rows, columns = rng.integers(0, n, count).astype(np.int32), rng.integers(0, n, count).astype(np.int32)
    return sp.coo_array((np.ones(count), (rows, columns)), shape=(n, n))

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
PAGERANK = """
links = power_law(1000000, 8000000)
out = links @ np.ones(links.shape[0])
share = np.where(out > 0, 1.0 / np.maximum(out, 1.0), 0.0)
back = links.T.tocsr()

def once():
    n = len(out)
    rank = np.full(n, 1.0 / n)
    for _ in range(20):
        lost = rank[out == 0].sum() / n
        rank = 0.85 * (back @ (rank * share) + lost) + 0.15 / n
    return rank
"""
POWER = """
A = sp.random_array((300000, 300000), density=1e-4, format="csr", rng=rng)

def once():
    x = np.ones(A.shape[0])
    for _ in range(20):
        x = A @ x
        x /= np.linalg.norm(x)
    return x
"""
SMALL = "A = sp.csr_array(np.triu(np.ones((10, 10)), 5) + np.eye(10)); B = A.T.tocsr()"
FILES = """
from scipy.io import mmread, mmwrite
path = os.path.abspath(__file__) + ".mtx"
C = shuffled(100000, 1000000)
C.data = rng.random(1000000)
"""
FLOW = ("A = (laplacian(300) + sp.diags_array([-0.4, 0.4], offsets=[-1, 1], shape=(90000, 90000))).tocsr(); "
        "b = np.sin(np.arange(90000))")


def times(expression, many):
    return "def once():\n    for _ in range(%d):\n        x = %s\n    return x" % (many, expression)


def timed(expression):
    return "def once(): return " + expression


# name, what it is, what stands before the clock starts, what is timed
CASES = [
    ("spmv-5", "A @ x, five points, 2002²", "A = laplacian(2002); x = np.ones(A.shape[0])", timed("A @ x")),
    ("spmv-band", "A @ x, 11 diagonals, 2 M rows",
     "n = 2000000; A = sp.diags_array(np.ones(11), offsets=np.arange(-5, 6), shape=(n, n)).tocsr(); x = np.ones(n)",
     timed("A @ x")),
    ("spmv-power", "A @ x, power law, 1 M rows, 8 M entries", "A = power_law(1000000, 8000000); x = np.ones(A.shape[0])",
     timed("A @ x")),
    ("spmm-8", "A @ X, five points, 1001², 8 columns", "A = laplacian(1001); x = np.ones((A.shape[0], 8))",
     timed("A @ x")),
    ("spmm-32", "the same, 32 columns", "A = laplacian(1001); x = np.ones((A.shape[0], 32))", timed("A @ x")),
    ("cg", "20 steps of conjugate gradients, 2002²", "A = laplacian(2002); b = np.sin(np.arange(A.shape[0]))" + CG,
     timed("steps(A, b, 20)")),
    ("cg-solver", "cg of scipy.sparse.linalg, 1001², 50 steps", "A = laplacian(1001); b = np.sin(np.arange(A.shape[0]))",
     timed("sla.cg(A, b, rtol=0, maxiter=50)[0]")),
    ("cg-solver-300", "cg of scipy.sparse.linalg, 300², 200 steps", "A = laplacian(300); b = np.sin(np.arange(A.shape[0]))",
     timed("sla.cg(A, b, rtol=0, maxiter=200)[0]")),
    ("bicgstab-1001", "bicgstab, 1001², 25 steps", "A = laplacian(1001); b = np.sin(np.arange(A.shape[0]))",
     timed("sla.bicgstab(A, b, rtol=0, maxiter=25)[0]")),
    ("bicgstab-300", "bicgstab, convection and diffusion, 300², 100 steps", FLOW,
     timed("sla.bicgstab(A, b, rtol=0, maxiter=100)[0]")),
    ("gmres-1001", "gmres, 1001², 20 steps", "A = laplacian(1001); b = np.sin(np.arange(A.shape[0]))",
     timed("sla.gmres(A, b, rtol=0, restart=20, maxiter=1)[0]")),
    ("gmres-300", "gmres, convection and diffusion, 300², 100 steps", FLOW,
     timed("sla.gmres(A, b, rtol=0, restart=20, maxiter=5)[0]")),
    ("spgemm", "A @ A, 1500²", "A = laplacian(1500)", timed("A @ A")),
    ("spgemm-sorted", "A @ A, 1500², with sorted indices", "A = laplacian(1500)",
     "def once():\n    made = A @ A\n    made.sort_indices()\n    return made"),
    ("add", "A + A.T, 1500²", "A = laplacian(1500)", timed("A + A.T")),
    ("transpose", "A.T.tocsr(), 1500²", "A = laplacian(1500)", timed("A.T.tocsr()")),
    ("rows", "A[rows], 100,000 of 1 M rows, 8 M entries",
     "A = power_law(1000000, 8000000); rows = rng.permutation(1000000)[:100000]", timed("A[rows]")),
    ("columns", "A[:, columns], the same matrix",
     "A = power_law(1000000, 8000000); columns = rng.permutation(1000000)[:100000]", timed("A[:, columns]")),
    ("coo-csr", "COO to CSR, 10 M shuffled entries, 1 M rows", "C = shuffled(1000000, 10000000)",
     "def once():\n    made = C.tocsr()\n    made.sum_duplicates()\n    return made"),
    ("mmread", "mmread, 1 M entries", FILES + "mmwrite(path, C)", timed("mmread(path)")),
    ("mmwrite", "mmwrite, 1 M entries", FILES, "def once():\n    mmwrite(path, C)\n    return os.path.getsize(path)"),
    ("spsolve", "spsolve, 300²", "A = laplacian(300).tocsc(); b = np.ones(A.shape[0])", timed("sla.spsolve(A, b)")),
    ("spsolve-flow", "spsolve, convection and diffusion, 300²", FLOW + "; A = A.tocsc()", timed("sla.spsolve(A, b)")),
    ("kept", "a solution with kept factors, 300²", "A = laplacian(300).tocsc(); b = np.ones(A.shape[0]); lu = sla.splu(A)",
     timed("lu.solve(b)")),
    ("kept-32", "32 solutions at once with kept factors, 300²",
     "A = laplacian(300).tocsc(); b = np.ones((A.shape[0], 32)); lu = sla.splu(A)", timed("lu.solve(b)")),
    ("eigsh", "eigsh(k=6, sigma=0), 200²", "A = laplacian(200).tocsc()",
     timed("sla.eigsh(A, k=6, sigma=0, return_eigenvectors=False)")),
    ("expm", "expm_multiply(-A, b), 300²", "A = -laplacian(300); b = np.sin(np.arange(A.shape[0]))",
     timed("sla.expm_multiply(A, b)")),
    ("dijkstra", "dijkstra from 10 of 40,000 nodes of a grid",
     "from scipy.sparse.csgraph import dijkstra\nA = abs(laplacian(200)); A.setdiag(0); A.eliminate_zeros()",
     timed("dijkstra(A, indices=np.arange(0, 40000, 4000))")),
    ("components", "connected_components, 1 M nodes, 1 M edges",
     "from scipy.sparse.csgraph import connected_components\nA = shuffled(1000000, 1000000).tocsr()",
     timed("connected_components(A, directed=False)[1]")),
    ("pagerank", "PageRank, 1 M pages, 8 M links, 20 rounds", "", PAGERANK),
    ("power", "power iteration, 300,000 rows, 9 M entries, 20 rounds", "", POWER),
    ("row", "A[3] of 10 rows, 1,000 times", SMALL, times("A[3]", 1000)),
    ("small-add", "A + B of 10 rows, 1,000 times", SMALL, times("A + B", 1000)),
    ("small-product", "A @ x of 10 rows, 1,000 times", SMALL + "; v = np.ones(10)", times("A @ v", 1000)),
]

# name, what it is, the program and its arguments
APPLICATIONS = [
    ("multigrid", "Poisson's equation, cg by itself and with two multigrid cycles, 256²", ["multigrid.py", "256"]),
    ("rydberg", "Rydberg atoms, 30,848 states", ["rydberg.py", "20"]),
    ("factorise", "a factorisation by stochastic gradients, 1 M ratings", ["factorise.py", "1000000"]),
    ("power-iteration", "power iteration of 1,000 rows, from the paper on Legate Sparse", ["power_iteration.py"]),
]

# Other libraries, by Python's package of each: what stands before the clock starts, after a case's own lines, and what is
# timed.
PEERS = {
    "MKL": ("sparse_dot_mkl", {
        "spmv-5": ("from sparse_dot_mkl import dot_product_mkl", timed("dot_product_mkl(A, x)")),
        "spmv-power": ("from sparse_dot_mkl import dot_product_mkl", timed("dot_product_mkl(A, x)")),
        "spgemm": ("from sparse_dot_mkl import dot_product_mkl", timed("dot_product_mkl(A, A)")),
        "spgemm-sorted": ("from sparse_dot_mkl import dot_product_mkl",
                          timed("dot_product_mkl(A, A, reorder_output=True)")),
        "cg": ("from sparse_dot_mkl import dot_product_mkl" + CG.replace("A @ ", "A(").replace("(x\n", "(x)\n")
               .replace("(p\n", "(p)\n"), timed("steps(lambda v: dot_product_mkl(A, v), b, 20)")),
    }),
    "GraphBLAS": ("graphblas", {
        "spmv-5": ("import graphblas as gb\nG = gb.io.from_scipy_sparse(A); g = gb.Vector.from_dense(x)",
                   timed("G.mxv(g).new().wait().nvals")),
        "spmv-power": ("import graphblas as gb\nG = gb.io.from_scipy_sparse(A); g = gb.Vector.from_dense(x)",
                       timed("G.mxv(g).new().wait().nvals")),
        "spgemm": ("import graphblas as gb\nG = gb.io.from_scipy_sparse(A)", timed("G.mxm(G).new().wait().nvals")),
        "cg": ("""import graphblas as gb
def steps(A, b, count):
    x, r, p = gb.Vector.from_dense(np.zeros(len(b))), gb.Vector.from_dense(b), gb.Vector.from_dense(b)
    old = r.inner(r).new().value
    for _ in range(count):
        q = A.mxv(p).new()
        alpha = old / p.inner(q).new().value
        x(gb.binary.plus) << alpha * p
        r(gb.binary.plus) << -alpha * q
        new = r.inner(r).new().value
        p << (new / old) * p
        p(gb.binary.plus) << r
        old = new
    return x.wait().nvals
G = gb.io.from_scipy_sparse(A)""", timed("steps(G, b, 20)")),
    }),
}

PETSC_CASES = ("spmv-5", "cg")  # of bench/sparse_petsc.py


def program(before, timed):
    """A whole program that prints how long what is timed takes."""
    return "\n".join([HEAD, before, timed, TAIL])


def application(file):
    """A program of examples/sparse, that prints how long it took without the imports."""
    with open(os.path.join(ROOT, "examples", "sparse", file), encoding="utf-8") as source:
        return ("import time\nimport numpy\nimport scipy.integrate, scipy.sparse.linalg\nstarted = time.perf_counter()\n"
                + source.read() + "\nimport time\nprint('took', time.perf_counter() - started)\n")
