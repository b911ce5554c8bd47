# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def gesummv(alpha, beta, A, B, x):
    n = A.shape[0]
    y = np.empty(n)
    for i in prange(n):
        a = 0.0
        b = 0.0
        for j in range(n):
            a += A[i, j] * x[j]
            b += B[i, j] * x[j]
        y[i] = alpha * a + beta * b
    return y
