# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Styles of lines, a grid, a legend that looks for its place."""
import sys

import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(0, 10, 200)
plt.plot(x, np.sin(x), label='sin')
plt.plot(x, np.cos(x)*np.exp(-x/5), 'r--', label='damped')
plt.plot(x[::10], 0.5*np.sin(x[::10]), 'gs:', ms=5, label='squares')
plt.legend()
plt.grid(True)
plt.savefig(sys.argv[1])
