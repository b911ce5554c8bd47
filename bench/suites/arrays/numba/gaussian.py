# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange

SEVEN = tuple(WEIGHTS)


def prepared(p):
    rows, columns = p.shape
    return p, np.empty((rows - 6, columns)), np.empty((rows - 6, columns - 6))


@njit(parallel=True, cache=True)
def run(p, down, out):
    a, b, c, d, e, f, g = SEVEN
    for y in prange(down.shape[0]):
        for x in range(down.shape[1]):
            down[y, x] = (a * p[y, x] + b * p[y + 1, x] + c * p[y + 2, x] + d * p[y + 3, x] +
                          e * p[y + 4, x] + f * p[y + 5, x] + g * p[y + 6, x])
        for x in range(out.shape[1]):
            out[y, x] = (a * down[y, x] + b * down[y, x + 1] + c * down[y, x + 2] +
                         d * down[y, x + 3] + e * down[y, x + 4] + f * down[y, x + 5] +
                         g * down[y, x + 6])
    return out
