# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def gramschmidt(A):
    m, n = A.shape
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        nrm = 0.0
        for i in range(m):
            nrm += A[i, k] * A[i, k]
        R[k, k] = np.sqrt(nrm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
            for j in range(k + 1, n):
                R[k, j] += Q[i, k] * A[i, j]
        for i in prange(m):
            for j in range(k + 1, n):
                A[i, j] -= Q[i, k] * R[k, j]
    return Q, R
