# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def run(x, axis):
    mean = x.mean(axis=axis, keepdims=True)
    if axis == 0:
        return numexpr.evaluate("sum((x - mean) ** 2, axis=0)") / x.shape[0]
    return numexpr.evaluate("sum((x - mean) ** 2, axis=1)") / x.shape[1]
