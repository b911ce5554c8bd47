# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What a kernel's script prints of an array: its type and shape, sampled elements, and sums that
change when any element does or when two change places."""
import numpy as np

SAMPLES = 7


def shown(value, scale, digits):
    """`value` in so many digits, always with a point, so that the test runner takes it for a float.
    What is left where larger numbers cancelled is no result."""
    return "%#.*g" % (digits, 0.0 if abs(value) <= 1e-14 * scale else value)


def report_real(name, flat, digits):
    flat = flat.astype(np.float64)
    scale = np.abs(flat).max()
    places = np.arange(SAMPLES) * (flat.size - 1) // (SAMPLES - 1)
    weights = np.arange(flat.size) % 1009 + 1.0
    print(name, "samples", *[shown(x, scale, digits) for x in flat[places]])
    print(name, "largest", shown(scale, scale, digits),
          "norm", shown(np.sqrt(np.sum(flat * flat)), scale, digits),
          "weighted", shown(np.sum(np.abs(flat) * weights), scale, digits))


def report(name, value, digits=10):
    flat = np.ravel(value)
    print(name, value.dtype, value.shape)
    if flat.dtype.kind == "c":
        report_real(name + ".real", flat.real, digits)
        report_real(name + ".imag", flat.imag, digits)
    elif flat.dtype.kind == "f":
        report_real(name, flat, digits)
    else:
        places = np.arange(SAMPLES) * (flat.size - 1) // (SAMPLES - 1)
        flat = flat.astype(np.int64)
        weights = np.arange(flat.size) % 1009 + 1
        print(name, "samples", *[int(x) for x in flat[places]])
        print(name, "sum", int(flat.sum()), "weighted", int((flat * weights).sum()))
