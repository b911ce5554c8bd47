# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def symm(alpha, beta, C, A, B):
    m, n = C.shape
    for i in prange(m):
        for j in range(n):
            C[i, j] *= beta
        for k in range(m):
            x = alpha * (A[i, k] if k <= i else A[k, i])
            for j in range(n):
                C[i, j] += x * B[k, j]
    return C
