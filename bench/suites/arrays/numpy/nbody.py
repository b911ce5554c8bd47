# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# Bodies under their gravity: every pair is looked at in each step. Bodies nearer than 1 m would hit
# each other; their force is that at 1 m.
import numpy as np

G = 6.67384e-11
DT = 60.0 * 60 * 24 * 365.25


def data(n, steps):
    rng = np.random.default_rng(0)
    mass = (rng.random(n) + 10) * 1.9891e29
    places = [(rng.random(n) - 0.5) * 9.4607e13 for _ in range(3)]
    return [mass] + places + [np.zeros(n) for _ in range(3)] + [steps]


def step(mass, x, y, z, vx, vy, vz):
    dx, dy, dz = x - x[:, np.newaxis], y - y[:, np.newaxis], z - z[:, np.newaxis]
    r = np.sqrt(dx * dx + dy * dy + dz * dz)
    r = np.where(r < 1, 1.0, r)
    force = G * mass / (r * r * r)
    vx += DT * np.sum(force * dx, axis=1)
    vy += DT * np.sum(force * dy, axis=1)
    vz += DT * np.sum(force * dz, axis=1)
    x += DT * vx
    y += DT * vy
    z += DT * vz


def run(mass, x, y, z, vx, vy, vz, steps):
    bodies = [array.copy() for array in (x, y, z, vx, vy, vz)]
    for _ in range(steps):
        step(mass, *bodies)
    return tuple(bodies)
