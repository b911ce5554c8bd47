#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The CUDA plug-in: what every backend for devices is tested for (tests/run/devices.py), by default on the stand-in
driver (standin/driver.h), and there what happens when memory, calls or libraries fail, and that nothing leaks.

    cuda_test.py NACRE [COUNT [SEED]]
    cuda_test.py --real NACRE [COUNT [SEED]]    on the real driver
    cuda_test.py … --list                       names of the tests, one a line
    cuda_test.py … --test NAME                  that test alone
"""

import json
import os
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "run"))
from commit import seed_of_commit  # noqa: E402
from device_loops import Loops  # noqa: E402
from device_products import Products  # noqa: E402
from devices import Device, agree  # noqa: E402

IS_REAL = "--real" in sys.argv
IS_LIST = "--list" in sys.argv
ONLY = sys.argv[sys.argv.index("--test") + 1] if "--test" in sys.argv else None
ARGUMENTS = [a for a in sys.argv[1:] if a not in ("--real", "--list", "--test", ONLY)]
NACRE = os.path.abspath(ARGUMENTS[0])
STANDIN = os.path.join(os.path.dirname(NACRE), os.pardir, "tests", "standin")
CACHE = tempfile.mkdtemp() # what the stand-in makes is no code for a device
FOUND = os.environ.get("LD_LIBRARY_PATH", "")
ENVIRONMENT = {} if IS_REAL else {"LD_LIBRARY_PATH": STANDIN + (":" + FOUND if FOUND else ""), "NACRE_CACHE": CACHE,
                                  "STANDIN_COMPILED": os.path.join(STANDIN, "compiled")}

# Sums of every sort that is cut differently: all, along the last dimension, along others, short and long, with what
# they begin with.
SUMS = """
import numpy as np
for shape in ((70001,), (3, 20000), (20000, 3), (5000, 40), (40, 5000), (20, 1500, 7), (17, 1000)):
    n = int(np.prod(shape))
    x = ((np.arange(n) * 37 % 1009 - 500) / 16).reshape(shape)
    for axis in (None, *range(len(shape)), *(((0, 2), (0, 1)) if len(shape) == 3 else ())):
        print(shape, axis, np.sum(x * 2 + 1, axis=axis).ravel()[:3], np.max(x, axis=axis).ravel()[-3:],
              np.sum(x, axis=axis, initial=7.0).ravel()[-1], np.mean(x.astype(np.float32), axis=axis).ravel()[:2])
        total = np.sum(x, axis=axis)
        total += np.sum(x * x, axis=axis)
        print(np.ravel(total)[:2], np.any(x > 31, axis=axis).ravel()[:2], np.prod(np.sign(x[x != 0])))
"""

# More rows than a grid has blocks, and rows shorter than a group.
ROWS = """
import numpy as np
x = (np.arange(600000) % 97).reshape(200000, 3).astype(float)
y = x[:, ::-1] * 2 + x[:, :1]
print(y[[0, 1, 65535, 65536, 131071, 199999]].tolist(), y.sum())
z = np.ones((70000, 2, 300))[::7, :, ::5] + np.arange(60.0)
print(z.shape, z[9999, 1].tolist()[:5], z.sum())
"""

CHAIN = """
import numpy as np
x = np.ones((300, 300))
for i in range(200):
    x[1:-1, 1:-1] = (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1]) * 0.2 + 0.001
print(x[150, 150])
"""

# Whole numbers: large products are exact, whoever makes them. A stack of vectors by one matrix is one product.
LARGE = """
import numpy as np
def make(rows, cols, kind):
    return (np.arange(rows * cols) % 17 - 8).reshape(rows, cols).astype(kind) / 4
def show(c):
    print(c.dtype, c.shape, c.ravel()[:3].tolist(), c.ravel()[-3:].tolist(), c.sum())
a, b = make(430, 450, "float64"), make(450, 440, "float64")
show(a @ b)
c = make(440, 430, "float64").T
c -= a @ b
show(c)
s = make(310 * 4, 300, "float32").reshape(4, 310, 300)
show(s.swapaxes(1, 2) @ s)
show(make(2000, 300, "float64").reshape(20, 100, 1, 300) @ b[:300])
b[5, 7], a[3, 5] = 0, np.inf
show((a @ b)[4:])
"""

FOURIER = """
import numpy as np
k = np.arange(1 << 20)
x = (k % 1009 / 1009.0) + 1j * (k % 917 / 917.0)
rows = x.reshape(1024, 1024)
def show(y):
    print(y.dtype, y.shape, np.abs(y).sum(), y.ravel()[12345].item(), np.isfinite(y).sum())
show(np.fft.fft(x))
show(np.fft.ifft(x, norm="ortho"))
show(np.fft.ifft(rows, axis=0))
show(np.fft.fft(rows.astype(np.complex64)))
show(np.fft.fft(np.concatenate([rows, rows], axis=1), n=1024))
for value in (np.inf, np.nan, 1e308):
    odd = rows.copy()
    odd[5, 7:9] = value
    try:
        with np.errstate(over="raise", invalid="raise"):
            print(np.isfinite(np.fft.fft(odd)).sum())
    except FloatingPointError as error:
        print(error)
show(np.fft.fft(x.reshape(64, 128, 128), axis=0))
show(np.fft.fft(x.reshape(64, 128, 128), axis=1))
show(np.fft.fft(x[::-1]))
show(np.fft.rfft(rows.real * 2))
show(np.fft.rfft(x.imag.astype(np.float32)))
show(np.fft.irfft(x))
"""

# Quotients by one number have the bits of division: dividends of all exponents, and hard cases; divisors of which the last
# bits are all ones or one, and ones that are too large and too small for a reciprocal.
QUOTIENTS = """
import numpy as np
bits = np.random.default_rng(7).integers(-2**63, 2**63 - 1, 400000, np.int64)
odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0, 2 - 2.0**-52, 1 + 2.0**-52])
def show(q):
    q = np.where(np.isnan(q), 7.0, q).astype(q.dtype)
    i = q.view(np.int64 if q.itemsize == 8 else np.int32).astype(np.int64)
    print(q.dtype, (i & 0xffffff).sum(), (i >> 24 & 0xffffff).sum(), (i >> 48).sum(), q.ravel()[:11].tolist())
for kind, whole in (("float64", np.int64), ("float32", np.int32)):
    x = bits.astype(whole).view(kind) if kind == "float32" else bits.view(kind)
    near = np.abs(bits % 1000003).astype(kind) - 500001
    with np.errstate(all="ignore"):
        odds = odd.astype(kind)
        for y in (3.0, -0.1, 7.0, 1 / 3, 2 - 2.0**-52, 1 + 2.0**-52, 1.9999999, 1e30, 1e-30, 1e300, -1e-300, 5e-324, 0.0, np.inf, np.nan):
            y = np.dtype(kind).type(y).item()
            show(np.concatenate([odds, x]) / y)
            show((near + 0.5) / y * 3 - near / y)
            rows = near[:360000].reshape(600, 600)
            show((rows[2:, 1:-1] - rows[:-2, 1:-1]) / y)
# As near to halfway between two numbers as quotients come: 2**54 * x is (y + k) / 2 modulo y.
for y in (2**52 + 1, 2**52 + 12345677, 2**53 - 1, 2**53 - 3, 6004799503160661, 5404319552844597, 7205759403792795):
    turned = pow(2**54, -1, y)
    near = [(y + k) // 2 * turned % y for k in range(-99, 100, 2)]
    near = np.array([x * 2.0**(53 - x.bit_length()) for x in near if x.bit_length() < 54 and x] * 200)
    show(near / float(y))
    show(near / -(y * 2.0**-52))
"""

# Sums along one axis, moves of elements of one type; and both along other axes and of other types of that size.
ONE_AXIS = """
import numpy as np
a = np.arange(60.0).reshape(3, 4, 5) / 7
print(a.sum(axis=(1, 2)), a[:, ::-1, ::2].max(axis=1).ravel(), a[::-1].copy().ravel()[:3])
"""
OTHER_AXES = ONE_AXIS + """
print(a[:, ::-1, ::2].max(axis=0).ravel(), a[:, ::-1, ::2].max(axis=2).ravel())
i = np.arange(60).reshape(3, 4, 5)
print(i[::-1].copy().ravel()[:3], i[::-1].view('uint64').copy().ravel()[:3])
"""
MOVES = """
import numpy as np
bits = np.array([0x7c01, 0x7e00, 0xfe12, 0x8001, 1], np.uint16)
print(bits.view(np.float16)[::-1].copy().view(np.uint16))
bits = np.array([0x7ff0000000000001, 0x8000000000000000, 5], np.uint64)
print(bits.view(np.float64)[::-1].copy().view(np.uint64))
"""

FAILING = """
import numpy as np
x = np.ones(1000) * 3
y = x * x + 1
print(y.sum())
"""


class Cuda(Device, Loops, Products, unittest.TestCase):
    nacre, backend, environment = NACRE, "cuda", ENVIRONMENT
    count = int(ARGUMENTS[1]) if len(ARGUMENTS) > 1 else Device.count
    seed = int(ARGUMENTS[2]) if len(ARGUMENTS) > 2 else seed_of_commit()

    def same(self, code):
        here, there = self.on_both("-c", code)
        self.assertEqual((there.returncode, there.stderr), (here.returncode, here.stderr))
        self.assertTrue(agree(here.stdout, there.stdout, 1e-5 if "float32" in code else 1e-11),
                        here.stdout + "\n" + there.stdout)

    def test_sums(self):
        self.same(SUMS)

    def test_rows(self):
        self.same(ROWS)

    def test_loop_stays_there(self):
        out, stats = self.stats_of(CHAIN)
        self.assertTrue(agree(out, self.run_program(["-c", CHAIN]).stdout, 1e-12))
        self.assertGreater(stats["kernels"], 200)
        self.assertEqual(stats["fallbacks"], 0)
        self.assertEqual((stats["copies_host_to_device"], stats["copies_device_to_host"]), (0, 1))

    def programs_of(self, code):
        """How many texts are compiled."""
        self.same(code)
        with tempfile.TemporaryDirectory() as folder:
            self.stats_of(code, NACRE_CACHE=folder, STANDIN_COMPILED=folder)
            return sum(name.endswith(".so") for name in os.listdir(folder))

    def test_one_program_for_all_axes(self):
        if IS_REAL:
            self.skipTest("the stand-in's files are counted")
        # What is printed of the other arrays: their first elements, and what makes them; no more sums, and no more moves.
        few, many = self.programs_of(ONE_AXIS), self.programs_of(OTHER_AXES)
        self.assertGreater(few, 3)
        self.assertLessEqual(many, few + 1, "arange of integers")

    def test_moves_keep_bits(self):
        self.same(MOVES)

    def test_quotients(self):
        here, there = self.on_both("-c", QUOTIENTS)
        self.assertEqual((there.stdout, there.stderr), (here.stdout, here.stderr))

    def test_large_products(self):
        here, there = self.on_both("-c", LARGE)
        self.assertEqual((there.stdout, there.stderr), (here.stdout, here.stderr))

    def test_info(self):
        self.assertRegex(self.run_program(["info"]).stdout,
                         r"\nCUDA: .+, compute capability \d+\.\d, driver of CUDA \d+\.\d+, NVRTC \d+\.\d+\n")


@unittest.skipIf(IS_REAL, "of the stand-in")
class Standin(Device, unittest.TestCase):
    nacre, backend, environment = NACRE, "cuda", ENVIRONMENT
    test_scripts = test_random_programs = test_casts = test_one_kernel = test_by_the_host = test_names = None
    test_warnings = test_types = None

    def on_device(self, code, **env):
        return self.run_program(["--backend", "cuda", "--device-least", "1", "-c", code], **env)

    def test_orders(self):
        for order in ("reverse", "random"):
            for code in (SUMS, ROWS):
                there = self.on_device(code, STANDIN_ORDER=order)
                here = self.run_program(["-c", code])
                self.assertEqual(there.stderr, "")
                self.assertTrue(agree(here.stdout, there.stdout, 1e-5), order)

    def test_nothing_leaks(self):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            for code, pools in ((CHAIN, "1"), (CHAIN, "0"), (SUMS, "1"), ("import numpy as np\nnp.ones(9) / 0\n1 + ''", "1")):
                self.on_device(code, STANDIN_REPORT=report, STANDIN_POOLS=pools)
                with open(report, encoding="utf-8") as stream:
                    found = json.load(stream)
                self.assertEqual(found["live"], {"blocks": 0, "modules": 0, "streams": 0, "events": 0, "handles": 0}, code)
                calls = found["calls"]
                self.assertGreater(calls["cuLaunchKernel"], 0)
                self.assertEqual("cuMemAllocAsync" in calls, pools == "1")
                if code is CHAIN: # the pool has what the loop needs
                    self.assertLess(calls.get("cuMemAllocAsync", calls["cuMemAlloc_v2"]), 20)

    def test_failing_calls(self):
        good = self.run_program(["-c", FAILING]).stdout
        # One that fails once is the host's to do again, or an error at a line of the script.
        for call in ("cuMemAllocAsync", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuLaunchKernel", "cuModuleLoadData",
                     "cuModuleGetFunction", "cuEventRecord", "cuStreamSynchronize", "cuCtxPushCurrent_v2",
                     "cuEventSynchronize", "cuMemsetD32Async"):
            for at in (1, 2, 3, 5):
                for rest in ("", "+"):
                    done = self.on_device(FAILING, STANDIN_FAIL="%s:%d%s" % (call, at, rest))
                    what = "%s:%d%s\n%s%s" % (call, at, rest, done.stdout, done.stderr)
                    if done.returncode == 0:
                        self.assertEqual((done.stdout, done.stderr), (good, ""), what)
                    elif done.returncode == 1:
                        self.assertRegex(done.stderr, r'line \d+, in <module>\n(.*\n)*(MemoryError|RuntimeError)', what)
                    else:
                        self.assertEqual(done.returncode, 2, what)
                        self.assertTrue(done.stderr.startswith("nacre: there is no device for backend 'cuda'"), what)

    def test_memory_of_the_device(self):
        # What was used last stays there, the rest goes to the host, and comes again.
        code = ("import numpy as np\nx = np.arange(1000000) * 0.0 + 1\ny = [x + i for i in range(40)]\nprint(y[39][0], y[0][0], y[20].sum())\n"
                "z = y[0].copy()\nfor a in y:\n    z += a\nprint(z[:3], z.sum())\n")
        for most in (20, 64, 100, 1000):
            done = self.on_device(code, STANDIN_MEMORY=str(most << 20))
            self.assertEqual((done.stdout, done.stderr), ("40.0 1.0 21000000.0\n[821. 821. 821.] 821000000.0\n", ""), most)
        done = self.on_device(code, STANDIN_MEMORY=str(12 << 20))
        self.assertRegex(done.stderr, "line [23], in <module>") # `x`, or what is made of it
        self.assertTrue(done.stderr.endswith("MemoryError: Unable to allocate 7.63 MiB for an array with shape (1000000,) and "
                                             "data type float64\n"), done.stderr)
        # A kernel of two updates that does not fit is run one by one; the one that was done is not done again.
        code = ("import numpy as np\nx = np.ones(1000000)\nx.sum()\nx += 1\ny = x * 2\ntry:\n    print(y.sum())\n"
                "except MemoryError:\n    print('no memory')\ndel y\nprint(x.sum(), x[0])\n")
        done = self.on_device(code, STANDIN_MEMORY=str(12 << 20))
        self.assertEqual((done.stdout, done.stderr), ("no memory\n2000000.0 2.0\n", ""))
        # What is given back serves again, in other sizes, too.
        done = self.on_device("import numpy as np\nfor i in range(1, 60):\n    x = np.ones(i * 40000) + 1\n    s = x.sum()\nprint(s)\n",
                              STANDIN_MEMORY=str(96 << 20))
        self.assertEqual((done.stdout, done.stderr), ("4720000.0\n", ""))

    def test_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(STANDIN, "libcuda.so.1"), folder)
            hidden = {"LD_LIBRARY_PATH": folder, "CUDA_HOME": "", "CUDA_PATH": "", "VIRTUAL_ENV": "", "CONDA_PREFIX": "",
                      "HOME": folder}
            for expected, env in ((": no device that the driver can use", {"STANDIN_DEVICES": "0"}),
                                  (": no NVRTC for a driver of CUDA 11.4", {"STANDIN_VERSION": "11040"}),
                                  (": no NVRTC for a driver of CUDA 12.4", hidden)):
                done = self.on_device("1", **env)
                if env is hidden and done.returncode == 0:
                    continue # this machine has one where it is looked for
                self.assertEqual(done.returncode, 2, expected)
                self.assertTrue(done.stderr.startswith("nacre: there is no device for backend 'cuda'" + expected), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_first_of_several(self):
        done = self.run_program(["--backend", "cuda,cpu", "-c", "print(1)"], STANDIN_DEVICES="0")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1\n", ""))

    def test_kept_code(self):
        code = "import numpy as np\nprint((np.ones(5000) * 3 + 1).sum())\n"
        with tempfile.TemporaryDirectory() as cache:
            env = {"NACRE_CACHE": cache, "STANDIN_COMPILED": ""}
            self.assertEqual(self.stats_of(code, **env)[1]["fallbacks"], 0)
            out, stats = self.stats_of(code, STANDIN_CXX="false", **env)
            self.assertEqual((out, stats["fallbacks"]), ("20000.0\n", 0))
            for name in os.listdir(cache): # broken files are made anew
                with open(os.path.join(cache, name), "r+b") as stream:
                    stream.seek(100)
                    stream.write(b"broken")
            out, stats = self.stats_of(code, STANDIN_CXX="false", **env)
            self.assertEqual(out, "20000.0\n")
            self.assertGreater(stats["fallbacks"], 0)

    def test_other_devices(self):
        for arch, expected in (("80", 0), ("103", 0), ("86", 0), ("75", 2)): # made for, newer, between, too old
            done = self.on_device("import numpy as np\nprint((np.ones(5) + 1).sum())", STANDIN_ARCH=arch)
            self.assertEqual((done.returncode, done.stdout), (expected, "" if expected else "10.0\n"), arch)

    def test_blas(self):
        good = self.run_program(["-c", LARGE])
        with tempfile.TemporaryDirectory() as folder:
            calls = os.path.join(folder, "calls")
            there = self.on_device(LARGE, STANDIN_BLAS_CALLS=calls)
            self.assertEqual((there.stdout, there.stderr), (good.stdout, good.stderr))
            with open(calls, encoding="utf-8") as stream:
                self.assertEqual(stream.read().split("\n"), ["Dgemm 0 0 440 430 450 1", "Dgemm 0 0 440 430 450 1",
                                                             "Sgemm 0 1 300 300 310 4", "Dgemm 0 0 440 2000 300 1",
                                                             "Dgemm 0 0 440 430 450 1", ""])
        self.assertRegex(self.run_program(["info"]).stdout, r"\nCUDA: large matrix products by cuBLAS 12\.0\n")
        # Of a library that fails the products are own ones.
        first = LARGE[:LARGE.index("c = make")]
        there = self.on_device(first, STANDIN_BLAS_FAIL="1")
        self.assertEqual((there.stdout, there.stderr), (self.run_program(["-c", first]).stdout, ""))

    def test_fourier(self):
        good = self.run_program(["-c", FOURIER])
        with tempfile.TemporaryDirectory() as folder:
            calls = os.path.join(folder, "calls")
            there = self.on_device(FOURIER, STANDIN_FOURIER_CALLS=calls)
            self.agrees(there, good)
            with open(calls, encoding="utf-8") as stream:
                self.assertEqual(stream.read().split("\n"), [
                    "Z2Z 1048576 1 -1", "Z2Z 1048576 1 1", "Z2Z 1024 1024 1", "C2C 1024 1024 -1", "Z2Z 1024 1024 -1",
                    "Z2Z 1024 1024 -1", "Z2Z 1024 1024 -1", "Z2Z 1024 1024 -1", "Z2Z 64 16384 -1", "D2Z 1024 1024 -1",
                    "R2C 1048576 1 -1", ""])
        self.assertRegex(self.run_program(["info"]).stdout, r"\nCUDA: large Fourier transforms by cuFFT 11\.2\n")
        # Whichever call fails, the transforms are own ones.
        first = FOURIER[:FOURIER.index("show(np.fft.ifft")]
        here = self.run_program(["-c", first])
        for call in ("Create", "MakePlanMany64", "SetWorkArea", "ExecZ2Z"):
            self.agrees(self.on_device(first, STANDIN_FAIL="cufft%s:1:5" % call), here)

    def agrees(self, there, here):
        """Of lines with numbers, which differ in the last digits."""
        self.assertEqual((there.returncode, there.stderr), (0, here.stderr))
        ours, others = there.stdout.splitlines(), here.stdout.splitlines()
        self.assertEqual(len(ours), len(others))
        for one, other in zip(ours, others):
            self.assertTrue(agree(one, other, 1e-5), (one, other))

    def test_lost(self):
        done = self.on_device(FAILING, STANDIN_FAIL="cuStreamSynchronize:1+:719")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"RuntimeError: the device could not \w+ ")


def main():
    if not IS_REAL and not os.path.exists(os.path.join(STANDIN, "libcuda.so.1")):
        print("this build has no stand-in for CUDA's driver: nothing to test")
        return 77
    if "backend cuda" not in Cuda.run_program(["info"]).stdout:
        print("this build has no CUDA plug-in: nothing to test")
        return 77
    if IS_LIST:
        print("\n".join(unittest.TestLoader().getTestCaseNames(Cuda)))
        return 0
    try:
        names = ["Cuda." + ONLY] if ONLY else []
        return not unittest.main(argv=sys.argv[:1] + names, exit=False).result.wasSuccessful()
    finally:
        shutil.rmtree(CACHE)


if __name__ == "__main__":
    sys.exit(main())
