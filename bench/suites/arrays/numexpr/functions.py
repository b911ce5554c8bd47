# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def run(x, name):
    return numexpr.evaluate(name + "(x)")
