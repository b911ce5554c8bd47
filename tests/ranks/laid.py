# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Distributes arrays over grids of ranks, for programs of rank_program.py."""

import nacre


def _grids(ranks, axes):
    """All ways to write a number of ranks as a product of so many."""
    if axes == 1:
        return [(ranks,)]
    return [(first,) + rest for first in range(1, ranks + 1) if ranks % first == 0
            for rest in _grids(ranks // first, axes - 1)]


def laid(x, key):
    """A copy of an array over the grid that a number picks."""
    if x.ndim == 0:
        return x
    grids = _grids(nacre.comm.size, min(x.ndim, 1 + key % 3))
    return nacre.distribute(x, grid=grids[key // 3 % len(grids)])
