# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What every backend for devices is tested for: scripts and random programs come to what they come to on the cpu,
warnings and errors with their lines included; what is fused there is one kernel on the device, between kernels
nothing is copied, and what the device has no words for is done by the host.

A test's class derives from Device (and unittest.TestCase) and says which backend, program and environment it is of.
"""

import json
import os
import random
import re
import subprocess
import tempfile

import selections

ARRAYS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "array")
os.environ.pop("NACRE_STRESS", None)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|inf|nan)")


def agree(a, b, rtol, least=1e-3):
    """The same text but for numbers, which may differ a little: by `rtol` of themselves, or of `least` if they are
    smaller than that."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
        x, y = float(x), float(y)
        if x != y and not (x != x and y != y) and abs(x - y) > rtol * max(abs(x), abs(y), least):
            return False
    return True


# --- Random programs -------------------------------------------------------------------------------

UNARY = ("np.sqrt(abs({}))", "-{}", "{} ** 2", "np.exp(-abs({}))", "np.log(abs({}) + 1)", "np.sin({})", "np.floor({})",
         "np.where({0} > 0, {0}, {0} / 2)", "abs({})", "np.tanh({})", "({} > 1).astype(float)", "1 / (1 + abs({}))")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "{} / ({} + 7.5)", "np.maximum({}, {})", "np.minimum({}, {})", "{} % (abs({}) + 2)",
          "np.hypot({}, {})", "np.arctan2({}, {})", "np.copysign({}, {})")
SHAPES = ("(7,)", "(1000,)", "(70001,)", "(5, 9)", "(40, 50)", "(3, 4, 5)", "(30, 1)", "(2, 1, 2000)")


def program(rng):
    shape = rng.choice(SHAPES)
    ndim = shape.count(",") - shape.endswith(",)") + 1
    lines = ["import numpy as np", "n = int(np.prod(%s))" % shape]
    for name, factor in (("a", 7), ("b", 11), ("c", 13)):
        kind = rng.choice(("float64", "float64", "float32", "int64", "int32"))
        lines.append("%s = ((np.arange(n) * %d %% 101 - 50) / 8).astype(np.%s).reshape(%s)" % (name, factor, kind, shape))
    names = ["a", "b", "c", "a[::-1]", "b[..., ::-1]"]
    for k in range(rng.randrange(2, 6)):
        form = rng.choice(UNARY + BINARY)
        lines.append("x%d = %s" % (k, form.format(*rng.choices(names, k=2))))
        names += ["x%d" % k, "x%d" % k]
    lines.append("y = " + " + ".join(n for n in set(names) if n[0] == "x"))
    axis = rng.choice(("None", *map(str, range(ndim)), "(0,)" if ndim == 1 else "(0, 1)"))
    for reduction in rng.sample(("sum", "max", "min", "prod", "any", "all", "mean"), 3):
        operand = "np.sign(y)" if reduction == "prod" else "y"
        lines.append("r = np.asarray(np.%s(%s, axis=%s))" % (reduction, operand, axis))
        lines.append("print(r.dtype, r.shape, r.ravel()[:5].tolist(), r.ravel()[-1])")
    lines += ["y += 1", "y[..., 0] *= 2", "z = np.zeros(y.shape)", "z[...] = y"]
    lines.append("print(y.dtype, y.ravel()[:4].tolist(), z.ravel()[-3:].tolist(), z.sum())")
    return "\n".join(lines) + "\n"


WARNED = """
import numpy as np
x = np.array([1.0, 0.0, -1.0, 1e200, np.inf, np.nan])
y = x * x
z = 1 / x
w = np.log(x)
v = np.sqrt(x) + z
u = (x * 1e150) * (x * 1e150)
s = (x[:4] * x[:4]).sum()
i = x.astype(np.int32)
f = (np.ones(3) * 1e300).astype(np.float32)
t = np.exp(x) - np.inf
print(y, z, w, v, u, s, f, t)
with np.errstate(divide="raise"):
    try:
        print(x / 0)
    except FloatingPointError as error:
        print(error)
"""

# One number at a time, so that each says for itself whether it is told of. What comes of one that is
# told of is the machine's.
CAST = """
import numpy as np
for x in (0.5, -0.5, 127.5, 128.0, 300.0, -1.0, -300.0, 40000.0, 2147483647.5, -2147483648.5, 3e9, -3e9, 1e18, 9.3e18,
          1.9e19, -1e19, np.inf, np.nan):
    a = np.full(3, x, "%s") * np.ones(3, "%s")
    with np.errstate(under="ignore", invalid="raise"):
        try:
            print(x, a.astype("%s"))
        except FloatingPointError as error:
            print(x, error)
"""


# What people write: a product, a mask, order, statistics, sums, counts. Two arrays come from the host.
EVERYDAY = """
import numpy as np
rng = np.random.default_rng(0)
x = rng.normal(size=(20000, 50))
w = rng.normal(size=50)
y = x @ w + 0.1
pos = y[y > 0]
order = np.argsort(pos)
top = pos[order[-5:]]
z = (x - x.mean(axis=0)) / x.std(axis=0)
c = np.cumsum(z[:, 0])
h = np.histogram(y, bins=10)[0]
i = y.argmax()
k = np.arange(20000) // 7 % 13
b = np.bincount(k, weights=y)
print(top, z.max(), c[-1], h, i, b[:3])
"""

# Each round waits for nothing, and copies nothing: what is observed is one number in the end.
STAYING = """
import numpy as np
x = np.arange(400000.0).reshape(500, 800)
i = np.arange(0, 500, 3)
for k in range(%d):
    y = x * 1.01 + k
    y[1:-1] = (y[2:] + y[:-2]) / 2
    z = y[i].sum(axis=1)
    x = np.where(y > 50, y - z.max(keepdims=True), y) / np.sort(z)[::-1][:1] + np.cumsum(y[0])
print(float(x.sum()))
"""

# Running products of floats that leave the range of floats, and come back to it in parts or as a whole.
RUNNING = """
import numpy as np
def show(y):
    print(y.dtype, y.ravel()[::4999].tolist(), y.ravel()[-1], np.isnan(y).sum(), np.isinf(y).sum(), (y == 0).sum(), np.signbit(y[y == y]).sum())
n = 20000
k = np.arange(n)
u = (k * 40503 % 65536 + 0.5) / 65536
def with_parts(t, *parts):
    x = (1 + (u - 0.5) / 1000).astype(t)
    for begin, end, value in parts:
        x[begin:end] = value
    return x
for t, small in (("float64", 1e-20), ("float32", 1e-3)):
    show(np.cumprod(with_parts(t)))
    show(np.cumprod((u * np.where(k % 3 == 1, -1, 1)).astype(t)))
    show(np.cumprod((u * 8 + 1).astype(t)))
    show(np.cumprod(np.where(k % 2, small, 1 / small).astype(t)))
    show(np.cumprod(with_parts(t, (7000, 7001, 0))))
    show(np.cumprod(with_parts(t, (7000, 7001, 0), (9000, 9001, np.inf))))
    show(np.cumprod(with_parts(t, (7000, 7001, -np.inf), (9000, 9001, 0))))
    show(np.cumprod(with_parts(t, (3, 4, np.nan))))
    for count in (4, 16, 40): # which is normal, subnormal, zero
        show(np.cumprod(with_parts(t, (5000, 5000 + count, small), (15000, 15000 + count, 1 / small))))
        show(np.cumprod(with_parts(t, (5000, 5000 + count, 1 / small), (15000, 15000 + count, small))))
    x = with_parts(t, (13000, 13001, 0)).reshape(2, 10000)
    show(np.cumprod(x[:, ::-1], axis=1))
    show(np.multiply.accumulate(x, axis=1, out=x))
with np.errstate(all="raise", under="ignore"):
    for x in (np.full(9000, 2.0), np.where(k == 5000, 0, np.where(k == 6000, np.inf, 1.0))):
        try:
            print(np.cumprod(x)[-1])
        except FloatingPointError as error:
            print(error)
"""

DRAWS = """
import numpy as np
for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox):
    rng = np.random.Generator(kind(1))
    for x in (rng.random(200001), rng.random(100001, np.float32), rng.random(100000, np.float32), rng.uniform(-2, 7, (300, 200))):
        print(x.max(), x.min(), np.count_nonzero(x > 0.5), x.argmax())
    for x in (rng.integers(0, 1000, 200001), rng.integers(0, 3 * 10**9, 50000), rng.integers(-8, 8, 60000)):
        print(x.sum(), x.max(), x.argmin())
    print(rng.random())
"""

# Loops whose rounds are run together, in whole numbers: rows, columns from behind, windows in two loops, numbers of the
# round, temporaries, products, and rounds that need the third before them.
ROUNDS = """
import numpy as np
a = np.arange(40 * 30).reshape(40, 30) % 97
b = np.arange(30)
out = np.zeros_like(a)
def twice(x):
    y = x * 2
    y += b
    return y
for i in range(40):
    out[i] = twice(a[i]) - np.maximum(a[39 - i], i)
print(out.sum(axis=1).tolist())
for j in range(29, 3, -1):
    out[:, j] = a[:, j - 3] * j + out[:, j]
print(out.sum(axis=0).tolist())
for i in range(38):
    for j in range(0, 27, 3):
        out[i, j:j + 2] = (a[i:i + 3, j:j + 2] * b[:2]).sum(axis=0) + i * j
print(out.sum(axis=1).tolist())
m = (np.arange(40 * 6) % 11).reshape(40, 2, 3).astype(float)
p = np.empty((40, 2, 2))
for i in range(40):
    p[i] = m[i] @ m[39 - i].T
print(p.sum(axis=0).tolist())
for i in range(3, 40):
    out[i] = out[i - 3] // 2 + a[i]
print(out.sum(axis=1).tolist())
"""

# What has no register of flags derives them: of integers from operands, of complex numbers step by step. Errors are those
# of the host, at the same line.
TYPES = """
import numpy as np
i = np.array([0, 1, -128, 7], np.int8) + np.int8(0)
j = np.array([0, -1, -1, 0], np.int8) + np.int8(0)
print(i // j, i % j, np.fmod(i, j))
print(np.reciprocal(i))
print(np.floor_divide.reduce(np.array([-128, -1, 3], np.int8)), np.subtract.reduce(np.arange(9) ** 2))
w = np.array([1, 2, 3], np.uint16) // np.array([1, 0, 2], np.uint16)
x = np.array([0, 1, -1, 2.5, np.inf, np.nan]) + 0.0
print(np.log1p(x * 1))
print(np.arctanh(x))
print(np.logaddexp(x, -x), w)
h = np.array([0.1, 60000, 1e-7, -2.5, np.inf], np.float16)
print(h * h, h / 3, np.exp(h), np.sqrt(h), h.sum(), np.array([65519, 65520]).astype(np.float16))
p = np.arange(1, 7)
try:
    np.power.at(p, [1, 2], [3, -1])
except ValueError as error:
    print(error, p)
np.power.at(p, [1, 1, 2], [3, 2, 2])
print(p)
c = np.array([0, 1 + 2j, complex(1e300, -1e300), complex(np.inf, 1), complex(np.nan, np.inf)]) + 0.0
print(c * c)
print(1 / c, c / c)
print(np.sqrt(c), np.exp(c), np.log(c))
print(np.tanh(c), np.arcsin(c), c ** 2.5, abs(c), c.real + c.imag)
print(c[:3].sum(), c[:2].prod(), np.max(c[:4]), c[:4] > 1, np.sort_complex(c[:3]), c[:3].astype(np.complex64))
print(c[:2].astype(np.float32), (c != c).any(), np.where(c[:3] == 0, 1, c[:3]))
k = np.ones((2,) * 11) + np.arange(2.0)
print(k.sum(), (k.T * k).sum(axis=(0, 3)).ravel()[:3])
for exponent in (2, -2):
    try:
        print(np.array([2, 3]) ** (np.array([1, 1]) * exponent))
    except ValueError as error:
        print(error)
print(np.power.reduce(np.array([2, 3, 2])))
a = np.arange(10.0)
for place in (9, -10, 10, -11):
    try:
        print(a[np.array([3, 1]) * 0 + place])
    except IndexError as error:
        print(error)
a[np.array([1, 12])]
"""


class Device:
    nacre = backend = None
    environment = {}
    count, seed = 6, 0

    @classmethod
    def run_program(cls, args, **env):
        return subprocess.run([cls.nacre, *args], capture_output=True, text=True, timeout=300,
                              env={**os.environ, **cls.environment, **env})

    @classmethod
    def stats_of(cls, code, **env):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "stats.json")
            done = cls.run_program(["--backend", cls.backend, "--stats", file, "-c", code], **{"NACRE_DEVICE_LEAST": "1", **env})
            if done.returncode:
                raise AssertionError(done.stderr)
            with open(file, encoding="utf-8") as stream:
                return done.stdout, json.load(stream)

    def on_both(self, *args):
        return self.run_program(args), self.run_program(["--backend", self.backend, "--device-least", "1", *args])

    def test_scripts(self):
        for name in ("operators", "long_chains", "float_errors"):
            path = os.path.join(ARRAYS, name + ".ncr")
            here, there = self.on_both(path)
            self.assertEqual(there.returncode, here.returncode, name + there.stderr)
            for own, other in ((here.stdout, there.stdout), (here.stderr, there.stderr)):
                for line, (a, b) in enumerate(zip(own.splitlines(), other.splitlines())):
                    self.assertTrue(agree(a, b, 1e-6), "%s, line %d:\n%s\n%s" % (name, line + 1, a, b))
                self.assertEqual(len(own.splitlines()), len(other.splitlines()), name)

    def test_random_programs(self):
        for k in range(self.count):
            code = program(random.Random(self.seed + k))
            here, there = self.on_both("-c", code)
            self.assertEqual(there.returncode, 0, "seed %d\n%s\n%s" % (self.seed + k, code, there.stderr))
            # tanh(x) + 1 and the like keep few digits of what they are made of, numbers of about 1 to 100.
            rtol = 1e-5 if "float32" in code else 1e-10
            self.assertTrue(agree(here.stdout, there.stdout, rtol, 1),
                            "seed %d\n%s\n%s\n%s" % (self.seed + k, code, here.stdout, there.stdout))
            self.assertEqual(here.stderr, there.stderr, "seed %d\n%s" % (self.seed + k, code))

    def test_selections(self):
        for k in range((self.count + 1) // 2): # many texts are compiled for each
            code = selections.program(random.Random(self.seed + k))
            here = self.run_program(["-c", code])
            out, stats = self.stats_of(code)
            for a, b in zip(here.stdout.splitlines(), out.splitlines()):
                rtol = 3e-3 if "float16" in a else 1e-4 if "float32" in a or "complex64" in a else 1e-10
                same = agree(a, b, rtol, 10) if a.startswith("about") else a == b
                self.assertTrue(same, "seed %d\n%s\n%s\n%s" % (self.seed + k, code, a, b))
            self.assertEqual(len(out.splitlines()), len(here.stdout.splitlines()), code)
            absent = [d["text"] for d in stats["detours"] if d["text"].split(" runs on the host")[0] in selections.NAMES]
            self.assertEqual(absent, [], "seed %d\n%s" % (self.seed + k, code))

    def test_warnings(self):
        here, there = self.on_both("-c", WARNED)
        self.assertEqual(there.stderr, here.stderr)
        self.assertTrue(agree(here.stdout, there.stdout, 1e-12), there.stdout)

    def test_types(self):
        here, there = self.on_both("-c", TYPES)
        self.assertEqual((there.returncode, there.stderr), (here.returncode, here.stderr))
        self.assertTrue(agree(here.stdout, there.stdout, 2e-3), here.stdout + "\n" + there.stdout)

    def test_casts(self):
        for source in ("float64", "float32"):
            for target in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
                code = CAST % (source, source, target)
                here, there = self.on_both("-c", code)
                self.assertEqual((there.stdout, there.stderr), (here.stdout, here.stderr), code)

    def test_one_kernel(self):
        head = "import numpy as np\nx = np.ones(100000)\ny = np.ones(100000)\nx += 1\ny += 2\nfloat(x[0] + y[0])\n"
        _, before = self.stats_of(head)
        out, after = self.stats_of(head + "z = np.exp(x * 2 + y) / (y + 1) - x\nz = z * z\nprint((z + z).max())\n")
        self.assertEqual(after["kernels"] - before["kernels"], 1)
        self.assertEqual(after["fallbacks"], before["fallbacks"])
        self.assertEqual(after["copies_host_to_device"], before["copies_host_to_device"])
        self.assertLessEqual(after["bytes_device_to_host"] - before["bytes_device_to_host"], 8)
        self.assertAlmostEqual(float(out), 2 * (2.718281828459045**7 / 4 - 2) ** 2, places=6)

    def test_everyday(self):
        here = self.run_program(["-c", EVERYDAY])
        out, stats = self.stats_of(EVERYDAY, NACRE_DEVICE_LEAST="0") # the backend's own
        self.assertTrue(agree(here.stdout, out, 1e-9), here.stdout + out)
        self.assertEqual((stats["fallbacks"], stats["detours"]), (0, []))
        # x and w; of little ones the edges of the histogram, and what its counts are added to
        self.assertLessEqual(stats["copies_host_to_device"], 5)
        self.assertLess(stats["bytes_host_to_device"], 8 * (20000 * 50 + 50) + 1000)
        # six results; how many are positive; the ends of the histogram; the range of what is counted
        self.assertLessEqual(stats["copies_device_to_host"], 13)
        self.assertLess(stats["bytes_device_to_host"], 1000)

    def test_staying(self):
        """Copies and waits do not grow with the rounds."""
        few, many = self.stats_of(STAYING % 3)[1], self.stats_of(STAYING % 30)[1]
        self.assertEqual((many["fallbacks"], many["detours"]), (0, []))
        for name in ("copies_host_to_device", "copies_device_to_host", "bytes_host_to_device", "bytes_device_to_host"):
            self.assertEqual(few[name], many[name], name)

    def test_rounds_of_loops(self):
        here = self.run_program(["-c", ROUNDS])
        out, stats = self.stats_of(ROUNDS)
        self.assertEqual(out, here.stdout)
        self.assertGreater(stats["nodes_batched"], 1000)
        self.assertLess(stats["kernels"] + stats["library_calls"], 100)

    def test_running_products(self):
        here, there = self.on_both("-c", RUNNING)
        self.assertEqual(there.stderr, here.stderr)
        self.assertTrue(agree(here.stdout, there.stdout, 1e-3), here.stdout + "\n" + there.stdout)

    def test_draws(self):
        """Random numbers are made there: what is copied is sums."""
        here = self.run_program(["-c", DRAWS])
        out, stats = self.stats_of(DRAWS, NACRE_DEVICE_LEAST="0")
        self.assertEqual(out, here.stdout)
        self.assertEqual((stats["fallbacks"], stats["detours"]), (0, []))
        self.assertLess(stats["bytes_host_to_device"], 1000)
        self.assertLess(stats["bytes_device_to_host"], 1000)

    def test_by_the_host(self):
        out, stats = self.stats_of("import numpy as np\na = np.stack([np.eye(3) * 2] * 100)\nprint(abs(np.linalg.qr(a)[1]).sum())\n")
        self.assertEqual(out, "600.0\n")
        self.assertGreater(stats["fallbacks"], 0)
        self.assertRegex(stats["detours"][0]["text"], "^qr runs on the host: %s has no qr: (not of many|it is done by a library)" % self.backend)

    def test_names(self):
        for name in (self.backend[:-1], "../nacre/nacre-" + self.backend, "", "x" * 5000):
            done = self.run_program(["--backend", name, "-c", "1"])
            self.assertEqual((done.returncode, done.stderr), (2, "nacre: unknown backend '%s'\n" % name))
