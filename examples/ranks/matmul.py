# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The largest eigenvalue of a symmetric matrix, by powers of it: products of matrices and of a matrix and a vector.

On ranks matrices are cut into bands of rows. For `a @ b` each rank needs its rows of `a`, and all of `b`.
"""

import sys

import numpy as np

size = int(sys.argv[1]) if len(sys.argv) > 1 else 300
at = np.arange(size) * 1.0
a = np.exp(-np.abs(at[:, None] - at[None, :]) / 10.0)

squared = a @ a
trace = (a * a).sum()  # of the product with itself, as the matrix is symmetric
print(f"trace of the square: {trace:.6f}, and {np.trace(squared):.6f}")

vector = np.ones(size)
for step in range(60):
    vector = squared @ vector
    vector /= np.sqrt((vector * vector).sum())
value = np.sqrt((vector * (squared @ vector)).sum())
print(f"largest eigenvalue: {value:.8f}")
print(f"its vector's ends: {vector[0]:.6f} {vector[-1]:.6f}, middle: {vector[size // 2]:.6f}")
