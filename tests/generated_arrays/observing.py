# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What generated programs print. Both NumPy and Nacre run this file.

A value of step N becomes a head line `N = TYPE …`, its elements as Python prints them, and its repr.
One that may be off by some units in the last place has the head `N ~ ULP SCALE TYPE …` and no repr.
A failure is a line `N ! TYPE: MESSAGE`.
"""

import numpy as np

SHOWN = 60  # so many elements of a larger array, from either end


def elements(value):
    if value.dtype.kind == "c":
        return [elements(value.real), elements(value.imag)]
    flat = value.ravel()
    if flat.size > 2 * SHOWN:
        return flat[:SHOWN].tolist() + flat[-SHOWN:].tolist()
    return value.tolist()


def parts(number):
    return [number.real, number.imag] if isinstance(number, complex) else [number]


def show(step, value, ulp=None, scale=None):
    """Prints all that can be compared. `scale`: the magnitude that `ulp` refers to, where it is not
    that of each element."""
    if isinstance(value, (tuple, list)):
        print(step, "=", type(value).__name__, len(value))
        for item in value:
            show(step, item, ulp, scale)
        return
    mark = "=" if ulp is None else "~ %r %r" % (ulp, scale)
    if isinstance(value, np.ndarray):
        print(step, mark, "ndarray", value.dtype, value.shape)
        print(elements(value))
    elif isinstance(value, np.generic):
        print(step, mark, "scalar", value.dtype)
        print(parts(value.item()))
    elif isinstance(value, np.dtype):
        print(step, mark, "dtype")
    else:
        print(step, mark, type(value).__name__, "python")
        print(parts(value))
    if ulp is None:
        print(repr(value))


def text(step, value):
    print(step, "=", "text")
    print(value)


def fail(step, error):
    print(step, "!", type(error).__name__ + ":", error)
