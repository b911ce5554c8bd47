#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Single calls of NumPy's functions beside NumPy: ops (the ufuncs, reductions and the like), linalg,
fft and products, all or those that are named. Writes bench/results/ops.md and so on. Ratios are the
other's time over nacre's, medians over interleaved processes.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402

# What the first column is called, then tables that stand below one another: {heading: the
# argument of the program}.
OPS = "operation", [{"%s elements" % format(n, ","): str(n) for n in (10, 1000, 1000000)}]
LINALG = "function", [{"n = %d" % n: str(n) for n in (4, 32, 256, 1000)}]
FFT = "function", [{shape: shape for shape in shapes} for shapes in (
    ("8", "64", "1024", "65536", "1048576", "1000003"), ("256x256", "1000x100", "100000x8"))]
PRODUCTS = "matrices", [{"nacre": "2,3,4,8,12,16,24,32,48,64,100,256,500,1000,2000"}]

# {program: (title, what one call is, columns)}
PAGES = {
    "ops": ("Single operations, beside NumPy", "One call on arrays of so many elements.", OPS),
    "linalg": ("numpy.linalg, beside NumPy", "One call on an n × n matrix of float64.", LINALG),
    "fft": ("numpy.fft, beside NumPy",
            "One call on random numbers, complex128 where nothing else is said; 1000003 is a prime.",
            FFT),
    "products": ("Products of matrices, beside NumPy",
                 "One product of n × n matrices. OpenBLAS: one `cblas_dgemm` of the library that "
                 "was given, called without NumPy.", PRODUCTS),
}


def options_of(add):
    add("--openblas", metavar="LIBRARY", help="products: beside this library's dgemm as well")


def compared(options, name, argument):
    program = [os.path.join(HERE, name + ".py"), argument]
    others = [[options.python] + program]
    if name == "products" and options.openblas:
        others.append([options.python, os.path.join(HERE, "dgemm.py"), argument, options.openblas])
    return measure.compared([options.nacre] + program, others, options.pairs)


def page(options, name):
    title, about, (corner, tables) = PAGES[name]
    others = ["NumPy", "OpenBLAS"] if name == "products" and options.openblas else ["NumPy"]
    lines = []
    for columns in tables:
        groups = {heading: compared(options, name, argument) for heading, argument in columns.items()}
        lines += [""] * bool(lines) + measure.side_by_side(corner, groups, others)
    about += (" Ratios: the other's time over nacre's, so above 1 nacre is faster; median of %d "
              "interleaved processes and its interval." % options.pairs)
    measure.write(options, name + ".md", title, about, lines, ["numpy"])


def main():
    options = measure.arguments(__doc__, 5, options_of, a_file_each=True)
    unknown = set(options.only) - set(PAGES)
    if unknown:
        sys.exit("no such table: " + " ".join(sorted(unknown)))
    for name in PAGES:
        if name in options.only or not options.only:
            page(options, name)


main()
