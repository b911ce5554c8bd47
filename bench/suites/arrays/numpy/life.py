# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Conway's Game of Life between dead edges.
import numpy as np


def data(n, steps):
    cells = np.zeros((n + 2, n + 2), dtype=np.uint8)
    cells[1:-1, 1:-1] = np.random.default_rng(0).random((n, n)) < 0.3
    return cells, steps


def run(cells, steps):
    cells = cells.copy()
    for _ in range(steps):
        around = (cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2] +
                  cells[1:-1, 2:] + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:])
        cells[1:-1, 1:-1] = (around == 3) | ((cells[1:-1, 1:-1] == 1) & (around == 2))
    return cells
