#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Products of square matrices beside NumPy, and with --openblas=LIBRARY those of doubles beside that
library's own dgemm; writes bench/results/products.md. Ratios are the other's time over nacre's, medians
over interleaved processes."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
SIZES = (2, 3, 4, 8, 12, 16, 24, 32, 48, 64, 100, 256, 500, 1000, 2000)


def once(command):
    """{(type, size): seconds}"""
    sizes = ",".join(str(n) for n in SIZES)
    lines = measure.output(command + [sizes]).strip().split("\n")
    return {(kind, int(n)): float(value) for kind, n, value in (line.split() for line in lines)}


def library(argv):
    found = [word.split("=", 1)[1] for word in argv if word.startswith("--openblas=")]
    argv[:] = [word for word in argv if not word.startswith("--openblas=")]
    return found[0] if found else None


def main():
    openblas = library(sys.argv)
    options = measure.arguments(__doc__, 5)
    program = os.path.join(FOLDER, "products.py")
    commands = {"nacre": [options.nacre, program], "NumPy": [options.python, program]}
    if openblas:
        commands["OpenBLAS"] = [options.python, os.path.join(FOLDER, "dgemm.py"), openblas]
    runs = {name: [] for name in commands}
    for _ in range(options.pairs):
        for name, command in commands.items():
            runs[name].append(once(command))
    others = [name for name in commands if name != "nacre"]
    text = ["# Products of matrices", "",
            "One product of n × n matrices; ratios are the other's time over nacre's, so above 1 nacre is "
            "faster; medians of %d interleaved processes and their intervals. OpenBLAS: the library of the "
            "distribution, called without NumPy." % options.pairs, "",
            "- " + measure.versions(options, "numpy"), "- " + measure.machine(), "",
            "| matrices | nacre, µs | " + " | ".join(name + " | interval" for name in others) + " |",
            "|---" + "|---:" * (1 + 2 * len(others)) + "|"]
    ratios = {name: {} for name in others}
    for key in runs["nacre"][0]:
        mine = [run[key] for run in runs["nacre"]]
        cells = ["%.2f" % (measure.median(mine) * 1e6)]
        for name in others:
            if key not in runs[name][0]:
                cells.append(" | ")
                continue
            ratio, low, high = measure.ratios([run[key] for run in runs[name]], mine)
            ratios[name][key] = ratio
            cells.append("%.2f | %.2f to %.2f" % (ratio, low, high))
        text.append("| %s %d | %s |" % (key[0], key[1], " | ".join(cells)))
    text.append("")
    for name in others:
        values = list(ratios[name].values())
        text.append("%s: geometric mean %.2f; %d of %d below 1." % (
            name, measure.geometric_mean(values), sum(v < 1 for v in values), len(values)))
    measure.write(options, "products.md", "\n".join(text))


main()
