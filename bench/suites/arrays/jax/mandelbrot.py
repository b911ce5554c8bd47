# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax
import jax.numpy as jnp


@jax.jit
def counted(c, most):
    def step(_, state):
        z, count = state
        near = z.real * z.real + z.imag * z.imag < 4
        return jnp.where(near, z * z + c, z), count + near

    start = jnp.zeros_like(c), jnp.zeros(c.shape, dtype=jnp.int64)
    return jax.lax.fori_loop(0, most, step, start)[1]


def prepared(c, most):
    return jnp.asarray(c), most


def run(c, most):
    return counted(c, most).block_until_ready()
