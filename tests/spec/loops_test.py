#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of loops (loops.py, counted.py), and the scripts beside this file: the same output, errors and warnings with
machine code as without.

usage: loops_test.py NACRE [COUNT [SEED]]
"""

import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

import counted
import loops

TIERS = ("interp", "function")


def outcome(nacre, tier, path, stats):
    environment = dict(os.environ, NACRE_TIER=tier, NACRE_THREADS="1")
    environment.pop("NACRE_STRESS", None)
    done = subprocess.run([nacre, "--stats", stats, path], capture_output=True, env=environment, timeout=300)
    return done.returncode, done.stdout, done.stderr


def text_of(program):
    if isinstance(program, int):
        return (counted if program % 2 else loops).make_program(program)
    with open(program, encoding="utf-8") as file:
        return file.read()


def check(nacre, program):
    """None, or what differs; and how often loops were entered. `program`: the path of a script, or a seed, odd for one
    of counted.py."""
    with tempfile.TemporaryDirectory() as folder:
        path, stats = os.path.join(folder, "loops.py"), os.path.join(folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(program))
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
        scripts = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.ncr")))
        programs = scripts + list(range(first, first + count))
        for program, (difference, figures) in zip(programs, pool.map(lambda each: check(nacre, each), programs)):
            entered += figures["loops_entered"] > 0
            rounds += figures["loop_rounds"]
            if difference:
                differing += 1
                print("%s:\n%s\n" % (program, difference[:2000]))
            elif not isinstance(program, int) and figures["loop_rounds"] < 500:
                differing += 1
                print("%s: only %d rounds in machine code" % (program, figures["loop_rounds"]))
    print("%d programs, %d with machine code for loops (%d rounds), %d differ" % (len(programs), entered, rounds, differing))
    return 1 if differing or entered < count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
