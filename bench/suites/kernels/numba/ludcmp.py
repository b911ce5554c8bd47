# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def ludcmp(A, b):
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for k in range(n):
        for i in prange(k + 1, n):
            A[i, k] /= A[k, k]
            f = A[i, k]
            for j in range(k + 1, n):
                A[i, j] -= f * A[k, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return x, y
