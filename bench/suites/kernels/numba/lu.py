# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def lu(A):
    n = A.shape[0]
    for k in range(n):
        for i in prange(k + 1, n):
            A[i, k] /= A[k, k]
            f = A[i, k]
            for j in range(k + 1, n):
                A[i, j] -= f * A[k, j]
    return A
