# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def prepared(a, b):
    return a, b, np.empty_like(a)


def run(a, b, out):
    return numexpr.evaluate("(a + b) * (a - b) / (b + 1.5)", out=out)
