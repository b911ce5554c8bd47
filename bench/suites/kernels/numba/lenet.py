# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def relu(x):
    return np.maximum(x, np.float32(0))


def conv2d(image, weights):
    N, H, W, C_in = image.shape
    K, C_out = weights.shape[0], weights.shape[3]
    H_out, W_out = H - K + 1, W - K + 1
    output = np.zeros((N, H_out, W_out, C_out), dtype=np.float32)
    for at in prange(N * H_out):
        b, i = at // H_out, at % H_out
        for j in range(W_out):
            for y in range(K):
                for x in range(K):
                    for c in range(C_in):
                        for o in range(C_out):
                            output[b, i, j, o] += image[b, i + y, j + x, c] * weights[y, x, c, o]
    return output


def maxpool2d(x):
    N, H, W, C = x.shape
    output = np.empty((N, H // 2, W // 2, C), dtype=x.dtype)
    for b in prange(N):
        for i in range(H // 2):
            for j in range(W // 2):
                for c in range(C):
                    output[b, i, j, c] = max(max(x[b, 2 * i, 2 * j, c], x[b, 2 * i, 2 * j + 1, c]),
                                             max(x[b, 2 * i + 1, 2 * j, c],
                                                 x[b, 2 * i + 1, 2 * j + 1, c]))
    return output
