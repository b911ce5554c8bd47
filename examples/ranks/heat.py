# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Heat spreads over a square plate whose upper edge is kept hot: 200 steps of the five-point stencil.

On ranks the plate is cut into bands of rows. A step needs one row from each neighbour.
"""

import sys

import numpy as np

size = int(sys.argv[1]) if len(sys.argv) > 1 else 256
plate = np.zeros((size, size))
plate[0] = 100.0

for step in range(200):
    inner = plate[1:-1, 1:-1]
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    plate[1:-1, 1:-1] = inner + 0.2 * (around - 4.0 * inner)

for row in (1, size // 64, size // 32, size // 16):
    print(f"row {row:4d}: {plate[row, size // 2]:9.5f}")
print(f"hottest inside: {plate[1:].max():.5f}")
print(f"warm cells (over 1 degree): {(plate > 1.0).sum()}")
