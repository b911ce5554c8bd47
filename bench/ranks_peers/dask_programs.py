# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The programs for Dask, whose arrays are not assigned to in place: stencils as `map_overlap`, as its documentation
advises; the others as expressions."""

import dask.array as da
import numpy as np


def atax(A, x):
    return (A @ x) @ A


def bicg(A, p, r):
    return r @ A, A @ p


def doitgen(NR, NQ, NP, A, C4):
    return da.einsum("rqp,ps->rqs", A, C4)


def gemm(alpha, beta, C, A, B):
    return alpha * A @ B + beta * C


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A = A + da.outer(u1, v1) + da.outer(u2, v2)
    x = x + beta * y @ A + z
    return A, x, w + alpha * A @ x


def gesummv(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


def half_1d(a, b):
    """Points of `b` next to a border keep what they were."""
    return np.concatenate((b[:1], 0.33333 * (a[:-2] + a[1:-1] + a[2:]), b[-1:]))


def half_2d(a, b):
    new = b.copy()
    new[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
    return new


def jacobi(steps, A, B, half, depth):
    for _ in range(1, steps):
        B = da.map_overlap(half, A, B, depth=depth, boundary="none", dtype=A.dtype)
        A = da.map_overlap(half, B, A, depth=depth, boundary="none", dtype=A.dtype)
    return A, B


def jacobi_1d(TSTEPS, A, B):
    return jacobi(TSTEPS, A, B, half_1d, 1)


def jacobi_2d(TSTEPS, A, B):
    return jacobi(TSTEPS, A, B, half_2d, {0: 1, 1: 0})


def k2mm(alpha, beta, A, B, C, D):
    return alpha * A @ B @ C + beta * D


def k3mm(A, B, C, D):
    return A @ B @ C @ D


def mvt(x1, x2, y_1, y_2, A):
    return x1 + A @ y_1, x2 + y_2 @ A


def shallow_water(steps, height, u, v):
    across, down = u.chunks, v.chunks  # which concatenation would make ever smaller
    for _ in range(steps):
        u = da.concatenate((u[:, :1], u[:, 1:-1] - 0.35 * (height[:, 1:] - height[:, :-1]), u[:, -1:]), axis=1).rechunk(across)
        v = da.concatenate((v[:1], v[1:-1] - 0.35 * (height[1:] - height[:-1]), v[-1:])).rechunk(down)
        height = height - 0.35 * (u[:, 1:] - u[:, :-1] + v[1:] - v[:-1])
    return height, u, v


def differences(pos):
    x, y, z = (pos[:, at:at + 1] for at in range(3))
    return x.T - x, y.T - y, z.T - z


def acceleration(pos, mass, G, softening):
    dx, dy, dz = differences(pos)
    cube = (dx ** 2 + dy ** 2 + dz ** 2 + softening ** 2) ** -1.5
    return da.hstack((G * (dx * cube) @ mass, G * (dy * cube) @ mass, G * (dz * cube) @ mass))


def energy(pos, vel, mass, G):
    dx, dy, dz = differences(pos)
    distance = da.sqrt(dx ** 2 + dy ** 2 + dz ** 2)
    inverse = da.where(distance > 0, 1.0 / da.where(distance > 0, distance, 1.0), 0.0)
    return 0.5 * da.sum(mass * vel ** 2), G * da.sum(da.triu(-(mass * mass.T) * inverse, 1))


def nbody(mass, pos, vel, N, steps, dt, G, softening):
    vel = vel - da.mean(mass * vel, axis=0) / da.mean(mass)
    acc = acceleration(pos, mass, G, softening)
    energies = [energy(pos, vel, mass, G)]
    for _ in range(steps):
        vel = vel + acc * dt / 2.0
        pos = pos + vel * dt
        acc = acceleration(pos, mass, G, softening)
        vel = vel + acc * dt / 2.0
        energies.append(energy(pos, vel, mass, G))
    return tuple(da.stack(each) for each in zip(*energies))
