# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def mvt(x1, x2, y_1, y_2, A):
    n = A.shape[0]
    for i in prange(n):
        total = 0.0
        for j in range(n):
            total += A[i, j] * y_1[j]
        x1[i] += total
    sums = np.zeros(n)
    for i in prange(n):
        sums += y_2[i] * A[i]
    x2 += sums
    return x1, x2
