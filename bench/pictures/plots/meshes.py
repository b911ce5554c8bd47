# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Meshes, straight and bent, with a bar of their colours."""
import sys

import matplotlib.pyplot as plt
import numpy as np

fig, axes = plt.subplots(1, 2)
u, v = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 31))
z = np.sin(6 * u[:-1, :-1]) * np.cos(5 * v[:-1, :-1])
axes[0].pcolormesh(u, v, z)
mesh = axes[1].pcolormesh(u + 0.2 * v, v + 0.1 * np.sin(6 * u), z, cmap='coolwarm', alpha=0.6, edgecolor='k', linewidth=0.3)
fig.colorbar(mesh, ax=axes[1])
plt.savefig(sys.argv[1])
