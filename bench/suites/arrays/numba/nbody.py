# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import math

from numba import njit, prange


@njit(parallel=True, cache=True)
def pull(mass, x, y, z, vx, vy, vz):
    for i in prange(x.size):
        ax = ay = az = 0.0
        for j in range(x.size):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            r = math.sqrt(dx * dx + dy * dy + dz * dz)
            r = 1.0 if r < 1 else r
            force = G * mass[j] / (r * r * r)
            ax += force * dx
            ay += force * dy
            az += force * dz
        vx[i] += DT * ax
        vy[i] += DT * ay
        vz[i] += DT * az


def run(mass, x, y, z, vx, vy, vz, steps):
    x, y, z, vx, vy, vz = bodies = [array.copy() for array in (x, y, z, vx, vy, vz)]
    for _ in range(steps):
        pull(mass, *bodies)
        x += DT * vx
        y += DT * vy
        z += DT * vz
    return tuple(bodies)
