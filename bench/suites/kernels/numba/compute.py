# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def compute(array_1, array_2, a, b, c):
    m, n = array_1.shape
    out = np.empty((m, n), dtype=np.int64)
    for i in prange(m):
        for j in range(n):
            out[i, j] = min(max(array_1[i, j], 2), 10) * a + array_2[i, j] * b + c
    return out
