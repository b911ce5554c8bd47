#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The long checks: every failing request of the fault test's scenarios, functions at many arguments,
many random programs beside CPython, many random array programs and all scripts of arrays with little
and much of them pending, and all scripts with machine code that is new and that comes from the disk.

Writes bench/results/fault.md, ulp.md, generated.md, depths.md and cache.md; fails when a check does.
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402

PROGRAMS = 20000
DEPTHS_PROGRAMS = 10000


def commands(options):
    """name: (title, command, lines of output that are kept)."""
    generated = os.path.join(measure.ROOT, "tests", "generated", "run_generated.py")
    built = os.path.join(os.path.dirname(options.nacre), "..", "tests")
    fault, ulp = (os.path.join(built, name) for name in ("fault_fault_test", "backends_ulp_test"))
    return {
        "fault": ("Memory that runs out: request after request",
                  [os.path.normpath(fault), "--long"], 1),
        "ulp": ("How exact the functions of arrays are, in units in the last place",
                [os.path.normpath(ulp), "--long"], 0),
        "generated": ("Random programs, beside CPython",
                      [options.python, generated, "--nacre", options.nacre,
                       "--python", options.python, "--count", str(PROGRAMS),
                       "--seed", measure.output(["git", "-C", measure.ROOT, "rev-parse",
                                                 "--short=7", "HEAD"]).strip(),
                       "--jobs", str(len(os.sched_getaffinity(0)))], 4),
        "depths": ("Random array programs, with little and much pending",
                   [options.python,
                    os.path.join(measure.ROOT, "tests", "generated_arrays", "depths_test.py"),
                    options.nacre, "--count", str(DEPTHS_PROGRAMS), "--all",
                    "--jobs", str(len(os.sched_getaffinity(0)))], 2),
        "cache": ("Scripts, with machine code that is new and from the disk",
                  [options.python, os.path.join(measure.ROOT, "tests", "spec", "cache_test.py"), options.nacre, "--all"], 1),
    }


def shown(command):
    return " ".join([os.path.basename(command[0])] +
                    [os.path.relpath(w, measure.ROOT) if w.startswith("/") else w
                     for w in command[1:]])


def check(options, name, title, command, kept):
    if name == "generated":  # a commit's hash is its number
        at = command.index("--seed") + 1
        command[at] = str(int(command[at], 16))
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    spent = time.monotonic() - start
    lines = done.stdout.rstrip().split("\n")
    if done.returncode:
        print(done.stdout + done.stderr)
    else:
        measure.write(options, name + ".md", title, "`%s`, %.0f s." % (shown(command), spent),
                      ["```"] + lines[-kept:] + ["```"])
    return done.returncode == 0


def main():
    options = measure.arguments(__doc__, 0, a_file_each=True)
    good = True
    for name, row in commands(options).items():
        if not options.only or name in options.only:
            good = check(options, name, *row) and good
    return 0 if good else 1


sys.exit(main())
