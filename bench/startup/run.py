#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How long it takes from nothing to the first line of output, as whole-process wall time.

Writes bench/results/startup.md.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402


def commands(options):
    """(what a reader would type, the command itself)."""
    return [
        ("true (an empty process)", ["/bin/true"]),
        ("nacre -c 'print(1)'", [options.nacre, "-c", "print(1)"]),
        ("nacre -c 'import numpy; print(numpy.arange(3))'",
         [options.nacre, "-c", "import numpy; print(numpy.arange(3))"]),
        ("python3 -c 'print(1)'", [options.python, "-c", "print(1)"]),
        ("python3 -c 'import numpy'", [options.python, "-c", "import numpy"]),
    ]


def main():
    options = measure.arguments(__doc__, 200)
    rows = commands(options)
    times = measure.walls([command for _, command in rows], options.pairs)
    cells = [["`%s`" % name, "%.2f" % (measure.median(spent) * 1e3),
              "%.2f to %.2f" % tuple(end * 1e3 for end in measure.interval(spent))]
             for (name, _), spent in zip(rows, times)]
    last = ("`import numpy` under CPython takes %.0f times as long as all of "
            "`nacre -c 'print(1)'` (%.0f to %.0f)." % measure.ratios(times[4], times[1]))
    measure.write(options, "startup.md", "Start-up",
                  "Whole-process wall time, %d interleaved rounds; median and its 95 %% interval, "
                  "in ms." % options.pairs,
                  measure.table(["command", "median", "interval"], cells) + ["", last], ["numpy"])


if __name__ == "__main__":
    main()
