# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax
import jax.numpy as jnp


@jax.jit
def heated(plate, most, bound):
    def going(state):
        return (state[1] > bound) & (state[2] < most)

    def sweep(state):
        plate, _, count = state
        inner = plate[1:-1, 1:-1]
        new = 0.2 * (inner + plate[:-2, 1:-1] + plate[2:, 1:-1] +
                     plate[1:-1, :-2] + plate[1:-1, 2:])
        return plate.at[1:-1, 1:-1].set(new), jnp.sum(jnp.abs(new - inner)), count + 1

    plate, _, count = jax.lax.while_loop(going, sweep, (plate, bound + 1.0, 0))
    return plate, count


def prepared(plate, most, bound):
    return jnp.asarray(plate), most, bound


def run(plate, most, bound):
    return jax.block_until_ready(heated(plate, most, bound))
