# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import get_num_threads, njit, prange


def prepared(x, window):
    return x, window, np.empty(x.size - window + 1)


@njit(parallel=True, cache=True)
def run(x, window, out):
    # Each thread slides a window along its part.
    parts = get_num_threads()
    for part in prange(parts):
        low, high = part * out.size // parts, (part + 1) * out.size // parts
        total = 0.0
        for i in range(low, low + window):
            total += x[i]
        out[low] = total / window
        for i in range(low + 1, high):
            total += x[i + window - 1] - x[i - 1]
            out[i] = total / window
    return out
