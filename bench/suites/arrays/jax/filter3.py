# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax

filtered = jax.jit(run)


def prepared(p):
    return [jax.numpy.asarray(p)]


def run(p):
    return filtered(p).block_until_ready()
