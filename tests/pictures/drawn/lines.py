# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Two curves with labels."""
import sys

import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(0, 10, 200)
plt.plot(x, np.sin(x), label='sin')
plt.plot(x, np.cos(x)*np.exp(-x/5), label='damped')
plt.xlabel('time'); plt.ylabel('amplitude'); plt.title('Two curves')
plt.savefig(sys.argv[1])
