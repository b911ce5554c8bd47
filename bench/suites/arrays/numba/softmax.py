# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import math

from numba import njit, prange


def prepared(x):
    return x, np.empty_like(x)


@njit(parallel=True, cache=True)
def run(x, out):
    for i in prange(x.shape[0]):
        top = x[i, 0]
        for j in range(1, x.shape[1]):
            top = max(top, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            out[i, j] = math.exp(x[i, j] - top)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out
