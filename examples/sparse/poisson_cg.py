# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Poisson's equation on the unit square by conjugate gradients: the matrix is a Kronecker sum of second derivatives."""

import numpy as np
from scipy.sparse import diags_array, kronsum
from scipy.sparse.linalg import cg

N = 100  # points inside, along each side

h = 1.0 / (N + 1)
second = diags_array([np.full(N - 1, -1.0), np.full(N, 2.0), np.full(N - 1, -1.0)], offsets=[-1, 0, 1]) / h**2
A = kronsum(second, second, format="csr")
at = np.linspace(h, 1 - h, N)
x, y = np.meshgrid(at, at, indexing="ij")
exact = (x - x**3) * np.sin(np.pi * y)
b = 6 * x * np.sin(np.pi * y) + np.pi**2 * exact
steps = []
solution, info = cg(A, b.ravel(), rtol=1e-10, callback=lambda xk: steps.append(1))
print(f"{A.nnz} entries, info {info}, {len(steps)} iterations")
print(f"largest error {np.abs(solution - exact.ravel()).max():.2e}")
