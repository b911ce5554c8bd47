# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Words: sizes, turned, in boxes, with arrows, on a logarithmic axis."""
import sys

import matplotlib.pyplot as plt
import numpy as np

x = np.logspace(0, 3, 50)
plt.loglog(x, x ** 1.5, 'o-', mfc='w')
plt.title('A title of a plot', fontsize=16)
plt.xlabel('time in s')
plt.ylabel('length in m')
plt.text(2, 1000, 'turned', rotation=30, fontsize=20, color='tab:red', alpha=0.7)
plt.text(20, 3, 'in a box', bbox=dict(boxstyle='round', facecolor='wheat', alpha=0.5))
plt.annotate('here', (100, 1000), (200, 20), arrowprops=dict(arrowstyle='->'))
plt.savefig(sys.argv[1])
