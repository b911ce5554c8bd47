# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Every kind of plot once: a picture of each in the folder that is the argument, and its limits, ticks and labels printed.

kinds_test.py runs this under Nacre and under matplotlib.
"""
import os
import sys

import matplotlib
import matplotlib.patheffects as patheffects
import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 10, 50)
k = np.arange(200)
values = np.sin(k * 1.3) * 2 + k % 7 / 3  # samples without chance
wave = np.exp(-((k - 100) / 40) ** 2) * np.cos(k * 0.4) + np.sin(k * 1.1) / 10
X, Y = np.meshgrid(np.linspace(-3, 3, 40), np.linspace(-2, 2, 30))
Z = np.exp(-X**2 - Y**2) - np.exp(-(X - 1)**2 - (Y - 1)**2) / 2
KINDS = {}


def kind(function):
    KINDS[function.__name__] = function
    return function


@kind
def plot(fig, ax):
    ax.plot(x, np.sin(x), label='sin')
    ax.plot(x, np.cos(x), 'r--o', ms=3, label='cos')
    ax.plot(x, np.where(np.abs(x - 5) < 1, np.nan, x / 10), ':', lw=3)
    ax.legend()


@kind
def scatter(fig, ax):
    fig.colorbar(ax.scatter(values[:80], values[80:160], c=k[:80], s=10 + k[:80], alpha=0.6))


@kind
def bar(fig, ax):
    ax.bar_label(ax.bar(['a', 'b', 'c'], [3, 5, 2], yerr=[0.3, 0.5, 0.2], capsize=4, color=['C0', 'C1', 'C2'], edgecolor='k'))


@kind
def barh(fig, ax):
    ax.barh([1, 2, 3], [4, 2, 3], left=[0, 1, 2], height=0.5, hatch='//', facecolor='none', edgecolor='C3')


@kind
def hist(fig, ax):
    ax.hist([values, values / 2], bins=12, stacked=True, label=['a', 'b'])
    ax.legend(loc='best')


@kind
def hist2d(fig, ax):
    fig.colorbar(ax.hist2d(values[:-1], values[1:], bins=12)[3])


@kind
def imshow(fig, ax):
    fig.colorbar(ax.imshow(Z, extent=(-3, 3, -2, 2), origin='lower', interpolation='bilinear', cmap='plasma'), shrink=0.7)


@kind
def matshow(fig, ax):
    ax.matshow(np.outer(np.arange(5), np.arange(7)))


@kind
def spy(fig, ax):
    ax.spy(np.arange(100).reshape(10, 10) % 3 == 0, markersize=5)


@kind
def contour(fig, ax):
    ax.clabel(ax.contour(X, Y, Z, levels=8))


@kind
def contourf(fig, ax):
    fig.colorbar(ax.contourf(X, Y, Z, levels=8, extend='both', cmap='RdBu'))


@kind
def pcolormesh(fig, ax):
    fig.colorbar(ax.pcolormesh(X, Y, Z, shading='nearest'), orientation='horizontal')


@kind
def quiver(fig, ax):
    arrows = ax.quiver(X[::4, ::4], Y[::4, ::4], -Y[::4, ::4], X[::4, ::4], Z[::4, ::4])
    ax.quiverkey(arrows, 0.9, 1.05, 2, '2 m/s', labelpos='E')


@kind
def streamplot(fig, ax):
    ax.streamplot(X, Y, -1 - X**2 + Y, 1 + X - Y**2, color=Z, density=0.7)


@kind
def errorbar(fig, ax):
    ax.errorbar(x[::5], np.sin(x[::5]), yerr=0.2, xerr=0.3, fmt='o', capsize=3, ecolor='gray', uplims=np.arange(10) % 3 == 0)


@kind
def fill_between(fig, ax):
    ax.fill_between(x, np.sin(x), 0.3, where=np.sin(x) > 0.3, alpha=0.4, interpolate=True)
    ax.fill_betweenx(x, -2, np.cos(x) - 2)


@kind
def step(fig, ax):
    ax.step(x[::5], np.sin(x[::5]), where='mid')
    ax.stairs([1, 2, 1.5], [0, 3, 6, 9], fill=True, alpha=0.3)


@kind
def stem(fig, ax):
    ax.stem(x[::4], np.cos(x[::4]), bottom=-0.5)


@kind
def pie(fig, ax):
    ax.pie([3, 4, 2, 1], labels=['one', 'two', 'three', 'four'], explode=[0, 0.1, 0, 0], autopct='%1.1f%%', shadow=True)


@kind
def boxplot(fig, ax):
    ax.boxplot([values[:60], values[60:150] * 2, values], notch=True, patch_artist=True)


@kind
def violinplot(fig, ax):
    ax.violinplot([values[:60], values[60:150] * 2], showmedians=True)


@kind
def loglog(fig, ax):
    ax.loglog(x + 0.1, (x + 0.1) ** 3)
    ax.grid(which='both', alpha=0.4)


@kind
def semilogx(fig, ax):
    ax.semilogx(x + 0.01, np.sin(x))


@kind
def semilogy(fig, ax):
    ax.semilogy(x, np.exp(x))
    ax.axvspan(2, 4, color='y', alpha=0.3)


@kind
def axlines(fig, ax):
    ax.axhline(0.5, color='r', ls='--')
    ax.axvline(2, lw=3)
    ax.axline((0, 0), slope=0.2, color='g')
    ax.hlines([1, 1.5], 0, [3, 5])
    ax.vlines([4, 4.5], 0, 1, linestyles=':')


@kind
def texts(fig, ax):
    ax.plot(x, np.sin(x), label=r'$\sin(x)$')
    ax.text(1, -0.5, 'turned', rotation=30, bbox={'boxstyle': 'round', 'fc': 'w'})
    ax.annotate('top', (np.pi / 2, 1), (4, 0.8), arrowprops={'arrowstyle': '->', 'connectionstyle': 'arc3,rad=0.3'})
    ax.set_title(r'$\frac{a^2}{\sqrt{b_i}} \leq \sum_{k=0}^n \alpha_k$')
    ax.set_xlabel('x (\N{DEGREE SIGN})')
    ax.legend(loc='best')


@kind
def path_effects(fig, ax):
    ax.text(0.1, 0.6, 'outlined', size=30, color='w', path_effects=[patheffects.withStroke(linewidth=4, foreground='C0')])
    ax.plot([0, 1], [0, 0.5], lw=6, path_effects=[patheffects.Stroke(linewidth=10, foreground='k'), patheffects.Normal()])


@kind
def masked(fig, ax):
    ax.plot(x, np.ma.masked_greater(np.sin(x), 0.7), 'o-', ms=3)
    ax.pcolormesh(X + 5, Y / 2 - 2.5, np.ma.masked_inside(Z, -0.05, 0.05))


@kind
def hexbin(fig, ax):
    ax.hexbin(values[:-1], values[1:], gridsize=12)


@kind
def stackplot(fig, ax):
    ax.stackplot(x, [x, 2 + np.sin(x), np.full(50, 3)], labels='abc')
    ax.legend(loc='upper left')


@kind
def eventplot(fig, ax):
    ax.eventplot([values[:20], values[20:60]], colors=['C0', 'C1'])


@kind
def events_upright(fig, ax):
    ax.eventplot(values[:20], orientation='vertical')


@kind
def triangles(fig, ax):
    a, b = np.cos(k * 0.7) * np.sqrt(k), np.sin(k * 0.7) * np.sqrt(k)
    ax.tricontourf(a, b, np.hypot(a, b))
    ax.triplot(a, b, lw=0.4, color='k')


@kind
def spectra(fig, ax):
    ax.psd(wave, NFFT=64, Fs=10, noverlap=32)


@kind
def specgram(fig, ax):
    ax.specgram(wave, NFFT=32, Fs=10, noverlap=24)


@kind
def correlation(fig, ax):
    ax.acorr(wave, maxlags=30)


@kind
def insets(fig, ax):
    ax.plot(x, np.sin(x))
    inset = ax.inset_axes([0.55, 0.6, 0.4, 0.35])
    inset.plot(x, np.sin(x))
    inset.set(xlim=(4, 5), ylim=(-1.05, -0.7))
    ax.indicate_inset_zoom(inset, edgecolor='k')
    ax.secondary_yaxis('right', (lambda v: 100 * v, lambda v: v / 100))


def polar(fig):
    ax = fig.add_subplot(projection='polar')
    ax.bar(np.linspace(0, 2 * np.pi, 8, endpoint=False), 1 + k[:8] / 4, width=0.6, color='C1', alpha=0.6)
    ax.plot(x, x / 4)


def solid(draw):
    def drawn(fig):
        draw(fig.add_subplot(projection='3d'))
    return drawn


ALONE = {
    'polar': polar,
    'plot_surface': solid(lambda ax: ax.plot_surface(X, Y, Z, cmap='viridis')),
    'plot_wireframe': solid(lambda ax: ax.plot_wireframe(X, Y, Z, rcount=10, ccount=10)),
    'contour3d': solid(lambda ax: (ax.contour(X, Y, Z), ax.contourf(X, Y, Z, zdir='z', offset=-1, alpha=0.5))),
    'quiver3d': solid(lambda ax: ax.quiver(*np.meshgrid([0, 1, 2], [0, 1], [0, 1]), 0.5, 0.2, 0.4)),
    'stem3d': solid(lambda ax: ax.stem(np.cos(x), np.sin(x), x)),
    'bar3d': solid(lambda ax: ax.bar3d([0, 1, 2], [0, 1, 0], 0, 0.6, 0.6, [1, 2, 3])),
    'voxels': solid(lambda ax: ax.voxels(np.indices((4, 4, 4)).sum(axis=0) < 5, edgecolor='k')),
}


def describe(name, fig):
    fig.canvas.draw()
    for ax in fig.axes:
        axes = [ax.xaxis, ax.yaxis] + ([ax.zaxis] if hasattr(ax, 'get_zlim') else [])
        limits = [ax.get_xlim(), ax.get_ylim()] + ([ax.get_zlim()] if hasattr(ax, 'get_zlim') else [])
        print(name, *['%.8g' % v for pair in limits for v in pair])
        for axis in axes:
            print(name, *['%.8g' % v for v in axis.get_ticklocs()], [text.get_text() for text in axis.get_ticklabels()],
                  repr(axis.label.get_text()))
        print(name, repr(ax.get_title()))


def main():
    folder, only = sys.argv[1], sys.argv[2:]
    for name, draw in {**KINDS, **ALONE}.items():
        if only and name not in only:
            continue
        fig = plt.figure(figsize=(4.8, 3.6))
        if name in ALONE:
            draw(fig)
        else:
            draw(fig, fig.add_subplot())
        describe(name, fig)
        fig.savefig(os.path.join(folder, name + '.png'))
        plt.close(fig)


main()
