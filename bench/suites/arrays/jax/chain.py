# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
import jax


def prepared(*given):
    return [jax.numpy.asarray(array) for array in given]


@jax.jit
def chain(a, b):
    return a * b + a - b / 2


def run(a, b):
    return chain(a, b).block_until_ready()
