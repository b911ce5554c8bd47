# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


def prepared(p):
    return p, np.empty((p.shape[0] - 2, p.shape[1] - 2))


@njit(parallel=True, cache=True)
def run(p, out):
    a, b, c, d, e, f, g, h, i = WEIGHTS
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            out[y, x] = (a * p[y, x] + b * p[y, x + 1] + c * p[y, x + 2] +
                         d * p[y + 1, x] + e * p[y + 1, x + 1] + f * p[y + 1, x + 2] +
                         g * p[y + 2, x] + h * p[y + 2, x + 1] + i * p[y + 2, x + 2])
    return out
