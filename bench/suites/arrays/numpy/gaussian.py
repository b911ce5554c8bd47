# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# A Gaussian filter of a picture: seven weights along the columns, then along the rows.
import numpy as np

WEIGHTS = [float(w) for w in np.exp(-np.arange(-3, 4) ** 2 / 2.0) / np.sqrt(2 * np.pi)]


def data(rows, columns):
    return [np.random.default_rng(0).random((rows, columns))]


def run(p):
    rows, columns = p.shape[0] - 6, p.shape[1] - 6
    down = sum(w * p[at:at + rows] for at, w in enumerate(WEIGHTS))
    return sum(w * down[:, at:at + columns] for at, w in enumerate(WEIGHTS))
