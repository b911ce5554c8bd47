# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def go_fast(a):
    n = a.shape[0]
    trace = 0.0
    for i in range(n):
        trace += np.tanh(a[i, i])
    out = np.empty_like(a)
    for i in prange(n):
        for j in range(n):
            out[i, j] = a[i, j] + trace
    return out
