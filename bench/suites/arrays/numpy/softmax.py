# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Softmax of each row.
import numpy as np


def data(rows, columns):
    return [10 * np.random.default_rng(0).random((rows, columns))]


def run(x):
    power = np.exp(x - np.max(x, axis=1, keepdims=True))
    return power / np.sum(power, axis=1, keepdims=True)
