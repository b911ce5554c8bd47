# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# A 3 x 3 filter of a picture, by shifted slices.
import numpy as np

WEIGHTS = (0.05, 0.1, 0.05, 0.1, 0.4, 0.1, 0.05, 0.1, 0.05)


def data(rows, columns):
    return [np.random.default_rng(0).random((rows, columns))]


def run(p):
    a, b, c, d, e, f, g, h, i = WEIGHTS
    return (a * p[:-2, :-2] + b * p[:-2, 1:-1] + c * p[:-2, 2:] +
            d * p[1:-1, :-2] + e * p[1:-1, 1:-1] + f * p[1:-1, 2:] +
            g * p[2:, :-2] + h * p[2:, 1:-1] + i * p[2:, 2:])
