# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Powers with another exponent for each element.
import numpy as np


def data(n):
    rng = np.random.default_rng(0)
    return 3 * rng.random(n) + 0.1, 4 * rng.random(n) - 2


def run(x, y):
    return x ** y
