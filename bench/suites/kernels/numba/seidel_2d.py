# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def seidel_2d(TSTEPS, N, A):
    for t in range(0, TSTEPS - 1):
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                A[i, j] = (A[i, j] + A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1] +
                           A[i, j + 1] + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1] +
                           A[i, j - 1]) / 9.0
    return A
