# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Colour bars, logarithmic axes, an offset, a tight layout."""
import sys

import numpy as np
import matplotlib.pyplot as plt
fig, axs = plt.subplots(2, 2, figsize=(8, 6))
X, Y = np.meshgrid(np.linspace(-2,2,40), np.linspace(-1,1,30))
Z = np.exp(-X**2-Y**2)
im = axs[0,0].imshow(Z, extent=[-2,2,-1,1], origin='lower', cmap='plasma'); fig.colorbar(im, ax=axs[0,0], label='value')
im = axs[0,1].pcolormesh(X, Y, Z*1000, cmap='RdBu'); cb = fig.colorbar(im, ax=axs[0,1], extend='both', orientation='horizontal')
axs[1,0].loglog([1,10,100,1000],[1,100,5,1e4],'o-'); axs[1,0].set_xlabel('x label'); axs[1,0].set_ylabel(r'$\alpha_1^2$')
axs[1,1].plot([1e6,2e6,3e6],[1.00001,1.00002,1.00003]); axs[1,1].set_title('offset')
fig.suptitle('Super')
fig.tight_layout()
fig.savefig(sys.argv[1])
