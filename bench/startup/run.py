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
    times = measure.interleaved([command for _, command in rows], options.pairs)
    text = ["# Start-up", "", "Whole-process wall time, %d interleaved rounds; median and its 95 %% "
            "interval, in ms." % options.pairs, "", "- %s" % measure.versions(options, "numpy"),
            "- %s" % measure.machine(), "", "| command | median | interval |", "|---|---:|---:|"]
    for (name, _), spent in zip(rows, times):
        low, high = measure.interval(spent)
        text.append("| `%s` | %.2f | %.2f to %.2f |" % (name, measure.median(spent) * 1e3,
                                                       low * 1e3, high * 1e3))
    middle, low, high = measure.ratios(times[4], times[1])
    text += ["", "`import numpy` under CPython takes %.0f times as long as all of "
             "`nacre -c 'print(1)'` (%.0f to %.0f)." % (middle, low, high)]
    measure.write(options, "startup.md", "\n".join(text))


if __name__ == "__main__":
    main()
