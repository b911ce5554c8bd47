# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def spmv(A_row, A_col, A_val, x):
    n = A_row.size - 1
    y = np.empty(n)
    for i in prange(n):
        total = 0.0
        for k in range(A_row[i], A_row[i + 1]):
            total += A_val[k] * x[A_col[k]]
        y[i] = total
    return y
