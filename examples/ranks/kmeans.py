# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""k-means by hand: 4 groups of points in the plane, found in 10 rounds.

On ranks the points are cut. Each rank finds the nearest centre of its own, and the sums over a group, two numbers and
a count, are combined: a round sends some hundred bytes, however many points there are.
"""

import sys

import numpy as np

count = int(sys.argv[1]) if len(sys.argv) > 1 else 40000
true_centres = np.array([[0.0, 0.0], [6.0, 1.0], [-1.0, 7.0], [5.0, 8.0]])

# Points around the centres, without a generator of random numbers: fractions of multiples of irrational numbers.
number = np.arange(count) * 1.0
angle = 2.0 * np.pi * (number * 0.6180339887498949 % 1.0)
radius = 2.0 * np.sqrt(number * 0.4142135623730951 % 1.0)
group = np.arange(count) % 4
x = true_centres[group, 0] + radius * np.cos(angle)
y = true_centres[group, 1] + radius * np.sin(angle)

centres = [(1.0, 1.0), (4.0, 0.0), (0.0, 5.0), (4.0, 6.0)]
for step in range(10):
    distances = [(x - cx) ** 2 + (y - cy) ** 2 for cx, cy in centres]
    nearest = np.minimum(np.minimum(distances[0], distances[1]), np.minimum(distances[2], distances[3]))
    moved = []
    for distance in distances:
        mine = distance == nearest
        members = mine.sum()
        moved.append((float((x * mine).sum() / members), float((y * mine).sum() / members)))
    centres = moved

for cx, cy in centres:
    print(f"centre at {cx:8.4f} {cy:8.4f}")
print(f"mean distance to it: {np.sqrt(nearest).mean():.5f}")
