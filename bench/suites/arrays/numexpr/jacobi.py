# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def prepared(plate, most, bound):
    return plate, most, bound, np.empty((plate.shape[0] - 2, plate.shape[1] - 2))


def run(plate, most, bound, new):
    plate = plate.copy()
    inner, north, south = plate[1:-1, 1:-1], plate[:-2, 1:-1], plate[2:, 1:-1]
    west, east = plate[1:-1, :-2], plate[1:-1, 2:]
    delta = bound + 1
    count = 0
    while delta > bound and count < most:
        numexpr.evaluate("0.2 * (inner + north + south + west + east)", out=new)
        delta = numexpr.evaluate("sum(abs(new - inner))")
        inner[...] = new
        count += 1
    return plate, np.array(count)
