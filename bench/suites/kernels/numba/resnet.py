# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def relu(x):
    return np.maximum(x, 0)


def conv2d(image, weights):
    N, H, W, C_in = image.shape
    K, C_out = weights.shape[0], weights.shape[3]
    H_out, W_out = H - K + 1, W - K + 1
    output = np.empty((N, H_out, W_out, C_out), dtype=np.float32)
    for at in prange(N * H_out):
        b, i = at // H_out, at % H_out
        total = np.empty(C_out, dtype=image.dtype)
        for j in range(W_out):
            total[:] = 0
            for y in range(K):
                for x in range(K):
                    for c in range(C_in):
                        for o in range(C_out):
                            total[o] += image[b, i + y, j + x, c] * weights[y, x, c, o]
            output[b, i, j] = total
    return output


def batchnorm2d(x, eps=1e-5):
    N, H, W, C = x.shape
    out = np.empty_like(x)
    for i in prange(H):
        for j in range(W):
            for c in range(C):
                mean = np.mean(x[:, i, j, c])
                std = np.std(x[:, i, j, c])
                for b in range(N):
                    out[b, i, j, c] = (x[b, i, j, c] - mean) / np.sqrt(std + eps)
    return out
