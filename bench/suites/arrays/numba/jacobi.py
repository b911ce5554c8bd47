# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


@njit(parallel=True, cache=True)
def sweep(old, new):
    total = 0.0
    for i in prange(1, old.shape[0] - 1):
        for j in range(1, old.shape[1] - 1):
            value = 0.2 * (old[i, j] + old[i - 1, j] + old[i + 1, j] +
                           old[i, j - 1] + old[i, j + 1])
            total += abs(value - old[i, j])
            new[i, j] = value
    return total


def prepared(plate, most, bound):
    return plate, most, bound, np.empty_like(plate), np.empty_like(plate)


def run(plate, most, bound, now, then):
    now[...] = plate
    then[...] = plate
    delta = bound + 1
    count = 0
    while delta > bound and count < most:
        delta = sweep(now, then)
        now, then = then, now
        count += 1
    return now, np.array(count)
