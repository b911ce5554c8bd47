# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Contours, arrows, a pie, stems, an arrow to a point, hatches, a second axis."""
import sys

import numpy as np
import matplotlib.pyplot as plt
fig, axs = plt.subplots(2, 3, figsize=(12, 7))
X, Y = np.meshgrid(np.linspace(-3,3,60), np.linspace(-2,2,50))
Z = np.exp(-X**2-Y**2) - np.exp(-(X-1)**2-(Y-1)**2)
axs[0,0].contour(X, Y, Z)
cf = axs[0,1].contourf(X, Y, Z, 12, cmap='coolwarm'); fig.colorbar(cf, ax=axs[0,1])
axs[0,2].quiver(X[::6,::6], Y[::6,::6], -Y[::6,::6], X[::6,::6])
axs[1,0].pie([1,2,3,4], labels=list('abcd'), autopct='%.1f%%')
axs[1,1].stem([1,2,3,4],[1,3,2,4]); axs[1,1].annotate('peak', xy=(2,3), xytext=(2.5,1), arrowprops=dict(arrowstyle='->'))
axs[1,2].bar([1,2,3],[3,1,2], hatch='//', edgecolor='k'); axs[1,2].text(1.5,2,'$x^2+y^2$', bbox=dict(boxstyle='round', fc='w'))
ax2 = axs[1,2].twinx(); ax2.plot([1,2,3],[10,20,15],'r-s')
fig.savefig(sys.argv[1])
