#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Plain Python programs without arrays, under nacre and under CPython: the interpreter's own speed.

Both run each program of this folder in interleaved pairs; what they print has to be the same.
Writes bench/results/scalar.md.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402


def programs(options):
    names = sorted(n[:-3] for n in os.listdir(HERE) if n.endswith(".py") and n != "run.py")
    return [name for name in names if not options.only or name in options.only]


def compare(options, name):
    """The table row of one program, and its ratio (None when the outputs differ)."""
    path = os.path.join(HERE, name + ".py")
    pair = [[options.python, path], [options.nacre, path]]
    wanted, got = (subprocess.run(command, capture_output=True, text=True) for command in pair)
    if got.returncode or got.stdout != wanted.stdout:
        problem = "fails" if got.returncode else "prints something else"
        return [name, "", "", problem, ""], None
    cpython, nacre = measure.walls(pair, options.pairs)
    ratio = measure.ratios(cpython, nacre)
    return [name] + ["%.0f" % (measure.median(spent) * 1e3) for spent in (cpython, nacre)] + (
        measure.ratio_cells(ratio)), ratio[0]


def main():
    options = measure.arguments(__doc__, 11)
    results = [compare(options, name) for name in programs(options)]
    speedups = [ratio for _, ratio in results if ratio is not None]
    lines = measure.table(["program", "CPython, ms", "nacre, ms", "ratio", "interval"],
                          [cells for cells, _ in results])
    if speedups:
        lines += ["", measure.summary("%d programs" % len(speedups), speedups)]
    measure.write(options, "scalar.md", "Scalar programs",
                  "Whole-process wall time, %d interleaved pairs. Ratio: CPython's time over nacre's, "
                  "so above 1 nacre is faster; median and its 95 %% interval." % options.pairs, lines)
    return 0 if len(speedups) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
