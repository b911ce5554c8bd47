# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def trmm(alpha, A, B):
    m, n = B.shape
    for i in range(m):
        for j in prange(n):
            total = B[i, j]
            for k in range(i + 1, m):
                total += A[k, i] * B[k, j]
            B[i, j] = alpha * total
    return B
