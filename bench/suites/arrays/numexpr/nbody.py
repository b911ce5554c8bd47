# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import numexpr


def prepared(*given):
    n = given[0].size
    return given + ([np.empty((n, n)), np.empty((n, n))],)


def pulled(force, place, room):
    beside = place[:, np.newaxis]
    return numexpr.evaluate("force * (place - beside)", out=room).sum(axis=1)


def step(rooms, mass, x, y, z, vx, vy, vz):
    x1, y1, z1 = x[:, np.newaxis], y[:, np.newaxis], z[:, np.newaxis]
    force, room = rooms
    r2 = numexpr.evaluate("(x - x1) * (x - x1) + (y - y1) * (y - y1) + (z - z1) * (z - z1)",
                          out=force)
    numexpr.evaluate("G * mass / where(r2 < 1, 1., r2 * sqrt(r2))", out=force)
    vx += DT * pulled(force, x, room)
    vy += DT * pulled(force, y, room)
    vz += DT * pulled(force, z, room)
    x += DT * vx
    y += DT * vy
    z += DT * vz


def run(mass, x, y, z, vx, vy, vz, steps, rooms):
    bodies = [array.copy() for array in (x, y, z, vx, vy, vz)]
    for _ in range(steps):
        step(rooms, mass, *bodies)
    return tuple(bodies)
