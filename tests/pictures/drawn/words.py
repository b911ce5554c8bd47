# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Texts: formulas, boxes, turned and aligned ones; styles of lines and markers; dates; a broken line."""
import datetime
import sys

import matplotlib.pyplot as plt
import numpy as np

fig, axs = plt.subplots(2, 2, figsize=(9, 7), layout='tight')
ax = axs[0, 0]
for i, text in enumerate(('$x^2$', r'$\alpha_i + \beta^{-3}$', r'$a \times 10^{-3}$', r'$f(x) = e^{-x}$', r'$\frac{1}{2}$ of it', 'two\nlines')):
    ax.text(i % 3 / 3, i // 3 / 2 + 0.1, text, fontsize=14, rotation=30 * (i % 2), bbox=dict(facecolor='w', edgecolor='C%d' % i))
ax.set_title('Words', loc='left')
ax.set_xlabel(r'time $t$ [$\mu$s]')
ax = axs[0, 1]
x = np.linspace(0, 1, 7)
for i, (style, marker) in enumerate(zip(('-', '--', '-.', ':', (0, (5, 1)), '-', '--', '-', ':'), 'osv^<>Dx+')):
    ax.plot(x, x + i, ls=style, marker=marker, label=marker)
ax.legend(ncols=3, fontsize='x-small', loc='upper left', title='markers')
ax.set_ylim(0, 14)
ax = axs[1, 0]
days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=20 * k) for k in range(8)]
ax.plot(days, [1, 3, float('nan'), 4, 2, 5, 3, 4], 'o-')
ax.tick_params(axis='x', rotation=45)
ax.grid(ls=':')
ax = axs[1, 1]
ax.spines[['top', 'right']].set_visible(False)
ax.spines.left.set_position('zero')
ax.spines.bottom.set_position(('data', 0))
ax.plot(np.linspace(-2, 2, 50), np.linspace(-2, 2, 50) ** 3, lw=3)
ax.annotate('here', (1, 1), (-1.5, 5), arrowprops=dict(facecolor='r', shrink=0.05))
ax.minorticks_on()
fig.savefig(sys.argv[1])
