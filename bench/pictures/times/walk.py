# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A random walk of 10⁶ steps as a line."""
import sys

import matplotlib.pyplot as plt
import numpy as np

plt.plot(np.cumsum(np.random.default_rng(1).standard_normal(1000000)))
plt.savefig(sys.argv[1])
