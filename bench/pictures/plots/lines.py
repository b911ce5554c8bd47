# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Lines: dashes, caps, widths, opacity, a gap, and a grid."""
import sys

import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 10, 200)
y = np.sin(x)
y[80:85] = np.nan
plt.plot(x, y, lw=3, alpha=0.6, label='sin')
for i, style in enumerate(['-', '--', '-.', ':']):
    plt.plot(x, np.cos(x + i) * (i + 1) / 3, style, lw=1 + i / 2, label=style)
plt.plot([1, 2, 3, 4], [-1, 1, -1, 1], 'k', lw=8, alpha=0.4, solid_capstyle='projecting', solid_joinstyle='miter')
plt.plot([6, 7, 8, 9], [-1, 1, -1, 1], 'r', lw=8, alpha=0.4, solid_capstyle='round', solid_joinstyle='bevel')
plt.axhline(0.5, color='grey')
plt.ylim(-1.2, 1.2)
plt.grid(True)
plt.legend(loc='lower left')
plt.savefig(sys.argv[1])
