# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def softmax(x):
    rows = np.reshape(x, (-1, x.shape[-1]))
    out = np.empty_like(rows)
    for i in prange(rows.shape[0]):
        powers = np.exp(rows[i] - np.max(rows[i]))
        out[i] = powers / np.sum(powers)
    return np.reshape(out, x.shape)
