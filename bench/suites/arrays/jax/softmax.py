# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax

softmax = jax.jit(jax.nn.softmax)


def prepared(x):
    return [jax.numpy.asarray(x)]


def run(x):
    return softmax(x).block_until_ready()
