#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The OpenCL plug-in, on the first device that there is (tests/run/devices.py).

    opencl_test.py NACRE [COUNT [SEED]]
"""

import os
import random
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "run"))
from device_products import Products  # noqa: E402
from devices import Device  # noqa: E402


class OpenCl(Device, Products, unittest.TestCase):
    nacre, backend = os.path.abspath(sys.argv[1]), "opencl"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else Device.count
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**6)

    def test_without_device(self):
        with tempfile.TemporaryDirectory() as nothing:
            done = self.run_program(["--backend", "opencl", "-c", "1"], OCL_ICD_VENDORS=nothing)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "nacre: there is no device for backend 'opencl': no device: install a driver for one "
                          "(an ICD, such as pocl-opencl-icd for the processor)\n"))


if __name__ == "__main__":
    if "backend opencl" not in OpenCl.run_program(["info"]).stdout:
        print("this build has no OpenCL plug-in: nothing to test")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
