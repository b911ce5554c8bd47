# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Waves in a square basin: the shallow-water equations, linearised, on a staggered grid.

On ranks height and velocities are cut into bands of rows, alike. Each half-step needs one row of a neighbour.
"""

import sys

import numpy as np

size = int(sys.argv[1]) if len(sys.argv) > 1 else 200
gravity, depth, spacing = 9.81, 10.0, 1.0
dt = 0.5 * spacing / np.sqrt(2.0 * gravity * depth)

at = np.arange(size) - (size - 1) / 2.0
height = np.exp(-(at[:, None] ** 2 + at[None, :] ** 2) / 80.0)
u = np.zeros((size, size + 1))  # across, on the left and right sides of cells; 0 at the walls
v = np.zeros((size + 1, size))  # down, on the upper and lower sides
volume = height.sum()

for step in range(150):
    u[:, 1:-1] -= dt * gravity / spacing * (height[:, 1:] - height[:, :-1])
    v[1:-1, :] -= dt * gravity / spacing * (height[1:, :] - height[:-1, :])
    height -= dt * depth / spacing * (u[:, 1:] - u[:, :-1] + v[1:, :] - v[:-1, :])

print(f"highest {height.max():8.5f}, lowest {height.min():8.5f}")
print(f"water is kept: {bool(abs(height.sum() / volume - 1.0) < 1e-9)}")
print(f"symmetric: {bool(np.allclose(height, height[::-1], atol=1e-9))}")
for cell in (size // 8, size // 4, size // 2):
    print(f"height at {cell:4d}: {height[cell, cell]:9.6f}")
