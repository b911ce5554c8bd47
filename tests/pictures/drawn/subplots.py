# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Six axes: points, histograms, bars, an image, areas with error bars, a mesh."""
import sys

import numpy as np
import matplotlib.pyplot as plt
rng = np.random.default_rng(1)
fig, axs = plt.subplots(2, 3, figsize=(12, 7))
a = axs[0,0]; a.scatter(rng.normal(size=50), rng.normal(size=50), c=rng.random(50), s=100*rng.random(50), alpha=0.7)
a.scatter([0,1],[0,1], marker='x', color='r')
a = axs[0,1]; a.hist(rng.normal(size=1000), bins=20, alpha=.6, label='h'); a.hist(rng.normal(1,1,size=1000), histtype='step', label='s'); a.legend()
a = axs[0,2]; a.bar(['a','b','c'], [3,5,2], yerr=[.5,.3,.2], capsize=4, color=['C0','C1','C2'])
a = axs[1,0]; a.imshow(np.arange(100).reshape(10,10)); a.set_title('imshow')
a = axs[1,1]; x=np.linspace(0,3,30); a.fill_between(x, np.sin(x), np.cos(x), alpha=.3); a.errorbar(x[::3], np.sin(x[::3]), yerr=.1, fmt='o'); a.axhline(0,color='k',lw=.5)
a = axs[1,2]; a.pcolormesh(np.arange(36).reshape(6,6)); a.barh([1,2,3],[1,2,3], height=.5, color='r')
fig.savefig(sys.argv[1])
