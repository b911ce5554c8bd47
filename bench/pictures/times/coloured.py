# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""10⁵ points scattered, each with a colour of its own."""
import sys

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(1)
plt.scatter(rng.standard_normal(100000), rng.standard_normal(100000), c=rng.uniform(0, 1, 100000), s=9)
plt.savefig(sys.argv[1])
