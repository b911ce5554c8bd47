# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Four operations on two arrays.
import numpy as np


def data(n):
    rng = np.random.default_rng(0)
    return rng.random(n), rng.random(n)


def run(a, b):
    return a * b + a - b / 2
