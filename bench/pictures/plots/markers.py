# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Markers of all kinds, and a scatter whose colours and sizes differ."""
import sys

import matplotlib.pyplot as plt
import numpy as np

for i, marker in enumerate('os^vD*px+.'):
    plt.plot(np.arange(10), np.full(10, i) + np.linspace(0, 0.5, 10), marker=marker, ms=4 + i, lw=0.5, mec='k')
rng = np.random.default_rng(3)
plt.scatter(rng.uniform(0, 9, 80), rng.uniform(0, 9, 80), s=rng.uniform(20, 400, 80), c=rng.uniform(0, 1, 80), alpha=0.5)
plt.savefig(sys.argv[1])
