# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Seconds of one cblas_dgemm of a library, for each size."""

import ctypes
import sys
import time

import numpy as np

library = ctypes.CDLL(sys.argv[1])
ROW_MAJOR, NO_TRANS = 101, 111
double = ctypes.c_double


def call(n, a, b, c):
    library.cblas_dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, double(1), a, n, b, n, double(0), c, n)


for n in [int(word) for word in sys.argv[2].split(",")]:
    a = np.linspace(-1, 1, n * n)
    b, c = a[::-1].copy(), np.empty(n * n)
    places = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)]
    count, shortest = max(1, min(2000, int(2e8 / (n * n * n + 2000.0) / 20))), 1e9
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            call(n, *places)
        shortest = min(shortest, (time.perf_counter() - start) / count)
    print("float64", n, shortest)
