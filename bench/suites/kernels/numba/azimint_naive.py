# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def azimint_naive(data, radius, npt):
    farthest = radius.max()
    means = np.zeros(npt)
    for i in prange(npt):
        inner = farthest * i / npt
        outer = farthest * (i + 1) / npt
        total = 0.0
        count = 0
        for k in range(data.size):
            if inner <= radius[k] and radius[k] < outer:
                total += data[k]
                count += 1
        means[i] = total / count
    return means
