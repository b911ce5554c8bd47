#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of loops (loops.py): the same output, errors and warnings with machine code as without.

usage: loops_test.py NACRE [COUNT [SEED]]
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from loops import make_program

TIERS = ("interp", "function")


def outcome(nacre, tier, path, stats):
    environment = dict(os.environ, NACRE_TIER=tier, NACRE_THREADS="1")
    environment.pop("NACRE_STRESS", None)
    done = subprocess.run([nacre, "--stats", stats, path], capture_output=True, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


def check(nacre, seed):
    """None, or what differs; and how often loops were entered."""
    with tempfile.TemporaryDirectory() as folder:
        path, stats = os.path.join(folder, "loops.py"), os.path.join(folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(make_program(seed))
        plain, code = (outcome(nacre, tier, path, stats) for tier in TIERS)
        with open(stats, encoding="utf-8") as file:
            figures = json.load(file)
    if plain == code:
        return None, figures
    names = ("status", "output", "errors")
    return "\n".join("%s\n  %s: %r\n  %s: %r" % (name, TIERS[0], a, TIERS[1], b)
                     for name, a, b in zip(names, plain, code) if a != b), figures


def main():
    nacre = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    entered = differing = rounds = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda seed: (seed,) + check(nacre, seed), range(first, first + count))
        for seed, difference, figures in results:
            entered += figures["loops_entered"] > 0
            rounds += figures["loop_rounds"]
            if difference:
                differing += 1
                print("seed %d:\n%s\n" % (seed, difference[:2000]))
    print("%d programs, %d with machine code for loops (%d rounds), %d differ" % (count, entered, rounds, differing))
    return 1 if differing or entered < count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
