#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Iterators and modules of the standard library, under nacre and under CPython: the cases of cases.py.

Both run all cases in interleaved rounds; a case counts with the least of five runs of each round.
Writes bench/results/modules.md.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402


def times(program, only):
    """Seconds by case."""
    told = subprocess.run([program, os.path.join(HERE, "cases.py")] + only, capture_output=True,
                          text=True, check=True).stdout
    return {name: float(spent) for name, spent in (line.split() for line in told.splitlines())}


def main():
    options = measure.arguments(__doc__, 3)
    rounds = [(times(options.python, options.only), times(options.nacre, options.only))
              for _ in range(options.pairs)]
    rows, speedups = [], []
    for name in rounds[0][0]:
        cpython, nacre = ([spent[which][name] for spent in rounds] for which in (0, 1))
        ratio = measure.ratios(cpython, nacre)
        speedups.append(ratio[0])
        rows.append([name] + ["%.2f" % (measure.median(spent) * 1e3) for spent in (cpython, nacre)]
                    + measure.ratio_cells(ratio))
    lines = measure.table(["case", "CPython, ms", "nacre, ms", "ratio", "interval"], rows)
    lines += ["", measure.summary("%d cases" % len(rows), speedups)]
    measure.write(options, "modules.md", "Iterators and modules",
                  "Ratio: CPython's time over nacre's, so above 1 nacre is faster; median of %d "
                  "interleaved rounds and its 95 %% interval." % options.pairs, lines)


if __name__ == "__main__":
    main()
