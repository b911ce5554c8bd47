#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs the scripts of a folder on a backend for devices, in turns: compiling kernels takes so long that one run has
time for a few. A fixed sample runs each time, and a part that the commit draws.

    run_devices.py --backend NAME --commit HASH [options of run_ncr.py] FOLDER

NACRE_DEVICES_PART=K/N in the environment: part K (from 1) of N in place of a turn, long scripts included; all parts
together are all scripts.

devices_left_out.txt has the scripts that do not run on a device, each with the reason; devices_seconds.txt what
scripts cost (measure_devices.py).
"""

import hashlib
import os
import re
import sys

import process
import run_ncr

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
BACKENDS = ("opencl", "cuda")
# Seconds of one core that a turn may cost: its fixed part and the drawn one. A long script is drawn alone.
FIXED, DRAWN, LONG = 3, 8, 24
UNKNOWN = 8  # of a script that has not been measured
PART_TIMEOUT = 600


def rows_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and line[0] != "#"]


def left_out():
    """{(script, backend): reason}"""
    found = {}
    for row in rows_of("devices_left_out.txt"):
        match = re.fullmatch(r"(\S+\.ncr) ((?:opencl|cuda)(?:,(?:opencl|cuda))*): (\S.*)", row)
        if not match:
            raise ValueError("devices_left_out.txt: " + row)
        for backend in match.group(2).split(","):
            found[match.group(1), backend] = match.group(3)
    return found


def costs():
    """{(script, backend): seconds}"""
    found = {}
    for row in rows_of("devices_seconds.txt"):
        script, *seconds = row.split()
        found.update(((script, backend), float(cost)) for backend, cost in zip(BACKENDS, seconds))
    return found


def scripts_in(paths, backend, absent):
    """Names below tests/ of the scripts there that run on the backend."""
    names = (os.path.relpath(path, TESTS) for path in run_ncr.scripts_of(paths))
    return [name for name in names if (name, backend) not in absent]


# --- Drawing -------------------------------------------------------------------------------------------

def number(*parts):
    return int.from_bytes(hashlib.sha256(" ".join(parts).encode()).digest()[:8], "big")


def take(names, cost, seed, seconds):
    """As many as fit into so many seconds, in an order that the seed gives."""
    taken = []
    for name in sorted(names, key=lambda name: number(seed, name)):
        if cost(name) <= seconds:
            taken.append(name)
            seconds -= cost(name)
    return taken


def draw(names, cost, commit):
    short = [name for name in names if cost(name) <= LONG]
    names = short or sorted(names, key=lambda name: (cost(name), name))[:1] # the least long one
    first = min(names, key=lambda name: number(commit, name), default=None)
    if first and cost(first) > DRAWN:
        return [first]
    return take(names, cost, commit, DRAWN)


def turn(names, cost, commit):
    fixed = take(names, cost, "fixed", FIXED)
    return sorted(fixed + draw([name for name in names if name not in fixed], cost, commit))


def part_of(names, part):
    at, count = map(int, part.split("/"))
    return [name for name in names if number("part", name) % count == at - 1]


def has_device(options):
    env = dict(pair.split("=", 1) for pair in options.env)
    done = process.run([os.path.abspath(options.nacre), "--backend", options.backend, "-c", "1"], PART_TIMEOUT, env)
    return "there is no device" not in done.err


def main():
    parser = run_ncr.make_parser()
    parser.add_argument("--commit", default="none")
    options = run_ncr.finish(parser.parse_args())
    if not has_device(options):
        print("no device for backend %s: nothing to test" % options.backend)
        return 77
    known, names = costs(), scripts_in(options.paths, options.backend, left_out())
    part = os.environ.get("NACRE_DEVICES_PART")
    if part:
        names, options.timeout = part_of(names, part), PART_TIMEOUT
        if not names:
            print("no script of this part")
            return 0
    else:
        names = turn(names, lambda name: known.get((name, options.backend), UNKNOWN), options.commit)
    print("%s: %s" % (options.backend, " ".join(names)))
    return run_ncr.run_all(options, [os.path.join(TESTS, name) for name in names])


if __name__ == "__main__":
    sys.exit(main())
