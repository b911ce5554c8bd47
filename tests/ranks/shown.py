# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What programs of rank_program.py print: a head line of name, type and shape, and a line of elements."""

import numpy as np


def show(name, value):
    if isinstance(value, np.ndarray):
        print("%s = %s %s %s" % (name, value.dtype, value.shape, value.strides))
        flat = value.ravel()
        print(flat.real.tolist() + flat.imag.tolist() if value.dtype.kind == "c" else flat.tolist())
    elif isinstance(value, np.generic):
        print("%s = %s scalar" % (name, value.dtype))
        print([value.real.item(), value.imag.item()])
    else:
        print("%s = python" % name)
        print(value)


def fail(where, error):
    print("%s ! %s: %s" % (where, type(error).__name__, error))
