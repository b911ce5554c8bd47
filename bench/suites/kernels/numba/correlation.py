# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def correlation(M, float_n, data):
    n = data.shape[0]
    for j in prange(M):
        mean = 0.0
        for i in range(n):
            mean += data[i, j]
        mean /= n
        square = 0.0
        for i in range(n):
            data[i, j] -= mean
            square += data[i, j] * data[i, j]
        deviation = np.sqrt(square / n)
        if deviation <= 0.1:
            deviation = 1.0
        for i in range(n):
            data[i, j] /= np.sqrt(float_n) * deviation
    corr = data.T @ data
    for j in range(M):
        corr[j, j] = 1.0
    return corr
