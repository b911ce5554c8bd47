# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def run(points):
    a, b = points[:, np.newaxis, :], points[np.newaxis, :, :]
    squares = numexpr.evaluate("sum((a - b) * (a - b), axis=2)")
    return numexpr.evaluate("sqrt(squares)", out=squares)
