# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def covariance(M, float_n, data):
    n = data.shape[0]
    for j in prange(M):
        mean = 0.0
        for i in range(n):
            mean += data[i, j]
        mean /= n
        for i in range(n):
            data[i, j] -= mean
    return (data.T @ data) / (float_n - 1.0)
