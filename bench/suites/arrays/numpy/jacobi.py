# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Heat in a square plate with one hot edge, by Jacobi's iteration: each goes on while the sum of all
# changes is above a bound.
import numpy as np


def data(n, most, bound):
    plate = np.zeros((n + 2, n + 2))
    plate[0, :] = 100.0
    return plate, most, bound


def run(plate, most, bound):
    plate = plate.copy()
    delta = bound + 1
    count = 0
    while delta > bound and count < most:
        inner = plate[1:-1, 1:-1]
        new = 0.2 * (inner + plate[:-2, 1:-1] + plate[2:, 1:-1] +
                     plate[1:-1, :-2] + plate[1:-1, 2:])
        delta = np.sum(np.abs(new - inner))
        plate[1:-1, 1:-1] = new
        count += 1
    return plate, np.array(count)
