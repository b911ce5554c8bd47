# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import get_num_threads, njit, prange


@njit(parallel=True, cache=True)
def of_rows(x):
    rows, columns = x.shape
    out = np.empty(rows)
    for i in prange(rows):
        mean = 0.0
        for j in range(columns):
            mean += x[i, j]
        mean /= columns
        total = 0.0
        for j in range(columns):
            total += (x[i, j] - mean) ** 2
        out[i] = total / columns
    return out


@njit(parallel=True, cache=True)
def of_columns(x):
    # Each thread has some of the columns and goes along the rows, as they lie in memory.
    rows, columns = x.shape
    mean, total = np.zeros(columns), np.zeros(columns)
    parts = get_num_threads()
    for part in prange(parts):
        low, high = part * columns // parts, (part + 1) * columns // parts
        for i in range(rows):
            for j in range(low, high):
                mean[j] += x[i, j]
        for j in range(low, high):
            mean[j] /= rows
        for i in range(rows):
            for j in range(low, high):
                total[j] += (x[i, j] - mean[j]) ** 2
        for j in range(low, high):
            total[j] /= rows
    return total


def run(x, axis):
    return of_columns(x) if axis == 0 else of_rows(x)
