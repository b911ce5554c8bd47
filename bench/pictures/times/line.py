# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A line of 200 points."""
import sys

import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 10, 200)
plt.plot(x, np.sin(x))
plt.savefig(sys.argv[1])
