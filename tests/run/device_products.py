# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Products and linear algebra on devices: random programs come to what they come to on the cpu, flags and errors
included, and nothing of it is done by the host. Used by tests of backends beside Device (devices.py)."""

import random

from devices import agree

INTEGERS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float64", "float64", "float32", "float32", "float16")
COMPLEX = ("complex128", "complex64")
OWN = ("matmul", "gemm", "sparse_product", "fft", "ifft", "rfft", "irfft", "solve", "inv", "det", "slogdet", "cholesky", "qr")
EXTENTS = (1, 1, 2, 3, 4, 5, 7, 16, 17, 31, 33, 40, 63, 65, 100, 129, 200)

HEAD = """import numpy as np
def make(kind, count, seed):
    x = (np.arange(count) * (seed * 2 + 37) % 101 - 50)
    if kind == 'bool':
        return x % 7 == 0
    if kind[0] == 'c':
        return (x / 8 + 1j * (x[::-1] / 16 - 1)).astype(kind)
    if kind[0] == 'f':
        return (x / 8).astype(kind)
    return x.astype(kind)
def show(x):
    y = np.asarray(x).ravel()
    z = y.astype('complex128' if y.dtype.kind == 'c' else 'float64' if y.dtype.kind == 'f' else 'int64')
    w = np.arange(y.size) % 5 + 1
    s = (z * w).sum() if z.size else z.dtype.type(0)
    for p in (np.real, np.imag): # of their own, for a complex number without a real part is printed without one
        print(np.asarray(x).dtype, np.asarray(x).shape, p(y[:4]).tolist(), p(y[-3:]).tolist(), p(s), abs(z).max() if z.size else 0)
"""


def matrix(rng, name, kind, shape, seed):
    """Lines that make an array of a shape, with one of the layouts that views have."""
    rows, cols = shape[-2:]
    stack = list(shape[:-2])
    layout = rng.randrange(6)
    made = stack + [rows, cols]
    tail = ""
    if layout == 1:
        made, tail = stack + [cols, rows], ".swapaxes(-1, -2)"
    elif layout == 2:
        tail = "[..., ::-1, :]"
    elif layout == 3:
        made, tail = stack + [rows, 2 * cols], "[..., ::2]"
    elif layout == 4:
        made, tail = stack + [rows + 2, cols + 1], "[..., 1:-1, 1:]"
    elif layout == 5 and len(stack) > 1:
        made, tail = stack[::-1] + [rows, cols], ".swapaxes(0, 1)" if len(stack) == 2 else ""
        if len(stack) != 2:
            made = stack + [rows, cols]
    count = 1
    for extent in made:
        count *= extent
    return "%s = make('%s', %d, %d).reshape(%s)%s" % (name, kind, count, seed, tuple(made), tail)


def product_program(rng):
    lines = [HEAD]
    for _ in range(4):
        kind = rng.choice(INTEGERS if rng.random() < 0.3 else COMPLEX if rng.random() < 0.3 else FLOATS)
        n, k, m = (rng.choice(EXTENTS) for _ in range(3))
        if rng.random() < 0.1:
            n, k, m = rng.choice(((0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 5000, 1), (3, 40000, 2), (2, 9000, 150), (5000, 3, 2)))
        stack = rng.choice(((), (), (3,), (2, 3)))
        other = rng.choice(((), stack, stack, (1,) * len(stack)))
        lines += [matrix(rng, "a", kind, stack + (n, k), rng.randrange(50)),
                  matrix(rng, "b", kind, other + (k, m), rng.randrange(50)), "show(a @ b)"]
        lines += rng.choice((["show(a[..., 0, :] @ b)"] if n and not other and n > 0 else [], ["show(a @ b[..., 0])"] if m and not other else [],
                             ["c = np.zeros(%s, '%s')" % (stack + (n, m), kind), "c[...] = a @ b", "show(c)"],
                             ["show((a @ b)[..., :1] + 0)"]))
        if not stack and not other and kind[0] in "fc" and kind != "float16":
            lines += [matrix(rng, "c", kind, (n, m), 7), "c = c + 0"]
            lines += rng.choice((["show(2 * (a @ b) + 3 * c)"], ["c -= a @ b", "show(c)"], ["show(c - 0.5 * (a @ b))"],
                                 ["c += a @ b", "show(c)"], ["show((a @ b) * 1.5)"], ["c = a @ b - c", "show(c)"]))
    return "\n".join(lines) + "\n"


def sparse_program(rng):
    lines = [HEAD, "from scipy import sparse"]
    for _ in range(4):
        kind = rng.choice(("float64", "float32", "complex128", "complex64", "int64"))
        n, m, width = rng.choice((1, 3, 40, 200)), rng.choice((1, 5, 60, 300)), rng.choice((1, 2, 7, 33))
        lines += ["d = make('%s', %d, %d)" % (kind, n * m, rng.randrange(9)),
                  "d[np.arange(%d) %% %d != 0] = 0" % (n * m, rng.choice((1, 3, 11, 97))),
                  "s = sparse.%s(d.reshape(%d, %d))" % (rng.choice(("csr_array", "csc_array", "csc_array")), n, m),
                  "x = make('%s', %d, 3).reshape(%d, %d)" % (kind, m * width, m, width),
                  rng.choice(("show(s @ x)", "show(s @ x[:, 0])", "show(s[%d:] @ x)" % (n // 2), "show((s.T @ (s @ x)))"))]
    return "\n".join(lines) + "\n"


LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 26, 30, 64, 97, 100, 143, 256, 1000, 1024, 1155, 2048, 2310, 3000, 4096, 6007)


def fourier_program(rng):
    lines = [HEAD]
    for _ in range(6):
        n, other = rng.choice(LENGTHS), rng.choice((1, 2, 3, 9))
        kind = rng.choice(("complex128", "complex64", "float64", "float32"))
        made = rng.choice(((n,), (other, n), (n, other), (2, n, other), (2, other, n)))
        axis = made.index(n)
        count = 1
        for extent in made:
            count *= extent
        lines.append("x = make('%s', %d, %d).reshape(%s)%s" % (kind, count, rng.randrange(50), made, rng.choice(("", "", "[::-1]"))))
        length = rng.choice((None, None, max(n - 3, 1), n + 5))
        norm = rng.choice(("backward", "ortho", "forward"))
        call = rng.choice(("fft", "ifft", "fft", "irfft", "rfft", "hfft")) if kind[0] == "f" else rng.choice(("fft", "ifft", "irfft"))
        if call in ("irfft", "hfft") and n < 2:
            call = "fft"
        lines.append("show(np.fft.%s(x, %s, %d, '%s') / %d)" % (call, length, axis, norm, n))
    lines.append("show(np.fft.fft2(make('float64', 600, 3).reshape(20, 30)))")
    return "\n".join(lines) + "\n"


# Residuals, rounded up to the size of what is right, and determinants.
LINEAR_HEAD = HEAD + """
def small(residual, scale):
    r = np.abs(residual).max() if residual.size else 0.0
    print(residual.shape, 'good' if r <= 1e-11 * scale else r)
def regular(n, stack, kind, seed):
    count = n * n * int(np.prod(stack))
    k = np.arange(count)
    x = (k * k * (seed + 3) % 1013 * (k % 97 + 1) % 1009 / 1009 - 0.5).reshape(stack + (n, n)) + np.eye(n) / 4
    if kind == 'complex128':
        x = x + 1j * (k * k % 509 * (k % 31 + 2) % 503 / 503 - 0.3).reshape(stack + (n, n))
    return x
"""


def linear_program(rng):
    lines = [LINEAR_HEAD]
    for _ in range(4):
        n, kind = rng.choice((1, 2, 3, 5, 16, 17, 31, 33, 64, 70, 100, 150)), rng.choice(("float64", "complex128"))
        stack = rng.choice(((), (), (3,), (2, 2))) if n < 50 else ()
        lines += ["a = regular(%d, %s, '%s', %d)%s" % (n, stack, kind, rng.randrange(9), rng.choice(("", ".swapaxes(-1, -2)"))),
                  "eye = np.eye(%d)" % n, "b = regular(%d, %s, '%s', 3)[..., :%d]" % (n, stack, kind, rng.choice((1, 3, n))),
                  "x = np.linalg.solve(a, b)", "small(a @ x - b, %d * abs(x).max())" % n,
                  "x = np.linalg.inv(a)", "small(a @ x - eye, %d * abs(x).max())" % n]
        lines += rng.choice((["show(np.linalg.det(a))"], ["s, l = np.linalg.slogdet(a)", "show(s)", "show(l)"],
                             ["x = np.linalg.solve(a, b[..., 0:1])", "small(a @ x - b[..., 0:1], %d * abs(x).max())" % n]))
        lines += ["p = a @ np.conj(a).swapaxes(-1, -2) + eye", "l = np.linalg.cholesky(p)",
                  "small(l @ np.conj(l).swapaxes(-1, -2) - p, %d * abs(p).max())" % n, "print(np.abs(np.triu(l, 1)).max())"]
    return "\n".join(lines) + "\n"


FAILURES = """
import numpy as np
for a in (np.ones((3, 3)), np.zeros((40, 40)), np.stack([np.eye(4), np.zeros((4, 4))]), np.ones((50, 50)) + 0j):
    for f in (np.linalg.inv, lambda a: np.linalg.solve(a, a), np.linalg.cholesky, np.linalg.det, np.linalg.slogdet):
        try:
            print(f(a).shape if f is np.linalg.inv else f(a))
        except np.linalg.LinAlgError as error:
            print(error)
print(np.linalg.inv(np.zeros((0, 0))).shape, np.linalg.det(np.zeros((2, 0, 0))), np.linalg.det(np.eye(30) * 1e300))
print(np.linalg.slogdet(np.zeros((3, 0, 0))), np.linalg.det(np.full((2, 2), np.nan)))
np.linalg.inv(-np.eye(4) * 0)
"""


FOURIER_FLAGS = """
import numpy as np
for n in (8, 100, 17, 4096, 6007):
    for what in range(5):
        x = np.ones((3, n), complex)
        if what == 1: x[1, 3] = np.nan
        if what == 2: x[1, 5] = np.inf
        if what == 3: x[2] *= 1e308
        if what == 4: x[0, 1] = complex(0, np.inf)
        y = np.fft.fft(x)
        print(n, what, np.isfinite(y[0, 0]), np.isfinite(y[1, 0]), np.isfinite(y[2, 0]))
"""


# Flags: of overflow, of infinities and zeros, of steps behind the product; and none where NaN was there before.
FLAGS = """
import numpy as np
for n, k, m in ((3, 4, 5), (40, 50, 60), (1, 5000, 1), (70, 3000, 2), (2, 300, 90), (130, 20, 140), (200, 200, 300)):
    for kind in ("float64", "float32", "complex128"):
        huge = 1e200 if kind != "float32" else 1e25
        for what in range(6):
            a, b = np.ones((n, k), kind), np.ones((k, m), kind)
            if what == 1: a[0, 0] = b[0, 0] = huge
            if what == 2: a[n - 1, k - 1], b[k - 1, m - 1] = np.inf, 0
            if what == 3: a[n - 1, 1], a[n - 1, 0] = np.inf, -np.inf
            if what == 4: a[0, 1] = np.nan
            if what == 5: b[1, m - 1] = np.inf
            if kind == "complex128" and what > 1: continue
            print(n, k, m, kind, what)
            c = a @ b
            print(np.isnan(c).sum(), np.isinf(c).sum() if kind != "complex128" else 0)
            if kind == "complex128": continue
            d = np.ones((n, m), kind) * huge
            e = a @ b + d * huge
            f = (a @ b) * np.inf
            d -= a @ b
            print(np.isnan(e).sum(), np.isinf(f).sum(), d[0, 0] > 0)
"""


class Products:
    product_count = 2 # programs of each sort

    def no_host(self, code):
        """Runs it on the device, where all of it has to be done."""
        out, stats = self.stats_of(code)
        self.assertEqual([d for d in stats.get("detours", []) if d["text"].split()[0] in OWN], [], code)
        return out

    def compare(self, code, rtol, least=1.0):
        here, there = self.run_program(["-c", code]), self.no_host(code)
        self.assertEqual(here.returncode, 0, here.stderr)
        self.assertTrue(agree(here.stdout, there, rtol, least), code + "\n" + here.stdout + "\n" + there)

    def test_products(self):
        for k in range(self.product_count):
            code = product_program(random.Random(self.seed + k))
            rough = "float16" in code or "float32" in code or "complex64" in code
            with self.subTest(seed=self.seed + k):
                self.compare(code, 2e-3 if "float16" in code else 1e-4 if rough else 1e-10, 100)

    def test_computed_matrix(self):
        """A matrix that is computed on the way to its product with a vector is never written."""
        code = ("import numpy as np\nA = np.arange(90000.0).reshape(300, 300) / 9\nx = np.arange(300.0)\nA[0, 0], x[0]\n"
                "r = 1.5 * A @ x + x @ (A - 2)\nprint(r[0], r[-1])\n")
        out, stats = self.stats_of(code)
        self.assertTrue(agree(self.run_program(["-c", code]).stdout, out, 1e-12, 1))
        self.assertEqual(stats["operations"]["matmul"], 0)
        self.assertLess(stats["memory_peak"], 4 * 720000)

    def test_sparse_products(self):
        for k in range(self.product_count):
            code = sparse_program(random.Random(self.seed + k))
            with self.subTest(seed=self.seed + k):
                self.compare(code, 1e-5 if "float32" in code or "complex64" in code else 1e-11, 100)

    def test_linear_algebra(self):
        for k in range(self.product_count):
            code = linear_program(random.Random(self.seed + k))
            with self.subTest(seed=self.seed + k):
                self.compare(code, 1e-9)

    def test_failures_of_linear_algebra(self):
        here, there = self.on_both("-c", FAILURES)
        self.assertEqual((there.stdout, there.stderr, there.returncode), (here.stdout, here.stderr, here.returncode))

    def test_fourier(self):
        for k in range(self.product_count):
            code = fourier_program(random.Random(self.seed + k))
            with self.subTest(seed=self.seed + k):
                self.compare(code, 1e-4 if "float32" in code or "complex64" in code else 1e-11, 10)

    def test_flags_of_products(self):
        for code in (FLAGS, FOURIER_FLAGS):
            here, there = self.on_both("-c", code)
            self.assertEqual((there.stdout, there.stderr), (here.stdout, here.stderr))
