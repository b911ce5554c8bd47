# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import math

from numba import njit, prange


@njit(parallel=True, cache=True)
def run(points):
    n, dimensions = points.shape
    out = np.empty((n, n))
    for i in prange(n):
        for j in range(n):
            total = 0.0
            for k in range(dimensions):
                apart = points[i, k] - points[j, k]
                total += apart * apart
            out[i, j] = math.sqrt(total)
    return out
