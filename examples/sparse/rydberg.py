# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Rydberg atoms on a lattice: of two neighbours (a king's move apart) one at most is excited, so that the states are the
independent sets of a graph. A laser drives them; the state is followed by a Runge-Kutta method of order 8."""

import sys

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import coo_array

SIDE = 9
ATOMS = int(sys.argv[1]) if len(sys.argv) > 1 else 12
TIME = 2.0


def neighbours(sites):
    """Of each atom the set of those that it blocks, as bits."""
    row, col = np.divmod(sites, SIDE)
    near = (np.abs(row[:, None] - row) <= 1) & (np.abs(col[:, None] - col) <= 1)
    np.fill_diagonal(near, False)
    return [sum(1 << int(j) for j in np.nonzero(line)[0]) for line in near]


def independent_sets(blocked):
    """All sets of atoms without neighbours, as bits, by size."""
    sets = [0]
    for i, near in enumerate(blocked):
        sets += [s | 1 << i for s in sets if not s & near]
    return sorted(sets, key=lambda s: (s.bit_count(), s))


def hamiltonian(sets):
    """The driver, 1 between sets that differ by one atom, and the sizes of the sets."""
    number = {s: i for i, s in enumerate(sets)}
    pairs = np.array([(number[s], number[s | 1 << i]) for s in sets for i in range(ATOMS)
                      if not s >> i & 1 and s | 1 << i in number])
    row, col = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    driver = coo_array((np.ones(len(row), complex), (row, col)), shape=(len(sets), len(sets))).tocsr()
    return driver, np.array([s.bit_count() for s in sets], float)


sites = np.sort(np.random.default_rng(0).choice(SIDE * SIDE, ATOMS, replace=False))
sets = independent_sets(neighbours(sites))
driver, sizes = hamiltonian(sets)


def derivative(t, psi):
    omega, delta = np.sin(np.pi * t / TIME) * 4, 6 * (2 * t / TIME - 1)
    return -1j * (0.5 * omega * (driver @ psi) - delta * sizes * psi)


psi = np.zeros(len(sets), complex)
psi[0] = 1.0
end = solve_ivp(derivative, (0.0, TIME), psi, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
chance = np.abs(end)**2
print(f"{ATOMS} atoms, {len(sets)} states, {driver.nnz} entries")
print(f"norm {chance.sum():.8f}, atoms excited on average {chance @ sizes:.6f}, most at once {int(sizes.max())}")
