# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def laplacian(f, i, j, k):
    return 4.0 * f[i, j, k] - (f[i + 1, j, k] + f[i - 1, j, k] + f[i, j + 1, k] + f[i, j - 1, k])


def limited(flux, step):
    return 0.0 if flux * step > 0 else flux


def hdiff(in_field, out_field, coeff):
    I, J, K = out_field.shape
    for i in prange(2, I + 2):
        for j in range(2, J + 2):
            for k in range(K):
                here = laplacian(in_field, i, j, k)
                x1 = limited(laplacian(in_field, i + 1, j, k) - here,
                             in_field[i + 1, j, k] - in_field[i, j, k])
                x0 = limited(here - laplacian(in_field, i - 1, j, k),
                             in_field[i, j, k] - in_field[i - 1, j, k])
                y1 = limited(laplacian(in_field, i, j + 1, k) - here,
                             in_field[i, j + 1, k] - in_field[i, j, k])
                y0 = limited(here - laplacian(in_field, i, j - 1, k),
                             in_field[i, j, k] - in_field[i, j - 1, k])
                out_field[i - 2, j - 2, k] = in_field[i, j, k] - coeff[i - 2, j - 2, k] * (
                    x1 - x0 + y1 - y0)
    return out_field
