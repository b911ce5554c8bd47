# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def conv2d_bias(image, weights, bias):
    N, H, W, C_in = image.shape
    K = weights.shape[0]
    C_out = bias.size
    H_out, W_out = H - K + 1, W - K + 1
    output = np.empty((N, H_out, W_out, C_out), dtype=np.float32)
    for b in range(N):
        for i in prange(H_out):
            for j in range(W_out):
                total = bias.copy()
                for y in range(K):
                    for x in range(K):
                        for c in range(C_in):
                            value = image[b, i + y, j + x, c]
                            for o in range(C_out):
                                total[o] += value * weights[y, x, c, o]
                output[b, i, j] = total
    return output
