# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Functions that cannot be compiled ahead of time. Comments say why, on the line that is named."""

from __future__ import annotations

import numpy as np

TABLE = np.arange(3.0)
names = ['a']


def calls(x: float64[N]):
    return sorted(x)  # BuildError: this call of sorted is not compiled ahead of time


def half(x: float64[N], y):  # BuildError: parameter y has no annotation
    return x


def text(x: str):  # BuildError: the annotation of x, str, is no type that is compiled
    return 1


def half_type(x: float16[N]):  # BuildError: the annotation of x, float16[N], is no type that is compiled
    return 1


def open_type(x: "float64[N"):  # BuildError: the annotation of x, "float64[N", is no type that is compiled
    return 1


def deep(x: float64[A, B, C, D, E]):  # BuildError: the annotation of x, float64[A, B, C, D, E], is no type that is compiled
    return 1


def itself(n: int):
    return itself(n - 1)  # BuildError: this call of itself is not compiled ahead of time


def lists(n: int):
    a = [1, 2]  # BuildError: a statement that is not compiled ahead of time
    return a[n]


def two(n: int):
    if n > 0:
        return 1
    return 2.0  # BuildError: another return gives values of other types


def declared(n: int) -> float:
    return n  # BuildError: the result is not of the type that is annotated


def table(x: float64[N]):
    return x + TABLE  # BuildError: a variable of the module whose value is no number, function, class or module


def printed(x: float64[N]):
    print(x)  # BuildError: this call of print is not compiled ahead of time


def caught(x: float64[N]):  # BuildError: a function with try or with is not compiled ahead of time
    try:
        return x[0]
    except IndexError:
        return 0.0


def through(x: float64[N]):
    return inner(x)


def inner(x):
    return x.tolist()  # BuildError: this call of tolist is not compiled ahead of time


def fine(x: float64[N]):
    return x + 1


def _private(x: str):
    return x
