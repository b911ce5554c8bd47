#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Iterators and modules of the standard library, under nacre and under CPython: the cases of cases.py, and of
cases_numpy.py, where CPython has NumPy.

Both run all cases in interleaved rounds; a case counts with the least of seven measurements of each round.
Writes bench/results/iterators.md.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402


FILES = ("cases.py", "cases_numpy.py")


def times(program, only):
    """Seconds by case."""
    found = {}
    for file in FILES:
        found.update(measure.figures([program, os.path.join(HERE, file)] + only))
    return found


def main():
    options = measure.arguments(__doc__, 5)
    rounds = measure.interleaved([options.python, options.nacre], options.pairs,
                                 lambda program: times(program, options.only))
    rows, speedups = [], []
    for name in rounds[0][0]:
        cpython, nacre = ([found[name] for found in runs] for runs in rounds)
        ratio = measure.ratios(cpython, nacre)
        speedups.append(ratio[0])
        rows.append([name] + ["%.3f" % (measure.median(spent) * 1e3) for spent in (cpython, nacre)]
                    + measure.ratio_cells(ratio))
    lines = measure.table(["case", "CPython, ms", "nacre, ms", "ratio", "interval"], rows)
    lines += ["", measure.summary("%d cases" % len(rows), speedups)]
    measure.write(options, "iterators.md", "Iterators and modules",
                  "Ratio: CPython's time over nacre's, so above 1 nacre is faster; median of %d "
                  "interleaved rounds and its 95 %% interval." % options.pairs, lines, ("numpy",))


if __name__ == "__main__":
    main()
