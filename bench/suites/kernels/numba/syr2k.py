# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def syr2k(alpha, beta, C, A, B):
    n, m = A.shape
    for i in prange(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(m):
                total += A[i, k] * B[j, k] + B[i, k] * A[j, k]
            C[i, j] = beta * C[i, j] + alpha * total
    return C
