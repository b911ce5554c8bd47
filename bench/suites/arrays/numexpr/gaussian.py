# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr

TEXT = " + ".join("%r * p%d" % (weight, at) for at, weight in enumerate(WEIGHTS))


def prepared(p):
    rows, columns = p.shape
    return p, np.empty((rows - 6, columns)), np.empty((rows - 6, columns - 6))


def run(p, down, out):
    rows, columns = out.shape
    below = {"p%d" % at: p[at:at + rows] for at in range(7)}
    beside = {"p%d" % at: down[:, at:at + columns] for at in range(7)}
    numexpr.evaluate(TEXT, below, out=down)
    return numexpr.evaluate(TEXT, beside, out=out)
