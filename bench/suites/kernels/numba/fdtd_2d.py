# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def fdtd_2d(TMAX, ex, ey, hz, fict):
    m, n = ex.shape
    for t in range(TMAX):
        for i in prange(m):
            for j in range(n):
                if i == 0:
                    ey[i, j] = fict[t]
                else:
                    ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
            for j in range(1, n):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in prange(m - 1):
            for j in range(n - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return ex, ey, hz
