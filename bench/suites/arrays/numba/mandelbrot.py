# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(c, most):
    count = np.empty(c.shape, dtype=np.int64)
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            x = y = 0.0
            done = 0
            while done < most and x * x + y * y < 4:
                x, y = x * x - y * y + c[i, j].real, 2 * x * y + c[i, j].imag
                done += 1
            count[i, j] = done
    return count
