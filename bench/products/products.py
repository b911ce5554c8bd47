# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Seconds of one product of n × n matrices, for each size and type. Runs with nacre and with CPython."""

import sys
import time

import numpy as np

SIZES = [int(word) for word in sys.argv[1].split(",")]


def best(function, count):
    shortest = 1e9
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(count):
            function()
        shortest = min(shortest, (time.perf_counter() - start) / count)
    return shortest


for kind in ("float64", "float32", "complex128"):
    for n in SIZES:
        a = np.linspace(-1, 1, n * n).reshape(n, n).astype(kind)
        b = a.T.copy()
        c = np.empty_like(a)
        count = max(1, min(2000, int(2e8 / (n * n * n + 2000.0) / 20)))
        print(kind, n, best(lambda: np.matmul(a, b), count))
