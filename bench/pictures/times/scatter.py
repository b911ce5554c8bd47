# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""10⁶ points scattered."""
import sys

import matplotlib.pyplot as plt
import numpy as np

rng = np.random.default_rng(1)
plt.scatter(rng.standard_normal(1000000), rng.standard_normal(1000000))
plt.savefig(sys.argv[1])
