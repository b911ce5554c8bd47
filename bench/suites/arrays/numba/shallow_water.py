# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
from numba import njit, prange


@njit(cache=True)
def face(h0, h1, u0, u1, v0, v1):
    """What flows through a face that u stands upright on: of height, of u and of v."""
    h = (h0 + h1) / 2 - DT / 2 * (u0 - u1)
    u = (u0 + u1) / 2 - DT / 2 * (u0 * u0 / h0 + G / 2 * h0 * h0 - u1 * u1 / h1 - G / 2 * h1 * h1)
    v = (v0 + v1) / 2 - DT / 2 * (u0 * v0 / h0 - u1 * v1 / h1)
    return u, u * u / h + G / 2 * h * h, u * v / h


@njit(parallel=True, cache=True)
def step(h, u, v, new_h, new_u, new_v):
    n = h.shape[0] - 2
    for i in prange(1, n + 1):
        # The face to the left of the first cell, then each cell's right one.
        left = face(h[i, 1], h[i, 0], v[i, 1], v[i, 0], u[i, 1], u[i, 0])
        for j in range(1, n + 1):
            above = face(h[i, j], h[i - 1, j], u[i, j], u[i - 1, j], v[i, j], v[i - 1, j])
            below = face(h[i + 1, j], h[i, j], u[i + 1, j], u[i, j], v[i + 1, j], v[i, j])
            right = face(h[i, j + 1], h[i, j], v[i, j + 1], v[i, j], u[i, j + 1], u[i, j])
            new_h[i, j] = h[i, j] - DT * (below[0] - above[0]) - DT * (right[0] - left[0])
            new_u[i, j] = u[i, j] - DT * (below[1] - above[1]) - DT * (right[2] - left[2])
            new_v[i, j] = v[i, j] - DT * (below[2] - above[2]) - DT * (right[1] - left[1])
            left = right


def prepared(h, u, v, steps):
    return h, u, v, steps, [np.empty_like(h) for _ in range(6)]


def run(h, u, v, steps, rooms):
    now, then = rooms[:3], rooms[3:]
    for room, start in zip(now, (h, u, v)):
        room[...] = start
    for _ in range(steps):
        reflect(*now)
        step(*now, *then)
        for old, new in zip(now, then):  # the corners and edges, which the results show
            new[0], new[-1], new[:, 0], new[:, -1] = old[0], old[-1], old[:, 0], old[:, -1]
        now, then = then, now
    return tuple(now)
