# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The cases of the suite."""

from case import Case

TITLE = "Whole arrays, beside NumPy, numexpr, Numba and JAX"

FUNCTIONS = ("exp", "log", "sin", "cos", "tanh")
PAGE = dict(rows=4096, columns=4096)
SMALL_PAGE = dict(rows=2048, columns=2048)


def chains(program, text):
    """A chain of operations from small arrays to large ones."""
    return [Case(text + ", {n:,}", program, dict(n=10 ** power),
                 quick={} if power in (1, 2, 4, 5, 6) else None,
                 memory=20 if power == 8 else 0) for power in range(1, 9)]


CASES = chains("chain", "a*b + a - b/2") + chains("chain5", "(a+b) * (a-b) / (b+1.5)") + [
    Case(name + ", {n:,}", "functions", dict(n=10 ** 7, name=name), quick=dict(n=10 ** 6))
    for name in FUNCTIONS] + [
    Case("pow, {n:,}", "power", dict(n=10 ** 7), quick=dict(n=10 ** 6)),
    Case("Black-Scholes, {n:,}, {days} days", "black_scholes", dict(n=10 ** 7, days=2),
         quick=dict(n=10 ** 6)),
    Case("shallow water, {n}², {steps} steps", "shallow_water", dict(n=2000, steps=5),
         quick=dict(n=1000, steps=2)),
    Case("N-body, {n:,}, {steps} steps", "nbody", dict(n=4000, steps=2),
         quick=dict(n=2000, steps=1)),
    # An array of all pairs has 5 GB: who makes one has no answer.
    Case("N-body, {n:,}, {steps} step, in 4 GiB", "nbody", dict(n=25000, steps=1), quick=None,
         memory=6, limit=4),
    Case("Jacobi until it converges, {n}²", "jacobi", dict(n=200, most=2000, bound=100.0),
         quick=dict(bound=150.0)),
    Case("Jacobi, {n}², {most} iterations", "jacobi", dict(n=4096, most=10, bound=1.0),
         quick=dict(n=2048, most=3)),
    # One more rounding may move a point at the edge across the bound.
    Case("Mandelbrot, {n}², {most} iterations", "mandelbrot", dict(n=1000, most=100),
         quick=dict(n=500, most=50), rtol=1e-4),
    Case("softmax of rows, {rows} x {columns}", "softmax", dict(rows=10000, columns=1000),
         quick=dict(rows=1000)),
    Case("variance of columns, {rows} x {columns}", "variance",
         dict(rows=10000, columns=1000, axis=0), quick=dict(rows=2000)),
    Case("variance of rows, {rows} x {columns}", "variance",
         dict(rows=10000, columns=1000, axis=1), quick=dict(rows=2000)),
    Case("moving average, {n:,}, {window} wide", "moving_average", dict(n=10 ** 7, window=50),
         quick=dict(n=10 ** 6)),
    Case("distances of pairs, {n} in {dimensions} dimensions", "distances",
         dict(n=2000, dimensions=3), quick=dict(n=1000)),
    Case("distances of pairs, {n} in {dimensions} dimensions", "distances",
         dict(n=1000, dimensions=18), quick=dict(n=500)),
    Case("3 x 3 filter, {rows} x {columns}", "filter3", PAGE, quick=SMALL_PAGE),
    Case("Gaussian filter, {rows} x {columns}", "gaussian", PAGE, quick=SMALL_PAGE),
    Case("Game of Life, {n}², {steps} steps", "life", dict(n=2048, steps=10),
         quick=dict(n=1024, steps=3)),
]
