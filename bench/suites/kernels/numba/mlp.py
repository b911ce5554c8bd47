# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def relu(x):
    return np.maximum(x, np.float32(0))


def softmax(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        powers = np.exp(x[i] - np.max(x[i]))
        out[i] = powers / np.sum(powers)
    return out
