#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The examples in SciPy's docstrings of sparse arrays: as many pass as examples.tsv says, which docs/scipy.md counts.

    examples_test.py PATH-OF-NACRE [--show]    --show: what is said of those that fail
"""

import importlib.util
import os
import sys

import list_names

LEAST = 0.8  # the share of all examples that has to pass, whatever the table says


def main():
    if importlib.util.find_spec("scipy") is None:
        print("SciPy is not there")
        return 77
    with open(list_names.EXAMPLES) as file:
        listed = {line.split("\t")[0]: tuple(map(int, line.split("\t")[1:])) for line in file.read().splitlines()}
    lines, failures = list_names.examples_of(os.path.abspath(sys.argv[1]))
    now = {line.split("\t")[0]: tuple(map(int, line.split("\t")[1:])) for line in lines}
    # Failures are compared: whose output CPython does not repeat to the last digit, is no example.
    failing = {name: total - passed for name, (total, passed) in now.items()}
    before = {name: total - passed for name, (total, passed) in listed.items()}
    fewer = [name for name, count in failing.items() if count > before.get(name, count)]
    more = [name for name, count in failing.items() if count < before.get(name, count)]
    for name in failures if "--show" in sys.argv else fewer:
        print(name, failures[name], sep="\n")
    total, passed = (sum(counts[i] for counts in now.values()) for i in (0, 1))
    print(f"{passed} of {total} examples of {len(now)} docstrings pass ({100 * passed / total:.1f} %)")
    if more:
        print("more pass; run list_names.py:", *more)
    return 1 if fewer or passed < LEAST * total else 0


if __name__ == "__main__":
    sys.exit(main())
