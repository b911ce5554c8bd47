# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


def chain(a, b, out):
    for i in prange(a.size):
        out[i] = a[i] * b[i] + a[i] - b[i] / 2
    return out


def prepared(a, b):
    # Threads cost more than they bring for a small array.
    function = njit(chain) if a.size <= 10000 else njit(parallel=True, cache=True)(chain)
    return a, b, np.empty_like(a), function


def run(a, b, out, function):
    return function(a, b, out)
