# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Polar axes: lines, points, bars, areas, a mesh."""
import sys

import matplotlib.pyplot as plt
import numpy as np

fig = plt.figure(figsize=(12, 8))
ax = fig.add_subplot(231, projection='polar')
r = np.arange(0, 2, 0.01)
ax.plot(2 * np.pi * r, r)
ax.set_title('a line')
ax.set_rmax(2)
ax.set_rticks([0.5, 1, 1.5, 2])
ax.set_rlabel_position(-22.5)
ax = fig.add_subplot(232, polar=True)
k = np.arange(30)
ax.scatter(k * 0.7, k, c=k, s=k * 4 + 1, alpha=0.7)
ax.set_xlabel('angle')
ax = fig.add_subplot(233, projection='polar')
ax.bar(np.linspace(0, 2 * np.pi, 12, endpoint=False), np.arange(12) + 1, width=0.5, color=plt.cm.viridis(np.arange(12) / 12),
       alpha=0.5)
ax = fig.add_subplot(234, projection='polar')
ax.plot(r * 3, r, 'r')
ax.set_theta_zero_location('N')
ax.set_theta_direction(-1)
ax = fig.add_subplot(235, projection='polar')
ax.fill(np.linspace(0, 2 * np.pi, 6)[:-1], [1, 3, 2, 4, 3], alpha=0.3)
ax.set_thetagrids([0, 72, 144, 216, 288], list('abcde'))
ax = fig.add_subplot(236, projection='polar')
T, R = np.meshgrid(np.linspace(0, 2 * np.pi, 40), np.linspace(0, 1, 12))
ax.pcolormesh(T, R, np.sin(3 * T) * R)
fig.savefig(sys.argv[1])
