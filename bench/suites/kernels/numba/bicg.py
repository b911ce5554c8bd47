# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def bicg(A, p, r):
    m, n = A.shape
    q = np.empty(m)
    for i in prange(m):
        total = 0.0
        for j in range(n):
            total += A[i, j] * p[j]
        q[i] = total
    s = np.zeros(n)
    for i in prange(m):
        s += r[i] * A[i]
    return s, q
