# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Images: the nearest pixel, a bilinear filter, fewer pixels than there are, and within a circle."""
import sys

import matplotlib.pyplot as plt
import numpy as np

fig, axes = plt.subplots(2, 2)
z = np.sin(np.arange(12)[:, None] * 0.7) + np.cos(np.arange(15)[None] * 0.4)
axes[0, 0].imshow(z, interpolation='nearest')
axes[0, 1].imshow(z, interpolation='bilinear', alpha=0.8)
fine = np.sin(np.arange(700)[:, None] * 0.03) * np.cos(np.arange(900)[None] * 0.02)
axes[1, 0].imshow(fine, cmap='gray')
image = axes[1, 1].imshow(z, cmap='plasma')
circle = plt.Circle((7, 5.5), 5, transform=axes[1, 1].transData)
image.set_clip_path(circle)
plt.savefig(sys.argv[1])
