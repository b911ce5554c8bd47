# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Shallow water in a closed basin: the equations of conservation by Lax and Wendroff's scheme, with
# two drops at the beginning.
import numpy as np

G = 9.80665
DT = 0.02


def data(n, steps):
    height = np.ones((n + 2, n + 2))
    side = np.linspace(-1, 1, 8)
    drop = 8 * np.exp(-5 * (side[:, None] ** 2 + side ** 2))
    for corner in n // 4, n // 2:
        height[corner:corner + 8, corner:corner + 8] += drop
    return height, np.zeros_like(height), np.zeros_like(height), steps


def reflect(h, u, v):
    h[0, :], u[0, :], v[0, :] = h[1, :], -u[1, :], v[1, :]
    h[-1, :], u[-1, :], v[-1, :] = h[-2, :], -u[-2, :], v[-2, :]
    h[:, 0], u[:, 0], v[:, 0] = h[:, 1], u[:, 1], -v[:, 1]
    h[:, -1], u[:, -1], v[:, -1] = h[:, -2], u[:, -2], -v[:, -2]


def step(h, u, v):
    reflect(h, u, v)

    # Half a step: the middles of the cells' faces, first downwards, then across.
    h0, h1, u0, u1, v0, v1 = (a[i, 1:-1] for a in (h, u, v) for i in (slice(1, None), slice(-1)))
    hx = (h0 + h1) / 2 - DT / 2 * (u0 - u1)
    ux = (u0 + u1) / 2 - DT / 2 * (u0 * u0 / h0 + G / 2 * h0 * h0 - u1 * u1 / h1
                                   - G / 2 * h1 * h1)
    vx = (v0 + v1) / 2 - DT / 2 * (u0 * v0 / h0 - u1 * v1 / h1)

    h0, h1, u0, u1, v0, v1 = (a[1:-1, i] for a in (h, u, v) for i in (slice(1, None), slice(-1)))
    hy = (h0 + h1) / 2 - DT / 2 * (v0 - v1)
    uy = (u0 + u1) / 2 - DT / 2 * (v0 * u0 / h0 - v1 * u1 / h1)
    vy = (v0 + v1) / 2 - DT / 2 * (v0 * v0 / h0 + G / 2 * h0 * h0 - v1 * v1 / h1
                                   - G / 2 * h1 * h1)

    # The whole step.
    h[1:-1, 1:-1] -= DT * (ux[1:] - ux[:-1]) + DT * (vy[:, 1:] - vy[:, :-1])
    x = ux * ux / hx + G / 2 * hx * hx
    y = vy * uy / hy
    u[1:-1, 1:-1] -= DT * (x[1:] - x[:-1]) + DT * (y[:, 1:] - y[:, :-1])
    x = ux * vx / hx
    y = vy * vy / hy + G / 2 * hy * hy
    v[1:-1, 1:-1] -= DT * (x[1:] - x[:-1]) + DT * (y[:, 1:] - y[:, :-1])


def run(h, u, v, steps):
    h, u, v = h.copy(), u.copy(), v.copy()
    for _ in range(steps):
        step(h, u, v)
    return h, u, v
