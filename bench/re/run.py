#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Typical uses of module re beside CPython's: processor time of a call, the best of turns that the two take by turns.

usage: run.py [NACRE] [--turns N]
"""

import argparse
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def times(program):
    done = subprocess.run([program, os.path.join(HERE, "uses.py")], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {name: (float(us), what.replace("_", " ")) for name, us, what in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nacre", nargs="?", default=os.path.join(ROOT, "build/release/bin/nacre"))
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    python = os.path.join(ROOT, "build/venv/bin/python")
    turns = [(times(args.nacre), times(python)) for _ in range(args.turns)]
    print("| use | Nacre, µs | CPython, µs | ratio |\n|---|---|---|---|")
    for name, (_, what) in turns[0][0].items():
        mine, other = (min(turn[side][name][0] for turn in turns) for side in (0, 1))
        print("| %s | %.1f | %.1f | %.2f |" % (what, mine, other, other / mine))


if __name__ == "__main__":
    main()
