# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def step(a, b):
    n = a.shape[0]
    for i in prange(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                c = a[i, j, k]
                b[i, j, k] = (0.125 * (a[i + 1, j, k] - 2.0 * c + a[i - 1, j, k]) +
                              0.125 * (a[i, j + 1, k] - 2.0 * c + a[i, j - 1, k]) +
                              0.125 * (a[i, j, k + 1] - 2.0 * c + a[i, j, k - 1]) + c)


def heat_3d(TSTEPS, A, B):
    for t in range(1, TSTEPS):
        step(A, B)
        step(B, A)
    return A, B
