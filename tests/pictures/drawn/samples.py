# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Boxes, violins, hexagons, streams, triangles, contours with colour bars."""
import sys

import matplotlib.pyplot as plt
import numpy as np

values = np.sin(np.arange(60) * 1.3) * 2 + np.arange(60) % 7 / 3
groups = [values[:20], values[20:45] + 1, np.append(values[45:], [9.0, -7.5])]
fig, axs = plt.subplots(2, 4, figsize=(16, 8))
axs[0, 0].boxplot(groups, showmeans=True)
axs[0, 1].boxplot(groups, notch=True, patch_artist=True, orientation='horizontal', tick_labels=['a', 'b', 'c'])
axs[0, 2].violinplot(groups, showmedians=True)
x, y = np.cos(np.arange(500) * 0.7) * 3, np.sin(np.arange(500) * 1.1) + np.arange(500) / 250
axs[0, 3].hexbin(x, y, gridsize=12)
x, y = np.linspace(-3, 3, 40), np.linspace(-2, 2, 30)
A, B = np.meshgrid(x, y)
u, v = -1 - A**2 + B, 1 + A - B**2
axs[1, 0].streamplot(x, y, u, v)
axs[1, 1].streamplot(x, y, u, v, color=u, linewidth=np.hypot(u, v) / 4, density=0.6, cmap='autumn')
k = np.arange(150)
x, y = np.sin(k * 1.7) * np.sqrt(k / 150), np.cos(k * 2.3) * np.sqrt((k * 7 % 150) / 150)
axs[1, 2].tricontourf(x, y, x * x - y)
axs[1, 2].triplot(x, y, 'k-', lw=0.3)
fig.colorbar(axs[1, 3].contour(A, B, np.exp(-A**2 - B**2)), ax=axs[1, 3])
fig.savefig(sys.argv[1])
