#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Scripts of the tests print the same when machine code comes from the disk as when it is new, in each tier that has any.

usage: cache_test.py NACRE [--all] [--count N]
"""

import argparse
import concurrent.futures
import glob
import os
import re
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "run"))
import directives  # noqa: E402

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Where loops and kernels are; every folder with --all.
FOLDERS = ("spec", "kernels", "array", "linalg", "sorting", "random", "functions")


def outcome(nacre, path, arguments, tier, cache):
    environment = dict(os.environ, NACRE_TIER=tier, NACRE_CACHE=cache)
    environment.pop("NACRE_STRESS", None)
    with tempfile.TemporaryDirectory() as folder:  # of its own, as some scripts write files and look for them
        done = subprocess.run([nacre, path] + arguments, capture_output=True, env=environment, timeout=900,
                              cwd=folder, stdin=subprocess.DEVNULL)
    return done.returncode, rounded(done.stdout), rounded(done.stderr)


def rounded(text):
    """Numbers to 12 digits: what a loop adds up on several threads may be added in another order."""
    return re.sub(rb"\d+\.\d{6,}(?:e[-+]\d+)?", lambda number: b"%.12g" % float(number.group()), text)


def check(nacre, path):
    """What differs, or None. What differs without any machine code, too, says nothing."""
    with open(path, encoding="utf-8") as file:
        arguments = directives.Directives(file.read()).args
    for tier in ("function", "auto"):
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = (outcome(nacre, path, arguments, tier, cache) for _ in range(2))
            if cold == warm:
                continue
            plain = [outcome(nacre, path, arguments, "interp", cache) for _ in range(2)]
            if plain[0] == plain[1]:
                return "\n".join("  %s\n  new code: %r\n  from the disk: %r" % (tier, a, b) for a, b in zip(cold, warm) if a != b)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nacre")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--count", type=int, default=24)
    options = parser.parse_args()
    folders = ("*",) if options.all else FOLDERS
    paths = sorted(path for folder in folders for path in glob.glob(os.path.join(TESTS, folder, "*.ncr")))
    if not options.all:
        paths = random.Random(len(paths)).sample(paths, options.count)
    nacre, differing = os.path.abspath(options.nacre), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, difference in zip(paths, pool.map(lambda each: check(nacre, each), paths)):
            if difference:
                differing += 1
                print("%s:\n%s\n" % (os.path.relpath(path, TESTS), difference[:1500]))
    print("%d scripts, %d differ" % (len(paths), differing))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
