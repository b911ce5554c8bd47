# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def prepared(c, most):
    x, y = np.ascontiguousarray(c.real), np.ascontiguousarray(c.imag)
    return x, y, most, [np.empty_like(x) for _ in range(4)]


def run(cx, cy, most, rooms):
    # Parts of complex numbers apart, and two sets of them in turn; points that are gone stay.
    x, y, next_x, next_y = rooms
    x[...] = 0
    y[...] = 0
    count = np.zeros(cx.shape, dtype=np.int64)
    for _ in range(most):
        numexpr.evaluate("count + where(x * x + y * y < 4, 1, 0)", out=count)
        numexpr.evaluate("where(x * x + y * y < 4, x * x - y * y + cx, x)", out=next_x)
        numexpr.evaluate("where(x * x + y * y < 4, 2 * x * y + cy, y)", out=next_y)
        x, y, next_x, next_y = next_x, next_y, x, y
    return count
