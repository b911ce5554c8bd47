#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""numpy.fft on rows of 8 to 2**20 points and on arrays beside NumPy; writes bench/results/fft.md.
Ratios are NumPy's time over nacre's, medians over interleaved processes."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402

ROWS = ("8", "64", "1024", "65536", "1048576", "1000003")
ARRAYS = ("256x256", "1000x100", "100000x8")
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fft.py")


def once(program, shape):
    """{function: seconds}"""
    lines = measure.output([program, PROGRAM, shape]).strip().split("\n")
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def table(options, shape):
    """{function: (nacre's seconds, ratio, low, high)}"""
    ours, theirs = [], []
    for _ in range(options.pairs):
        ours.append(once(options.nacre, shape))
        theirs.append(once(options.python, shape))
    found = {}
    for name in ours[0]:
        mine = [run[name] for run in ours]
        found[name] = (measure.median(mine),) + measure.ratios([run[name] for run in theirs], mine)
    return found


def shown(seconds):
    return "%.2f" % (seconds * 1e6) if seconds < 1e-4 else "%.0f" % (seconds * 1e6)


def lines(tables):
    """A table in Markdown: a line for each function, and for each shape its mean."""
    head = "| function | " + " | ".join("%s, µs | ratio | interval" % shape for shape in tables)
    yield head + " |"
    yield "|---" + "|---:" * (3 * len(tables)) + "|"
    for name in next(iter(tables.values())):
        cells = ["%s | %.2f | %.2f to %.2f" % ((shown(row[0]),) + row[1:])
                 for row in (columns[name] for columns in tables.values())]
        yield "| %s | %s |" % (name, " | ".join(cells))
    yield ""
    for shape, columns in tables.items():
        values = [row[1] for row in columns.values()]
        yield "%s: geometric mean %.2f; %d of %d below 1." % (
            shape, measure.geometric_mean(values), sum(v < 1 for v in values), len(values))
    yield ""


def main():
    options = measure.arguments(__doc__, 5)
    text = ["# numpy.fft, beside NumPy", "",
            "One call on random numbers, complex128 where nothing else is said; 1000003 is a prime. Ratio: "
            "NumPy's time over nacre's, so above 1 nacre is faster; median of %d interleaved processes and "
            "its interval." % options.pairs, "",
            "- " + measure.versions(options, "numpy"), "- " + measure.machine(), ""]
    for shapes in (ROWS, ARRAYS):
        text += lines({shape: table(options, shape) for shape in shapes})
    measure.write(options, "fft.md", "\n".join(text).rstrip())


main()
