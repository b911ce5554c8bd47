#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How long a host waits for a VM of libnacre.so: the first in a process, and others after it.

Writes bench/results/creation.md.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402


def build(options, folder):
    lib = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(options.nacre))), "lib")
    program = os.path.join(folder, "creation")
    measure.output(["cc", "-O2", os.path.join(measure.ROOT, "bench", "startup", "creation.c"), "-o", program,
                    "-I" + os.path.join(measure.ROOT, "include"), "-L" + lib, "-lnacre", "-Wl,-rpath," + lib])
    return program


def main():
    options = measure.arguments(__doc__, 100)
    with tempfile.TemporaryDirectory() as folder:
        program = build(options, folder)
        first = [measure.figures([program, "first"])["first"] for _ in range(options.pairs)]
        another = [measure.figures([program])["another"] for _ in range(max(options.pairs // 10, 1))]
    cells = [[name, "%.2f" % (measure.median(spent) * 1e3),
              "%.2f to %.2f" % tuple(end * 1e3 for end in measure.interval(spent))]
             for name, spent in (("the first in a process", first), ("another", another))]
    measure.write(options, "creation.md", "Creation of a VM",
                  "`nacre_new(NULL)`, %d processes; median and its 95 %% interval, in ms." % options.pairs,
                  measure.table(["VM", "median", "interval"], cells), [])


if __name__ == "__main__":
    main()
