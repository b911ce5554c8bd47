#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The table of operations in docs/backends.md is that of the sources: what each backend does an operation with, and how
many are left to the host, which are a few, each with a reason.

    rows_test.py NACRE [--update]
"""

import os
import re
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGE = os.path.join(ROOT, "docs", "backends.md")
BEGIN, END = "<!-- operations -->\n", "<!-- end of operations -->\n"
FEW = 6
# Libraries that do an operation, or parts of it, where they are found.
ON_CPU = {"MATMUL": "BLIS", "GEMM": "BLIS", "FFT": "FFTW", "IFFT": "FFTW", "RFFT": "FFTW", "IRFFT": "FFTW",
          **dict.fromkeys(("SOLVE", "INVERSE", "DET", "SLOGDET", "CHOLESKY", "QR", "EIGH", "EIG", "SVD", "LSTSQ"), "LAPACK")}
ON_CUDA = {"MATMUL": "cuBLAS", "GEMM": "cuBLAS", **dict.fromkeys(("SOLVE", "INVERSE", "DET", "SLOGDET", "CHOLESKY"), "cuSOLVER")}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def operations():
    """Identifier and name of each library operation, in the order of ops.def."""
    rows = re.findall(r'^(?:OP\((\w+), "([^"]*)", \d+, (?:SCAN|CREATION|LIBRARY)|LINALG\((\w+), "([^"]*)"|FOURIER\((\w+), "([^"]*)")',
                      read("vm", "graph", "ops.def"), re.M)
    return [tuple(part for part in row if part) for row in rows]


def reasons():
    """By identifier: why it is the host's, and whether it is not where the device's vendor has a library; None: there is text
    for it."""
    found = {}
    folder = os.path.join(ROOT, "backends", "grid", "library")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".c"):
            for row, body in re.findall(r"^const GridRow grid_(\w+) = \{(.*?)\};", read("backends", "grid", "library", name), re.M | re.S):
                reason = re.search(r'\.reason = "([^"]*)"', body)
                found[row] = (reason.group(1), ".needs" in body) if reason else None
    return found


def table():
    why = reasons()
    lines = ["| operation | cpu | opencl | cuda |", "|---|---|---|---|",
             "| elementwise operations and reductions, fused | own: tiles, machine code | text for each kernel | text for each kernel |"]
    for row, name in operations():
        host, by_library = why[row] or (None, False)
        with_library = lambda own, libraries: own + (", " + libraries[row] if row in libraries else "")
        lines.append("| `%s` | %s | %s | %s |" % (name, with_library("own", ON_CPU), "the host" if host else "own",
                                                 "cuSOLVER" if by_library else "the host" if host else with_library("own", ON_CUDA)))
    left = [(name, *why[row]) for row, name in operations() if why[row]]
    lines += ["", "%d of %d library operations are left to the host by OpenCL, %d of them by CUDA, too:" % (
        len(left), len(operations()), sum(not by_library for _, _, by_library in left)), ""]
    lines += ["- `%s`: %s" % row[:2] for row in left]
    return "\n".join(lines) + "\n"


def parts_of_page():
    page = read("docs", "backends.md")
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    return before, old, after


class Rows(unittest.TestCase):
    def test_page(self):
        self.assertEqual(parts_of_page()[1], table(), "rows_test.py NACRE --update")

    def test_few_are_left(self):
        left = {row: reason for row, reason in reasons().items() if reason}
        self.assertLessEqual(len(left), FEW, left)
        self.assertEqual([row for row, (_, by_library) in left.items() if not by_library], ["HOST"])
        for row, (reason, _) in left.items():
            self.assertGreater(len(reason.split()), 4, row)

    def test_all_rows(self):
        self.assertEqual(sorted(reasons()), sorted(row for row, _ in operations()))


if __name__ == "__main__":
    if "--update" in sys.argv:
        head, _, tail = parts_of_page()
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(head + BEGIN + table() + END + tail)
    else:
        unittest.main(argv=sys.argv[:1])
