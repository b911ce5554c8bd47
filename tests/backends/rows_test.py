#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The table of operations in docs/backends.md is that of the sources: what each backend does an operation with, which
libraries do it or parts of it where they are found, and how many are left to the host, which are a few, each with a
reason. Libraries are found by who calls whom (tests/run/c_calls.py).

    rows_test.py NACRE [--update]
"""

import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "run"))
from c_calls import Program  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "backends.md")
BEGIN, END = "<!-- operations -->\n", "<!-- end of operations -->\n"
FEW = 6
# Functions by which the processor's code calls a library.
BY_CALLS = {"blis_matmul": "BLIS", "blis_subtract": "BLIS", "lapack_open": "LAPACK", "open_fftw": "FFTW"}
# Files of backends/cuda that are for a library of CUDA's, each with that library's name.
CUDA_LIBRARIES = {"blas.c": ("cuBLAS", "libcublas"), "solver.c": ("cuSOLVER", "libcusolver"),
                  "fourier.c": ("cuFFT", "libcufft")}
CUDA_OTHERS = ("libcuda.so.1", "libnvrtc")  # the driver, and the compiler


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


# --- Libraries ---------------------------------------------------------------------------------------

def program(*folders):
    """What calls what in these folders."""
    tree = {}
    for folder in folders:
        for place, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(place, name), ROOT)
                if name.endswith((".c", ".h")):
                    tree[path] = read(path)
    tree["vm/graph/ops.def"] = read("vm", "graph", "ops.def")
    return Program(tree)


def reached(calls, start, blocked=()):
    """The functions and tables that a node names, and those that these name."""
    seen, todo = set(), [start]
    while todo:
        node = todo.pop()
        if node in seen or node.name in blocked:
            continue
        seen.add(node)
        todo += [found for found, _ in calls.edges(node) if found]
    return seen


def on_cpu(rows):
    """By identifier: the libraries that the processor's row calls. The table of all rows is looked into for the kernel's own."""
    calls, found = program("backends/cpu"), {}
    for row, _ in rows:
        names = {node.name for node in reached(calls, calls.public["library_" + row], ("library_fns",))}
        found[row] = sorted({library for name, library in BY_CALLS.items() if name in names})
    return found


def hooks():
    """By field of GridDriver: the libraries that CUDA's function there calls."""
    calls, found = program("backends/cuda", "backends/grid"), {}
    table = re.search(r"GridDriver \w+ = \{(.*?)^\};", read("backends", "cuda", "plugin.c"), re.S | re.M).group(1)
    for field, function in re.findall(r"\.(\w+) = (\w+)", table):
        if function in calls.public:
            files = {os.path.basename(node.file) for node in reached(calls, calls.public[function])}
            found[field] = {library for file, (library, _) in CUDA_LIBRARIES.items() if file in files}
    return found


def on_cuda(rows):
    """By identifier: the libraries that the row's functions call by way of the driver's."""
    calls, by_hook, found = program("backends/grid"), hooks(), {}
    for row, _ in rows:
        found[row] = set()
        for node in reached(calls, calls.public["grid_" + row], ("grid_rows",)):
            for owner, arrow, field in zip(node.words, node.words[1:], node.words[2:]):
                if owner == "driver" and arrow == "->":
                    found[row] |= by_hook.get(field, set())
    return {row: sorted(libraries) for row, libraries in found.items()}


def table():
    why, cpu, cuda = reasons(), on_cpu(operations()), on_cuda(operations())
    lines = ["| operation | cpu | opencl | cuda |", "|---|---|---|---|",
             "| elementwise operations and reductions, fused | own: tiles, machine code | text for each kernel | text for each kernel |"]
    for row, name in operations():
        host, by_library = why[row] or (None, False)
        there = cuda[row] if by_library else ["own"] + cuda[row]
        lines.append("| `%s` | %s | %s | %s |" % (name, ", ".join(["own"] + cpu[row]), "the host" if host else "own",
                                                 "the host" if host and not by_library else ", ".join(there)))
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

    def test_libraries(self):
        """Each is found by somebody, and none is opened that has no name here."""
        rows = operations()
        for names, found in ((BY_CALLS.values(), on_cpu(rows)), ([name for name, _ in CUDA_LIBRARIES.values()], on_cuda(rows))):
            self.assertEqual(set(names), {library for libraries in found.values() for library in libraries})
        opened = {}
        for name in os.listdir(os.path.join(ROOT, "backends", "cuda")):
            for library in re.findall(r'"(lib\w[^"]*)"', read("backends", "cuda", name)):
                opened[library] = name
        named = {library: file for file, (_, library) in CUDA_LIBRARIES.items()}
        self.assertEqual({library: file for library, file in opened.items() if library not in CUDA_OTHERS}, named)

    def test_all_rows(self):
        self.assertEqual(sorted(reasons()), sorted(row for row, _ in operations()))


if __name__ == "__main__":
    if "--update" in sys.argv:
        head, _, tail = parts_of_page()
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(head + BEGIN + table() + END + tail)
    else:
        unittest.main(argv=sys.argv[:1])
