# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def deriche(alpha, image):
    k = (1.0 - np.exp(-alpha)) * (1.0 - np.exp(-alpha)) / \
        (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = k
    a2 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = -k * np.exp(-2.0 * alpha)
    b1 = 2.0**(-alpha)
    b2 = -np.exp(-2.0 * alpha)
    m, n = image.shape
    y1 = np.empty_like(image)
    y2 = np.empty_like(image)
    for i in prange(m):
        x, u, v = 0.0, 0.0, 0.0
        for j in range(n):
            t = a1 * image[i, j] + a2 * x + b1 * u + b2 * v
            x, u, v = image[i, j], t, u
            y1[i, j] = t
        x, w, u, v = 0.0, 0.0, 0.0, 0.0
        for j in range(n - 1, -1, -1):
            t = a3 * x + a4 * w + b1 * u + b2 * v
            x, w, u, v = image[i, j], x, t, u
            y1[i, j] += t
    for j in prange(n):
        x, u, v = 0.0, 0.0, 0.0
        for i in range(m):
            t = a1 * y1[i, j] + a2 * x + b1 * u + b2 * v
            x, u, v = y1[i, j], t, u
            y2[i, j] = t
        x, w, u, v = 0.0, 0.0, 0.0, 0.0
        for i in range(m - 1, -1, -1):
            t = a3 * x + a4 * w + b1 * u + b2 * v
            x, w, u, v = y1[i, j], x, t, u
            y2[i, j] += t
    return y2
