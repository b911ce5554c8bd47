# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax
import jax.numpy as jnp


@jax.jit
def moved(mass, bodies, steps):
    def step(_, state):
        x, y, z, vx, vy, vz = state
        dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
        r = jnp.sqrt(dx * dx + dy * dy + dz * dz)
        r = jnp.where(r < 1, 1.0, r)
        force = G * mass / (r * r * r)
        vx += DT * jnp.sum(force * dx, axis=1)
        vy += DT * jnp.sum(force * dy, axis=1)
        vz += DT * jnp.sum(force * dz, axis=1)
        return x + DT * vx, y + DT * vy, z + DT * vz, vx, vy, vz

    return jax.lax.fori_loop(0, steps, step, bodies)


def prepared(mass, *given):
    return jnp.asarray(mass), tuple(jnp.asarray(array) for array in given[:6]), given[6]


def run(mass, bodies, steps):
    return jax.block_until_ready(moved(mass, bodies, steps))
