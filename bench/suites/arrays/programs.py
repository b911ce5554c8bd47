# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Who runs the suite: a folder of programs for each. Those in `numpy/` are run by nacre and by
CPython with NumPy as they are."""

import os

from case import HERE, framed, read

RUNNERS = {"nacre": "Nacre", "numpy": "NumPy", "numexpr": "numexpr", "numba": "Numba", "jax": "JAX"}
MODULES = ("numpy", "numexpr", "numba", "jax")
SETTINGS = {"numpy": "numpy", "numexpr": "numexpr", "numba": "numba", "jax": "jax"}
PLACES = 100  # elements of each result that are compared, beside the sums


def source(runner, program):
    """The path of a program as `runner` has it, or None where it has none of its own."""
    folder = "numpy" if runner == "nacre" else runner
    path = os.path.join(HERE, "arrays", folder, program + ".py")
    return path if os.path.exists(path) else None


def runners_of(program):
    return [runner for runner in RUNNERS if source(runner, program)]


def composed(runner, program, cases):
    """The plain program, which makes the data, then, for a peer, its own, which defines `run`
    again."""
    text = read(source("numpy", program))
    if runner not in ("nacre", "numpy"):
        text += read(source(runner, program))
    return framed(text, cases, PLACES)
