# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax


def prepared(x, name):
    return jax.numpy.asarray(x), jax.jit(getattr(jax.numpy, name))


def run(x, function):
    return function(x).block_until_ready()
