# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def cholesky(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            total = 0.0
            for k in range(j):
                total += A[i, k] * A[j, k]
            A[i, j] = (A[i, j] - total) / A[j, j]
        total = 0.0
        for k in range(i):
            total += A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i] - total)
    return A
