#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The OpenCL plug-in, on the first device that there is (tests/run/devices.py).

    opencl_test.py NACRE [COUNT [SEED]]
"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "run"))
from commit import seed_of_commit  # noqa: E402
from device_loops import Loops  # noqa: E402
from device_products import Products  # noqa: E402
from devices import Device  # noqa: E402


# Little arrays of many sizes and shapes, and large ones whose rows are short, wide and in between.
SIZES = """
import numpy as np
for n in range(1, 70):
    x = np.arange(2 * n) * 0.5
    print((x[:n] * 2 + x[n:])[-1], end=" ")
print()
for shape in ((1, 9), (9, 1), (3, 40), (40, 3), (1000, 20), (20, 1000), (50000, 3), (3, 50000), (7, 70, 9), (300, 5, 2)):
    x = (np.arange(np.prod(shape)) % 97).reshape(shape) * 0.5
    y = x[..., ::-1] * 2 + x[..., :1]
    print(shape, y.ravel()[[0, -1]], float((y * y).sum()))
"""


class OpenCl(Device, Loops, Products, unittest.TestCase):
    nacre, backend = os.path.abspath(sys.argv[1]), "opencl"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else Device.count
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else seed_of_commit()

    def test_without_device(self):
        with tempfile.TemporaryDirectory() as nothing:
            done = self.run_program(["--backend", "opencl", "-c", "1"], OCL_ICD_VENDORS=nothing)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "nacre: there is no device for backend 'opencl': no device: install a driver for one "
                          "(an ICD, such as pocl-opencl-icd for the processor)\n"))

    def test_few_shapes_of_groups(self):
        """PoCL compiles a function anew for each shape of a group, so there are few: one for rows, two for others."""
        here, there = self.on_both("-c", SIZES)
        self.assertEqual((there.stdout, there.stderr), (here.stdout, here.stderr))
        if "PoCL" not in self.run_program(["info"]).stdout:
            self.skipTest("not PoCL")
        with tempfile.TemporaryDirectory() as cache:
            self.run_program(["--backend", "opencl", "--device-least", "1", "-c", SIZES], POCL_CACHE_DIR=cache)
            shapes = {}
            for place, _, names in os.walk(cache):
                if "nacre_code.so" in names:
                    program, _, group = os.path.relpath(place, cache).rsplit("/", 2)
                    shapes.setdefault(program, set()).add("-".join(group.split("-")[:3]))
        self.assertTrue(shapes)
        self.assertLessEqual(set().union(*shapes.values()), {"64-1-1", "16-4-1", "8-8-1", "1-64-1"})


if __name__ == "__main__":
    if "backend opencl" not in OpenCl.run_program(["info"]).stdout:
        print("this build has no OpenCL plug-in: nothing to test")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
