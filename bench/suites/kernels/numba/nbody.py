# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
def forces(pos, mass, G, softening, acc):
    """Accelerations, and the potential energy."""
    N = mass.size
    potential = 0.0
    for i in range(N):
        ax, ay, az, part = 0.0, 0.0, 0.0, 0.0
        for j in range(N):
            dx = pos[j, 0] - pos[i, 0]
            dy = pos[j, 1] - pos[i, 1]
            dz = pos[j, 2] - pos[i, 2]
            r2 = dx * dx + dy * dy + dz * dz
            s2 = r2 + softening * softening
            f = G * mass[j, 0] / (s2 * np.sqrt(s2))
            ax += f * dx
            ay += f * dy
            az += f * dz
            if j > i and r2 > 0:
                part += mass[j, 0] / np.sqrt(r2)
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az
        potential -= G * mass[i, 0] * part
    return potential


def energy_of(mass, vel):
    total = 0.0
    for i in range(mass.size):
        total += mass[i, 0] * (vel[i, 0]**2 + vel[i, 1]**2 + vel[i, 2]**2)
    return total


def nbody(mass, pos, vel, N, steps, dt, G, softening):
    total = np.sum(mass)
    for k in range(3):
        vel[:, k] -= np.sum(mass[:, 0] * vel[:, k]) / total
    kinetic = np.empty(steps + 1)
    potential = np.empty(steps + 1)
    acc = np.empty((N, 3))
    potential[0] = forces(pos, mass, G, softening, acc)
    kinetic[0] = 0.5 * energy_of(mass, vel)
    for i in range(steps):
        vel += acc * (dt / 2.0)
        pos += vel * dt
        potential[i + 1] = forces(pos, mass, G, softening, acc)
        vel += acc * (dt / 2.0)
        kinetic[i + 1] = 0.5 * energy_of(mass, vel)
    return kinetic, potential
