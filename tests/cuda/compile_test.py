#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""NVIDIA's own compiler accepts what the stand-in's is given: every text that programs of all sorts make, for devices of
two architectures. NVRTC needs neither a driver nor a device. Without it there is nothing to be tested.

    compile_test.py NACRE [SEED]
"""

import glob
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "run"))
import commit  # noqa: E402
import device_loops  # noqa: E402
import devices  # noqa: E402
import selections  # noqa: E402

NACRE = os.path.abspath(sys.argv[1])
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else commit.seed_of_commit()
STANDIN = os.path.join(os.path.dirname(NACRE), os.pardir, "tests", "standin")
SKIPPED = 77

LIBRARY = """
import numpy as np
x = (np.arange(90.0 * 70) * 37 % 101 / 9).reshape(90, 70)
for dtype in (np.float64, np.float32, np.complex128, np.int32):
    y = x.astype(dtype)
    print((y @ y.T).shape, (y @ y[0]).shape, (y[:40, :40].reshape(4, 10, 40) @ y[:40, :7]).shape)
for dtype in (np.float64, np.complex128):
    a = x[:50, :50].astype(dtype) + np.eye(50) * 99
    print(np.linalg.solve(a, a[:, :3]).shape, np.linalg.inv(a).shape, np.linalg.det(a[:5, :5]).shape,
          np.linalg.cholesky(a @ a.T.conj()).shape, np.linalg.slogdet(a)[1].shape)
    print(np.linalg.qr(a)[0].shape, np.linalg.eigvalsh(a).shape, np.linalg.eigvals(a).shape, np.linalg.svd(a)[1].shape,
          np.linalg.lstsq(a, a[:, :3], None)[0].shape)
for n in (64, 60, 67):
    print(np.fft.fft(x[:, :n]).shape, np.fft.ifft(x[:n], axis=0).shape, np.fft.rfft(x[0, :n]).shape, np.fft.irfft(x[0, :n]).shape)
print(np.convolve(x[0], x[1, :5]).shape, np.interp(x[0], x[:, 0].cumsum(), x[:, 1]).shape, np.packbits(x > 5).shape)
s = (np.arange(600.0 * 700) % 77).reshape(600, 700)
s[1:-1] = s[2:] - s[:-2] + s[1:-1]
print(s.shape, (s * 2).sum(axis=0).shape, s.max())
"""


def find_nvrtc():
    folders = [os.path.join(sys.prefix, "lib", "python*", "site-packages", "nvidia", "*", "lib"), "/usr/local/cuda/lib64",
               "/usr/lib/x86_64-linux-gnu"]
    found = [path for folder in folders for path in glob.glob(os.path.join(folder, "libnvrtc.so.1[1-9]*"))]
    return found[0] if found else None


class Compile(unittest.TestCase):
    def accepts(self, code, capability):
        with tempfile.TemporaryDirectory() as folder:
            env = {"LD_LIBRARY_PATH": STANDIN, "NACRE_CACHE": folder, "STANDIN_COMPILED": folder, "STANDIN_ARCH": capability,
                   "STANDIN_REAL_NVRTC": find_nvrtc(), "NACRE_DEVICE_LEAST": "1"}
            done = subprocess.run([NACRE, "--backend", "cuda", "-c", code], capture_output=True, text=True, timeout=600,
                                  env={**os.environ, **env})
            compiled = len(os.listdir(folder))
        self.assertNotIn("NVRTC says", done.stderr, code)
        self.assertNotIn("stand-in", done.stderr, code)
        self.assertEqual(done.returncode, 0, code + done.stderr)
        self.assertGreater(compiled, 5)

    def test_types(self):
        self.accepts(devices.TYPES.replace("a[np.array([1, 12])]", ""), "90")

    def test_library(self):
        self.accepts(LIBRARY, "80")

    def test_everyday(self):
        self.accepts(devices.EVERYDAY, "90")

    def test_loops(self):
        self.accepts(device_loops.calls("float64", device_loops.THERE), "90")
        self.accepts(device_loops.program(random.Random(SEED)), "80")

    def test_random_programs(self):
        print("seed", SEED, flush=True)
        self.accepts(devices.program(random.Random(SEED)), "80")
        self.accepts(selections.program(random.Random(SEED)), "90")


if __name__ == "__main__":
    if not find_nvrtc() or not os.path.exists(STANDIN):
        print("no NVRTC, or no stand-in")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
