# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Three dimensions: a line, points, surfaces, wires, boxes."""
import sys

import matplotlib.pyplot as plt
import numpy as np

fig = plt.figure(figsize=(12, 8))
ax = fig.add_subplot(231, projection='3d')
t = np.linspace(0, 6 * np.pi, 200)
ax.plot(np.cos(t), np.sin(t), t, 'r--', label='helix')
ax.set_xlabel('x')
ax.set_ylabel('a longer label')
ax.set_zlabel('height')
ax.set_title('a line')
ax.legend()
ax = fig.add_subplot(232, projection='3d')
k = np.arange(60)
ax.scatter(np.cos(k), np.sin(k * 1.3), np.cos(k * 0.7), c=k, s=30)
X, Y = np.meshgrid(np.linspace(-3, 3, 30), np.linspace(-2, 2, 25))
Z = np.sin(X) * np.cos(Y)
ax = fig.add_subplot(233, projection='3d')
ax.plot_surface(X, Y, Z, cmap='viridis')
ax = fig.add_subplot(234, projection='3d')
ax.plot_surface(X, Y, Z)
ax.view_init(20, 30)
ax = fig.add_subplot(235, projection='3d', proj_type='ortho')
ax.plot_wireframe(X, Y, Z, rstride=3, cstride=4)
ax = fig.add_subplot(236, projection='3d')
ax.bar3d([0, 1, 2], [0, 1, 0], [0, 0, 0], 0.8, 0.8, [1, 2, 3], color=['r', 'g', 'b'])
ax.text(1, 1, 2.5, 'text')
ax.set_zlim(0, 4)
fig.savefig(sys.argv[1])
