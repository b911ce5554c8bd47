#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""With --reproducible the number of threads does not show in any bit: sums, means, products and what is
made of them, of every float type and many shapes, on 1, 2, 7 and 16 threads; and with other code of
BLIS, which takes other ways for matrices with few rows. Without the option that holds of sums.

usage: reproducible_test.py NACRE
"""

import os
import subprocess
import sys
import unittest

NACRE = os.path.abspath(sys.argv.pop(1))
THREADS = ("1", "2", "7", "16")
os.environ.pop("NACRE_STRESS", None)  # work that takes threads takes too long with tiles of 2

HEAD = """import numpy as np
r = np.random.default_rng(5)
def show(name, x):
    bits = np.ascontiguousarray(x).reshape(-1).view(np.uint8).astype(np.int64)
    print(name, x.dtype, x.shape, int((bits * (np.arange(bits.size) * 2654435761 % 1000003)).sum()))
def numbers(n, t):
    a = r.standard_normal(n)
    return (a + 1j * a[::-1]).astype(t) if np.dtype(t).kind == "c" else a.astype(t)
n = 700001
for t in (np.float64, np.float32, np.float16, np.complex128, np.complex64):
    a, b = numbers(n, t), numbers(n, t)
    m = a[:700000].reshape(500, 1400)
    float_of = np.zeros(1, t).real.dtype
"""
SUMS = HEAD + """
    show("sums", np.array([a.sum(), (a * b).sum(), (a * b + a).sum(), a[::3].sum(), (a[::2] * b[::2]).sum(),
                           a.mean(), (a / 64).var(), (a / 64).std(), m.T.sum(), np.average(a[:5000])]))
    for axis in (0, 1, (0, 1)):
        show("axes", np.atleast_1d(m.sum(axis=axis)))
        show("axes", np.atleast_1d((m * m + 1).sum(axis=axis)))
        show("axes", np.atleast_1d((m / 64).var(axis=axis)))
        show("axes", np.atleast_1d(m.T.mean(axis=axis)))
    cube = a[:691200].reshape(120, 36, 160)
    for axis in (0, 1, 2, (0, 2), (1, 2), (0, 1)): show("cube", cube.sum(axis=axis))
    show("scans", np.cumsum(a)[::100])
    show("products", (m / 8 + 1).prod(axis=0))
    show("dots", np.array([np.dot(a, b), np.vdot(a, b), np.inner(a[::2], b[::2]), a @ b]))
    show("einsum", np.array([np.einsum("i,i", a, b), np.einsum("ij->", m)]))
    show("einsum", np.einsum("ij,ij->i", m, m))
    show("convolve", np.convolve(a[:9000], b[:200]))
    if t in (np.float64, np.float32):
        show("weights", np.bincount(np.arange(n) % 1000, weights=a))
        show("weights", np.histogram(a, bins=50, weights=b)[0])
        show("statistics", np.array([np.linalg.norm(a), np.linalg.norm(m), np.average(a, weights=abs(b)),
                                     np.trapezoid(a), np.percentile(a, 37), np.median(b)]))
"""
SHARED = HEAD.replace("700001", "140001").replace("700000", "140000").replace("500", "100") + """
    ints = (a.real * 100).astype(np.int64)
    bools, rows = ints > 0, a[:140000].reshape(2, 70000)
    for x in (a, a.real, ints, ints.astype(np.int8), bools):
        for f in (np.maximum, np.minimum, np.fmax, np.fmin): show("extremes", f.accumulate(x))
        show("extremes", np.maximum.accumulate(x[::-2]))
        show("extremes", np.array([x.argmax(), x.argmin()]))
    for x in (ints, ints.astype(np.uint8), bools, ints[::2], ints[:140000].reshape(2, -1)):
        show("whole", np.cumsum(x, axis=-1))
        show("whole", np.cumprod(x, axis=-1))
        for f in (np.bitwise_xor, np.bitwise_and, np.logical_or, np.logical_xor): show("whole", f.accumulate(x, axis=-1))
    z = a * np.where(np.arange(n) % 1000 == 7, 0.0, 1.0).astype(a.real.dtype)
    z[5::60000] = np.nan
    for f in (np.maximum, np.minimum, np.fmax): show("zeros", f.accumulate(z))
    for f in (np.add, np.maximum, np.multiply):
        show("reduceat", f.reduceat(a, np.arange(0, n, 77)))
        show("reduceat", f.reduceat(ints, [0, 5, 3, 70000]))
        for axis in (0, 1):
            show("reduceat", f.reduceat(m, [0, 30, 20, 70], axis=axis))
            show("reduceat", f.reduceat(m.T, [0, 30, 20, 70], axis=axis))
    for x in (m, m.T, ints[:140000].reshape(100, -1), bools[:140000].reshape(-1, 4), rows):
        for axis in (0, 1): show("places", np.array(x.argmax(axis=axis)) * 1000003 + x.argmin(axis=axis))
    show("bits", np.packbits(bools))
    show("bits", np.unpackbits(np.packbits(bools)[::-1].copy(), count=n - 3))
    show("bits", np.packbits(bools[:140000].reshape(1400, 100), axis=1, bitorder="little"))
    t4 = a[:128000].reshape(8000, 4, 4)
    if t is not np.float16: show("stack", t4 @ t4[::-1])
    to = np.zeros((600, 33), t)
    to[np.arange(4000) * 7 % 600] = a[:132000].reshape(4000, 33)
    show("put", to)
    show("fft", np.fft.fft(a[:1 << 18]))
    show("fft", np.fft.irfft(a[:(1 << 18) + 1]))
    if t in (np.float64, np.float32): show("fft", np.fft.rfft(a[:1 << 19]))
    show("extremes", np.array([a.max(), m.T.min()]))
"""
DRAWS = HEAD[:HEAD.index("n = 700001")] + """
for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.MT19937, np.random.SFC64):
    g = np.random.Generator(kind(3))
    g.random(3, dtype=np.float32)
    for x in (g.random(100001), g.random(100001, dtype=np.float32), g.uniform(2, 5, 100001), g.integers(0, 64, 100001),
              g.integers(0, 10, 100001), g.standard_normal(70001), g.integers(0, 2**40, 100001), g.exponential(size=70001)):
        show("draws", x)
"""
PRODUCTS = HEAD + """
    if t is np.float16: continue
    for p, k, l in ((5, 5, 5), (33, 33, 33), (130, 130, 130), (257, 257, 257), (515, 515, 515), (184, 459, 669),
                    (619, 442, 256), (33, 600, 1100), (1130, 50, 559), (254, 777, 291), (304, 1467, 123),
                    (11, 10869, 60), (986, 19, 700), (253, 92, 3974), (2000, 300, 3), (3, 300, 2000), (1, 700, 900),
                    (2000, 300, 1), (1, 300, 2000), (70, 9000, 1), (1, 9000, 70), (7, 90000, 7), (12, 12, 20000), (1400, 500, 2)):
        x, y = a[:p * k], b[:k * l]
        show("%d %d %d" % (p, k, l), x.reshape(p, k) @ y.reshape(k, l))
        show("turned", x.reshape(k, p).T @ y.reshape(k, l))
        show("turned", x.reshape(p, k) @ y.reshape(l, k).T)
    show("stack", a[:2 * 300 * 310].reshape(2, 300, 310) @ b[:2 * 310 * 200].reshape(2, 310, 200))
    show("tensordot", np.tensordot(a[:420000].reshape(200, 210, 10), b[:105000].reshape(210, 10, 50), axes=2))
    for s in (6, 100, 150, 260):
        z = a[:s * s].reshape(s, s) + s * np.eye(s, dtype=t)
        h = z + z.conj().T
        show("linalg %d" % s, np.linalg.solve(z, b[:s]))
        show("linalg", np.linalg.inv(z))
        show("linalg", np.array([np.linalg.det(z / s)]))
        show("linalg", np.linalg.cholesky(z @ z.conj().T))
        show("linalg", np.linalg.qr(z)[1])
        show("linalg", np.linalg.eigh(h)[1])
        show("linalg", np.linalg.svd(z)[0])
        if s < 200: show("linalg", np.linalg.eigvals(z))
        show("linalg", np.linalg.lstsq(z[:, :s // 2], b[:s], rcond=None)[0])
    if t in (np.float64, np.float32): show("covariances", np.cov(m[:40]))
"""
# Complex products are cut for threads only where they are this large, and narrow ones went to BLIS once.
NARROW = HEAD.replace("n = 700001", "n = 18000000").replace("(np.float64, np.float32, np.float16, ", "(").replace(
    ", np.complex64):", ",):") + """
    for p, k, l in ((20000, 900, 2), (2, 900, 20000), (4000, 4000, 3), (1, 4000, 4000)):
        show("narrow", a[:p * k].reshape(p, k) @ b[:k * l].reshape(k, l))
"""


def has_avx2():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return " avx2 " in file.read()
    except OSError:
        return False


def run(code, *options, **env):
    done = subprocess.run([NACRE, *options, "-c", code], capture_output=True, text=True, timeout=400,
                          env={**os.environ, **env})
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


class Reproducible(unittest.TestCase):
    def check(self, code, least, *options, threads=THREADS, **env):
        wanted = run(code, *options, "--threads", threads[0], **env)
        self.assertGreaterEqual(len(wanted), least)
        for count in threads[1:]:
            found = run(code, *options, "--threads", count, **env)
            self.assertEqual([w for w, f in zip(wanted, found) if w != f], [], (count, env))
            self.assertEqual(len(wanted), len(found))

    def test_sums(self):
        self.check(SUMS, 90)
        self.check(SUMS, 90, "--reproducible")

    def test_products(self):
        self.check(PRODUCTS, 300, "--reproducible")
        if has_avx2():  # haswell's; "1" and so on are those of older processors
            self.check(PRODUCTS, 300, "--reproducible", BLIS_ARCH_TYPE="3", threads=("1", "7"))

    def test_narrow_complex_products(self):
        self.check(NARROW, 4)

    def test_shared_rows(self):
        self.check(SHARED, 300, threads=("1", "2", "7"))
        self.check(DRAWS, 40, threads=("1", "7"))

    def test_the_option(self):
        code = "import numpy as np\nprint(np.ones(3) @ np.ones(3))"
        for options, env in ((["--reproducible"], {}), ([], {"NACRE_REPRODUCIBLE": "1"}), (["--reproducible=0"], {})):
            self.assertEqual(run(code, *options, **env), ["3.0"])
        done = subprocess.run([NACRE, "--reproducible=2", "-c", code], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
