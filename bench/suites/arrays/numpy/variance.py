# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# The variance of each row, or of each column.
import numpy as np


def data(rows, columns, axis):
    return np.random.default_rng(0).random((rows, columns)), axis


def run(x, axis):
    return np.var(x, axis=axis)
