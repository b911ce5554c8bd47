# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def mandelbrot1(xmin, xmax, ymin, ymax, xn, yn, maxiter, horizon=2.0):
    X = np.linspace(xmin, xmax, xn)
    Y = np.linspace(ymin, ymax, yn)
    N = np.zeros((yn, xn), dtype=np.int64)
    Z = np.zeros((yn, xn), dtype=np.complex128)
    for j in prange(yn):
        for i in range(xn):
            re, im = 0.0, 0.0
            last = 0
            for n in range(maxiter):
                r2, i2 = re * re, im * im
                if r2 + i2 >= horizon * horizon:
                    break
                last = n
                re, im = r2 - i2 + X[i], 2 * re * im + Y[j]
            Z[j, i] = complex(re, im)
            N[j, i] = 0 if last == maxiter - 1 else last
    return Z, N
