# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Bars with edges, a histogram, an area between curves, error bars."""
import sys

import matplotlib.pyplot as plt
import numpy as np

fig, axes = plt.subplots(2, 2)
axes[0, 0].bar(np.arange(5), [3, 5, 2, 4, 1], yerr=[0.3, 0.5, 0.2, 0.4, 0.1], capsize=4, edgecolor='k')
axes[0, 1].hist(np.sin(np.arange(1000)), bins=25, color='tab:green', alpha=0.7)
x = np.linspace(0, 6, 100)
axes[1, 0].fill_between(x, np.sin(x), np.cos(x), alpha=0.4)
axes[1, 0].plot(x, np.sin(x), x, np.cos(x))
axes[1, 1].barh(np.arange(4), [1, 3, 2, 4], color=['r', 'g', 'b', 'y'], linewidth=3, edgecolor=(0, 0, 0, 0.3))
plt.savefig(sys.argv[1])
