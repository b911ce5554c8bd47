#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of loops that touch objects with state (states.py): the same output and errors without machine code, with
all there can be of it, when that comes from the disk, and by default.

usage: states_test.py NACRE [COUNT [SEED]]
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import states

# Tier, and what is said of it. `function` waits for code, and leaves it on the disk for the runs behind it.
RUNS = (("interp", "interpreted"), ("function", "compiled"), ("function", "compiled before"), ("auto", "by default"))


def outcome(nacre, tier, folder):
    environment = dict(os.environ, NACRE_TIER=tier, NACRE_THREADS="1", NACRE_CACHE=os.path.join(folder, "cache"))
    environment.pop("NACRE_STRESS", None)
    done = subprocess.run([nacre, "--stats", os.path.join(folder, "stats.json"), os.path.join(folder, "states.py")],
                          capture_output=True, env=environment, timeout=600)
    return done.returncode, done.stdout, done.stderr


def check(nacre, seed):
    """What differs, or None; and how many rounds ran in machine code."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "states.py"), "w", encoding="utf-8") as file:
            file.write(states.make_program(seed))
        rounds, plain = 0, None
        for tier, how in RUNS:
            this = outcome(nacre, tier, folder)
            with open(os.path.join(folder, "stats.json"), encoding="utf-8") as file:
                rounds += json.load(file)["loop_rounds"]
            plain = plain or this
            if this != plain:
                return "\n".join("  %s: %r\n  %s: %r" % (RUNS[0][1], a, how, b) for a, b in zip(plain, this) if a != b), rounds
    return None, rounds


def main():
    nacre = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    differing = rounds = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        seeds = range(first, first + count)
        for seed, (difference, ran) in zip(seeds, pool.map(lambda each: check(nacre, each), seeds)):
            rounds += ran
            if difference:
                differing += 1
                print("states.py %d:\n%s\n" % (seed, difference[:2000]))
    print("%d programs, %d rounds in machine code, %d differ" % (count, rounds, differing))
    return 1 if differing or rounds < 100 * count else 0


if __name__ == "__main__":
    sys.exit(main())
