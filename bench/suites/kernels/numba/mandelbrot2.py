# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def mandelbrot2(xmin, xmax, ymin, ymax, xn, yn, itermax, horizon=2.0):
    X = np.linspace(xmin, xmax, xn)
    Y = np.linspace(ymin, ymax, yn)
    N = np.zeros((xn, yn), dtype=np.int64)
    Z = np.zeros((xn, yn), dtype=np.complex128)
    for i in prange(xn):
        for j in range(yn):
            re, im = 0.0, 0.0
            for n in range(itermax):
                re, im = re * re - im * im + X[i], 2 * re * im + Y[j]
                if re * re + im * im > horizon * horizon:
                    N[i, j] = n + 1
                    Z[i, j] = complex(re, im)
                    break
    return Z.T, N.T
