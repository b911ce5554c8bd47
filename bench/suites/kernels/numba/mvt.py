# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def sum_of_rows(x, A):
    """x A. On its own, as Numba would fuse its loop with what uses the whole result."""
    sums = np.zeros(A.shape[1])
    for i in prange(A.shape[0]):
        sums += x[i] * A[i]
    return sums


def mvt(x1, x2, y_1, y_2, A):
    n = A.shape[0]
    for i in prange(n):
        total = 0.0
        for j in range(n):
            total += A[i, j] * y_1[j]
        x1[i] += total
    x2 += sum_of_rows(y_2, A)
    return x1, x2
