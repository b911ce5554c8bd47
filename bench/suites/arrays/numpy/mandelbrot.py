# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# The Mandelbrot set: how many iterations each point stays near. A mask says which still do.
import numpy as np


def data(n, most):
    x, y = np.linspace(-2.25, 0.75, n), np.linspace(-1.25, 1.25, n)
    return x + 1j * y[:, np.newaxis], most


def run(c, most):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=np.int64)
    for _ in range(most):
        near = z.real * z.real + z.imag * z.imag < 4
        count[near] += 1
        z[near] = z[near] * z[near] + c[near]
    return count
