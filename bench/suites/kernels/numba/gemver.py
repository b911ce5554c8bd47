# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    n = A.shape[0]
    for i in prange(n):
        for j in range(n):
            A[i, j] += u1[i] * v1[j] + u2[i] * v2[j]
    x += beta * (y @ A) + z
    for i in prange(n):
        total = 0.0
        for j in range(n):
            total += A[i, j] * x[j]
        w[i] += alpha * total
    return A, x, w
