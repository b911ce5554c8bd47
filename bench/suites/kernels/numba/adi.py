# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import prange


def adi(TSTEPS, N, u):
    v = np.empty(u.shape)
    p = np.empty(u.shape)
    q = np.empty(u.shape)
    step = 1.0 / N
    tau = 1.0 / TSTEPS
    along_x = 2.0 * tau / (step * step)
    along_y = 1.0 * tau / (step * step)
    a = -along_x / 2.0
    b = 1.0 + along_x
    d = -along_y / 2.0
    e = 1.0 + along_y
    for t in range(TSTEPS):
        for i in prange(1, N - 1):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, N - 1):
                below = 1.0 / (a * p[i, j - 1] + b)
                p[i, j] = -a * below
                q[i, j] = (-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - d * u[j, i + 1] -
                           a * q[i, j - 1]) * below
            v[N - 1, i] = 1.0
            for j in range(N - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in prange(1, N - 1):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = 1.0
            for j in range(1, N - 1):
                below = 1.0 / (d * p[i, j - 1] + e)
                p[i, j] = -d * below
                q[i, j] = (-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - a * v[i + 1, j] -
                           d * q[i, j - 1]) * below
            u[i, N - 1] = 1.0
            for j in range(N - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return u
