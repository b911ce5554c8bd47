# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


@njit(parallel=True, cache=True)
def grow(old, new):
    for i in prange(1, old.shape[0] - 1):
        for j in range(1, old.shape[1] - 1):
            around = np.uint8(old[i - 1, j - 1] + old[i - 1, j] + old[i - 1, j + 1] +
                              old[i, j - 1] + old[i, j + 1] + old[i + 1, j - 1] +
                              old[i + 1, j] + old[i + 1, j + 1])
            new[i, j] = (around == 3) | ((old[i, j] == 1) & (around == 2))


def prepared(cells, steps):
    return cells, steps, cells.copy(), cells.copy()


def run(cells, steps, now, then):
    now[...] = cells
    for _ in range(steps):
        grow(now, then)
        now, then = then, now
    return now
