# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def atax(A, x):
    m, n = A.shape
    t = np.empty(m)
    for i in prange(m):
        total = 0.0
        for j in range(n):
            total += A[i, j] * x[j]
        t[i] = total
    y = np.zeros(n)
    for i in prange(m):
        y += t[i] * A[i]
    return y
