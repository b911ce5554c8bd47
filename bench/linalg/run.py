#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""numpy.linalg on matrices of 4, 32, 256 and 1000 rows beside NumPy; writes bench/results/linalg.md.
Ratios are NumPy's time over nacre's, medians over interleaved processes."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402

SIZES = (4, 32, 256, 1000)
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linalg.py")


def once(program, size):
    """{function: seconds}"""
    lines = measure.output([program, PROGRAM, str(size)]).strip().split("\n")
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def table(options, size):
    """{function: (nacre's seconds, ratio, low, high)}"""
    ours, theirs = [], []
    for _ in range(options.pairs):
        ours.append(once(options.nacre, size))
        theirs.append(once(options.python, size))
    found = {}
    for name in ours[0]:
        mine = [run[name] for run in ours]
        found[name] = (measure.median(mine),) + measure.ratios([run[name] for run in theirs], mine)
    return found


def shown(seconds):
    return "%.2f" % (seconds * 1e6) if seconds < 1e-4 else "%.0f" % (seconds * 1e6)


def main():
    options = measure.arguments(__doc__, 5)
    tables = {size: table(options, size) for size in SIZES}
    head = "| function | " + " | ".join("n = %d, µs | ratio | interval" % size for size in SIZES)
    text = ["# numpy.linalg, beside NumPy", "",
            "One call on an n × n matrix of float64; ratio: NumPy's time over nacre's, so above 1 nacre is "
            "faster; median of %d interleaved processes and its interval." % options.pairs, "",
            "- " + measure.versions(options, "numpy"), "- " + measure.machine(), "",
            head + " |", "|---" + "|---:" * (3 * len(SIZES)) + "|"]
    for name in tables[SIZES[0]]:
        cells = []
        for size in SIZES:
            if name not in tables[size]:
                cells.append(" | | ")
                continue
            spent, ratio, low, high = tables[size][name]
            cells.append("%s | %.2f | %.2f to %.2f" % (shown(spent), ratio, low, high))
        text.append("| %s | %s |" % (name, " | ".join(cells)))
    text.append("")
    for size in SIZES:
        values = [row[1] for row in tables[size].values()]
        text.append("n = %d: geometric mean %.2f; %d of %d below 1." % (
            size, measure.geometric_mean(values), sum(v < 1 for v in values), len(values)))
    measure.write(options, "linalg.md", "\n".join(text))


main()
