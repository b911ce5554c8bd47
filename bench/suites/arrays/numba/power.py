# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


@njit(parallel=True, cache=True)
def run(x, y):
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = x[i] ** y[i]
    return out
