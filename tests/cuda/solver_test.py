#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Dense factorisations by cuSOLVER come to what LAPACK comes to on the processor, for every type and shape, and nothing
of them is left to the host; by default on the stand-in (standin/cusolver.c), and there what happens when calls fail,
when there is no result, and when the library is missing or old.

    solver_test.py NACRE
    solver_test.py --real NACRE    on the real driver
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "run"))
from devices import agree  # noqa: E402

IS_REAL = "--real" in sys.argv
NACRE = os.path.abspath([a for a in sys.argv[1:] if a != "--real"][0])
STANDIN = os.path.join(os.path.dirname(NACRE), os.pardir, "tests", "standin")
CACHE = tempfile.mkdtemp() # what the stand-in makes is no code for a device
FOUND = os.environ.get("LD_LIBRARY_PATH", "")
ENVIRONMENT = {} if IS_REAL else {"LD_LIBRARY_PATH": STANDIN + (":" + FOUND if FOUND else ""), "NACRE_CACHE": CACHE,
                                  "STANDIN_COMPILED": os.path.join(STANDIN, "compiled"), "BLIS_NUM_THREADS": "1",
                                  "OMP_NUM_THREADS": "1"}
LIVE = {"blocks": 0, "modules": 0, "streams": 0, "events": 0, "handles": 0}

# Vectors are told by what does not depend on their signs: products, and sizes of those that are the only ones.
# Only the factorisations are the device's, as the stand-in takes long to compile what else there is.
HEAD = """
import numpy as np
import nacre
def moved(x): # little work is done there only if its operands are there
    return nacre.to(x, DEVICE) if isinstance(x, np.ndarray) and 0 < x.size < 40 and x.flags.c_contiguous else x
class There:
    LinAlgError = np.linalg.LinAlgError
    def __getattr__(self, name):
        def work(*args, **named):
            args = [moved(x) for x in args]
            with nacre.device(DEVICE):
                return getattr(np.linalg, name)(*args, **named)
        return work
la = There()
def make(shape, kind, seed=1):
    count = 1
    for extent in shape:
        count *= extent
    k = np.arange(count) * 7919 + 13 * seed
    x = k * k % 10007 / 2048 - 2.4
    if np.dtype(kind).kind == "c":
        x = x + 1j * (k * k % 9973 / 2048 - 2.1)
    return x.astype(kind).reshape(shape)
def show(name, *values):
    for x in values:
        x = np.asarray(x)
        narrow = x.dtype.name in ("float32", "complex64")
        x = np.round(x * 1.0, 3 if narrow else 7) + 0.0
        print(name, x.dtype, x.shape, x.ravel()[:12].tolist())
def turned(x):
    return np.conj(np.swapaxes(x, -1, -2))
def holds(name, a, b):
    bound = 2e-3 if a.dtype.name in ("float32", "complex64") else 1e-10
    print(name, a.dtype, a.shape, bool((abs(a - b) <= bound * (1 + abs(b))).all()))
def free(x):
    return abs(x) if IS_REAL else x # LAPACK's signs of Q and R are those of the stand-in; others would be right, too
def unitary(name, q):
    holds(name, turned(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2))
"""

FACTORS = HEAD + """
def all_of(a):
    m, n = a.shape[-2:]
    for mode in ("reduced", "complete"):
        q, r = la.qr(a, mode)
        show("qr " + mode, free(q if mode == "reduced" else q[..., :min(m, n)]), free(r))
        holds("qr", q @ r, a)
        unitary("q", q)
    show("r", free(la.qr(a, "r")))
    if a.ndim == 2 and not IS_REAL:
        show("raw", *la.qr(a, "raw"))
    for full in (False, True):
        u, s, vt = la.svd(a, full)
        show("svd", s, abs(u[..., :min(m, n)]), abs(vt[..., :min(m, n), :]))
        print(u.shape, vt.shape, u.dtype)
        if min(m, n):
            holds("usv", (u[..., :min(m, n)] * s[..., None, :]) @ vt[..., :min(m, n), :], a)
        unitary("u", u)
        unitary("v", turned(vt))
    show("values", la.svd(a, compute_uv=False))
    if a.size:
        show("pinv", la.pinv(a))
        show("rank", la.matrix_rank(a))
        show("norm", la.norm(a, 2, (-2, -1)), la.norm(a, "nuc", (-2, -1)))
        show("cond", la.cond(a))
    if m == n:
        h = a + turned(a)
        for triangle in "LU":
            w, v = la.eigh(h, triangle)
            show("eigh", w, abs(v))
            holds("hv", h @ v, v * w[..., None, :])
            unitary("v", v)
        show("eigvalsh", la.eigvalsh(h), la.eigvalsh(np.tril(h) if n < 9 else h, "L"))
        w, v = la.eig(a)
        order = np.argsort(np.round(w.real, 5) * 1000 + np.round(w.imag, 5), axis=-1)
        show("eig", np.take_along_axis(w, order, -1))
        holds("av", a @ v, v * w[..., None, :])
        show("eigvals", np.sort(np.round(la.eigvals(a), 4)))
for kind in ("float64", "complex128", "float32", "complex64"):
    for shape in SHAPES:
        print(kind, shape)
        all_of(make(shape, kind))
all_of(make((8, 6), "float64")[::-2, ::2])
all_of(make((3, 4, 4), "complex128").swapaxes(-1, -2)[::-1])
all_of(np.broadcast_to(make((4, 3), "float64"), (2, 3, 4, 3)))
all_of(make((2, 4, 3, 5), "float64").transpose(3, 0, 2, 1)[:, ::-1])
all_of(np.arange(9).reshape(3, 3) + 2 * np.eye(3, dtype=int))
"""
SMALL = "SHAPES = ((5, 5), (7, 4), (4, 7), (1, 1), (1, 4), (4, 1), (0, 0), (0, 3), (3, 0), (5, 3, 4), (5, 4, 3), (2, 3, 4, 4), (2, 0, 3, 3), (0, 2, 2))\n"
LARGE = "SHAPES = ((40, 33), (33, 40), (70, 70), (3, 40, 40))\n"

LEAST = HEAD + """
for kind in ("float64", "complex128", "float32", "complex64"):
    for m, n, sides in ((7, 4, 3), (4, 7, 3), (5, 5, 1), (1, 1, 1), (1, 3, 2), (3, 1, 2), (60, 40, 5), (40, 60, 5), (0, 3, 2), (3, 0, 2), (4, 3, 0)):
        a, b = make((m, n), kind), make((m, sides), kind, 3)
        for bound in (None, -1, 0.1, 2):
            show("lstsq %d %d %d" % (m, n, sides), *la.lstsq(a, b, bound))
        if sides == 1:
            show("vector", *la.lstsq(a, b[:, 0], None))
    a = make((6, 2), kind) @ make((2, 4), kind)
    show("rank 2", *la.lstsq(a, make((6, 2), kind, 3), 1e-3))
    show("zeros", *la.lstsq(a * 0, make((6, 2), kind, 3), 1e-3))
a, b = make((8, 5), "float64"), make((8, 4), "float64", 3)
show("strided", *la.lstsq(a[::-1, ::2], b[::-1, 1::2], None))
for what in (np.nan, np.inf):
    for m, n in ((6, 3), (3, 6)):
        a, b = make((m, n), "float64"), make((m, 3), "float64", 3)
        b[2, 1] = what
        x, rest, rank, s = la.lstsq(a, b, None)
        print(np.isnan(x).tolist(), np.isnan(rest).tolist(), rank)
        b[1, 0] = np.nan
        print(np.isnan(la.lstsq(a, b, None)[0]).tolist())
        a[1, 1] = what
        try:
            la.lstsq(a, b, None)
        except la.LinAlgError as error:
            print(error)
show("polyfit", np.polyfit(np.arange(9.0), np.sin(np.arange(9.0)), 3))
"""

# Numbers that are not finite, and matrices without rank.
ODD = HEAD + """
def tell(name, work):
    try:
        print(name, [np.isnan(np.asarray(x)).tolist() for x in work()])
    except la.LinAlgError as error:
        print(name, error)
for kind in ("float64", "complex128"):
    for what in (np.nan, np.inf):
        for shape in ((3, 3), (1, 1), (2, 3, 3), (9, 12, 12)):
            a = make(shape, kind)
            a[..., 0, -1] = what
            b = make(shape, kind)
            b.reshape((-1,) + shape[-2:])[-1, -1, 0] = what # in one of the stack, and in the lower triangle
            for x in (a, b):
                tell("eigh", lambda: la.eigh(x))
                tell("eigh U", lambda: la.eigh(x, "U"))
                tell("eigvalsh", lambda: [la.eigvalsh(x)])
                tell("eig", lambda: la.eig(x))
                tell("svd", lambda: la.svd(x))
                tell("values", lambda: [la.svd(x, compute_uv=False)])
                tell("solve", lambda: [la.solve(x, np.ones(shape[:-2] + (3 if shape[-1] == 3 else shape[-1], 2)))])
                if shape != (1, 1):
                    tell("cholesky", lambda: [la.cholesky(x)])
    ones = np.ones((4, 3), kind)
    u, s, vt = la.svd(ones)
    holds("usv", (u[:, :3] * s) @ vt, ones)
    unitary("u", u)
    unitary("v", turned(vt))
    many = np.stack([ones * 0, ones, make((4, 3), kind)] * 3)
    show("values", la.svd(many, compute_uv=False))
    u, s, vt = la.svd(many)
    unitary("u", u)
    show("ranks", la.matrix_rank(many), la.matrix_rank(turned(many)))
    w, v = la.eigh(np.zeros((3, 3), kind))
    show("zeros", w)
    unitary("v", v)
    w, v = la.eigh(np.stack([np.ones((3, 3), kind)] * 40))
    show("ones", w)
    unitary("v", v)
"""

# From 256 rows on it is done by cuSOLVER.
SYSTEMS = HEAD + """
SIZES = {"float64": (256, 301), "complex128": (256,), "float32": (260,)}
for kind in ("float64", "complex128", "float32"):
    for n in SIZES[kind]:
        a = make((2, n, n), kind) + 9 * np.eye(n, dtype=kind)
        for sides in (1, 7):
            b = make((2, n, sides), kind, 3)
            x = la.solve(a, b)
            holds("solve", a @ x, b)
            show("x", x[:, 3:5])
        show("vector", la.solve(a[0].T, b[0, :, 0])[:7])
        show("inv", la.inv(a)[:, 2:4, 5:9], la.inv(a[1, ::-1])[2:4, 5:9])
        show("slogdet", *la.slogdet(a))
        if n < 260 and kind != "float32":
            show("det", la.det(a / 8))
        s = a @ turned(a) + np.eye(n, dtype=kind)
        for upper in (False, True):
            c = la.cholesky(s, upper=upper)
            holds("cholesky", turned(c) @ c if upper else c @ turned(c), s)
            show("c", abs(c[:, 3:6, 2:8]), c[0, 5, 3], c[0, 3, 5])
        a[1, :, 5] = 0
        show("singular", la.slogdet(a)[0])
        for work in (lambda: la.inv(a), lambda: la.solve(a, b), lambda: la.cholesky(s - 2000 * np.eye(n))):
            try:
                work()
            except la.LinAlgError as error:
                print(error)
        print(np.isinf(la.cond(a, 1)).tolist())
"""

MANY = HEAD + """
a = make((5, 13, 4, 4), "float64")
show("eigh", *map(abs, la.eigh(a)))
show("values", la.svd(a, compute_uv=False), la.matrix_rank(a))
"""

EACH = HEAD + """
a = make((6, 4), "float64")
print(la.qr(a)[1].round(6).tolist())
h = a.T @ a
print(la.eigh(h)[0].round(6).tolist(), la.eigvalsh(np.stack([h, h])).round(6).tolist())
print(np.sort(la.eig(h)[0].real).round(6).tolist())
print(la.svd(a)[1].round(6).tolist(), la.svd(np.stack([a, a]), compute_uv=False).round(6).tolist())
print(la.lstsq(a, make((6, 2), "float64", 3), None)[0].round(6).tolist())
big = make((260, 260), "float64") + 40 * np.eye(260)
print(la.solve(big, np.ones(260))[:3].round(6).tolist(), la.slogdet(big)[1].round(6))
print(la.cholesky(big @ big.T)[3, :3].round(6).tolist())
"""
CALLS = ("Create", "CreateParams", "CreateSyevjInfo", "CreateGesvdjInfo", "SetStream", "Xgetrf_bufferSize", "Xgetrf", "Xgetrs",
         "Xpotrf_bufferSize", "Xpotrf", "Xgeqrf_bufferSize", "Xgeqrf", "Dorgqr_bufferSize", "Dorgqr", "Xsyevd_bufferSize",
         "Xsyevd", "DsyevjBatched_bufferSize", "DsyevjBatched", "Xgesvd_bufferSize", "Xgesvd", "DgesvdjBatched_bufferSize",
         "DgesvdjBatched", "Xgeev_bufferSize", "Xgeev")

# What does not converge.
LOST = (("la.eigh(h)", "Eigenvalues did not converge"), ("la.eigvalsh(np.stack([h, h]))", "Eigenvalues did not converge"),
        ("la.eig(h)", "Eigenvalues did not converge"), ("la.svd(a)", "SVD did not converge"),
        ("la.svd(np.stack([a, a]), compute_uv=False)", "SVD did not converge"),
        ("la.lstsq(a, a, None)", "SVD did not converge in Linear Least Squares"),
        ("la.cholesky(np.eye(260))", "Matrix is not positive definite"))


def run_program(*args, **env):
    return subprocess.run([NACRE, *args], capture_output=True, text=True, timeout=300, env={**os.environ, **ENVIRONMENT, **env})


def on_host(code):
    return run_program("-c", "DEVICE, IS_REAL = 'cpu', %r\n" % IS_REAL + code)


def on_device(*args, code, **env):
    return run_program("--device-least", "1", *args, "-c", "DEVICE, IS_REAL = 'cuda', %r\n" % IS_REAL + code, **env)


class Solver(unittest.TestCase):
    def same(self, code, **env):
        here = on_host(code)
        self.assertEqual((here.returncode, here.stderr), (0, ""))
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            there = on_device("--stats", stats, code=code, **env)
            self.assertEqual((there.returncode, there.stderr), (0, ""))
            with open(stats, encoding="utf-8") as stream:
                found = json.load(stream)
        ours, theirs = here.stdout.splitlines(), there.stdout.splitlines()
        self.assertEqual(len(ours), len(theirs))
        for a, b in zip(ours, theirs):
            self.assertTrue(agree(a, b, 2e-3 if "32" in a or "complex64" in a else 1e-7), a + "\n" + b)
            self.assertFalse(b.endswith("False"), b)
        self.assertGreater(found["kernels"], 0)
        self.assertEqual(found["fallbacks"], 0, found["detours"] if "detours" in found else "")

    def test_small(self):
        self.same(SMALL + FACTORS)

    def test_large(self):
        self.same(LARGE + FACTORS)

    def test_least_squares(self):
        self.same(LEAST)

    def test_odd(self):
        self.same(ODD)

    def test_many_small(self):
        self.same(MANY)
        for work in ("qr", "svd", "eig"):
            self.assertRegex(on_device("--strict", code=MANY + "la.%s(a)\n" % work).stderr,
                             "%s runs on the host: cuda has no %s: not of many small matrices.*\n$" % (work, work))

    def test_systems(self):
        self.same(SYSTEMS)

    def test_unfused(self):
        self.same(SMALL + FACTORS, NACRE_NO_FUSE="1")


@unittest.skipIf(IS_REAL, "of the stand-in")
class Standin(unittest.TestCase):
    def reported(self, code, **env):
        """What it did, and what the stand-in reports."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            done = on_device(code=code, STANDIN_REPORT=report, **env)
            with open(report, encoding="utf-8") as stream:
                return done, json.load(stream)

    def test_calls(self):
        done, report = self.reported(EACH)
        self.assertEqual((done.stdout, done.stderr), (on_host(EACH).stdout, ""))
        self.assertEqual(report["live"], LIVE)
        for call in CALLS:
            self.assertGreater(report["calls"].get("cusolverDn" + call, 0), 0, call)
        self.assertRegex(run_program("info").stdout, r"\nCUDA: factors, eigenvalues and singular values by cuSOLVER 11\.7\n")

    def test_failing_calls(self):
        good = on_host(EACH).stdout
        for call in CALLS:
            for at in ("1", "2", "1+"):
                done, report = self.reported(EACH, STANDIN_FAIL="cusolverDn%s:%s:7" % (call, at))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, good, ""), call + at)
                self.assertEqual(report["live"], LIVE, call + at)
        for call in ("cuMemAllocAsync", "cuLaunchKernel", "cuMemsetD32Async", "cuStreamSynchronize"):
            for at in range(1, 40, 4):
                done, report = self.reported(EACH, STANDIN_FAIL="%s:%d" % (call, at))
                self.assertEqual(report["live"], LIVE, call)
                if done.returncode == 0:
                    self.assertEqual((done.stdout, done.stderr), (good, ""), call)
                else:
                    self.assertRegex(done.stderr, r"line \d+, in <module>\n(.*\n)*(MemoryError|RuntimeError)")

    def test_no_result(self):
        head = HEAD + "a = make((6, 4), 'float64')\nh = a.T @ a\n"
        for work, message in LOST:
            done, report = self.reported(head + "print(len(" + work + "))\n", STANDIN_SOLVER_INFO="1")
            self.assertRegex(done.stderr, r"line %d, in <module>\n(.*\n)*numpy\.linalg\.LinAlgError: %s\n$" % (head.count("\n") + 2, message),
                             work)
            self.assertEqual(report["live"], LIVE, work)

    def test_memory(self):
        good = on_host(EACH).stdout
        for most in range(1, 9):
            done, report = self.reported(EACH, STANDIN_MEMORY=str(most << 19))
            if done.returncode == 0:
                self.assertEqual((done.stdout, done.stderr), (good, ""), most)
            else:
                self.assertIn("MemoryError", done.stderr, most)
            self.assertEqual(report["live"], LIVE, most)

    def test_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libcuda.so.1", "libnvrtc.so.12"):
                shutil.copy(os.path.join(STANDIN, name), folder)
            hidden = {"LD_LIBRARY_PATH": folder, "CUDA_HOME": "", "CUDA_PATH": "", "VIRTUAL_ENV": "", "CONDA_PREFIX": "", "HOME": folder}
            if "no cuSOLVER" not in run_program("info", **hidden).stdout:
                self.skipTest("this machine has one where it is looked for")
            done, _ = self.reported(EACH, **hidden)
            self.assertEqual((done.stdout, done.stderr), (on_host(EACH).stdout, ""))
            done = run_program("--backend", "cuda", "--device-least", "1", "--strict", "-c", "import numpy as np\nnp.linalg.qr(np.eye(3) + 1)", **hidden)
            self.assertRegex(done.stderr, "qr runs on the host: cuda has no qr: cuSOLVER, which does it, is not found: .* nvidia-cusolver\n$")

    def test_old(self):
        old = {"LD_LIBRARY_PATH": os.path.join(STANDIN, "old") + ":" + ENVIRONMENT["LD_LIBRARY_PATH"]}
        done, report = self.reported(EACH, **old)
        self.assertEqual((done.stdout, done.stderr), (on_host(EACH).stdout, ""))
        self.assertIn("cusolverDnXgesvd", report["calls"])
        self.assertNotIn("cusolverDnXgeev", report["calls"])
        done = run_program("--backend", "cuda", "--device-least", "1", "--strict", "-c", "import numpy as np\nnp.linalg.eigvals(np.eye(3) + 1)", **old)
        self.assertTrue(done.stderr.endswith("cuda has no eig: cuSOLVER has it from CUDA 12.6 on\n"), done.stderr)


def main():
    if not IS_REAL and not os.path.exists(os.path.join(STANDIN, "libcusolver.so.11")):
        print("this build has no stand-in for cuSOLVER: nothing to test")
        return 77
    if "backend cuda" not in run_program("info").stdout:
        print("this build has no CUDA plug-in: nothing to test")
        return 77
    try:
        return not unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful()
    finally:
        shutil.rmtree(CACHE)


if __name__ == "__main__":
    sys.exit(main())
