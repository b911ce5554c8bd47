# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Distances of all pairs of points.
import numpy as np


def data(n, dimensions):
    return [np.random.default_rng(0).random((n, dimensions))]


def run(points):
    apart = points[:, np.newaxis, :] - points[np.newaxis, :, :]
    return np.sqrt(np.sum(apart * apart, axis=2))
