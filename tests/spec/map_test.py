#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""nacre.map with write conflicts: sums, products, least and greatest ones, histograms. A hundred times over no update is
lost, the bits are the same each time and for any number of threads, and within 1e-12 of those of one round after the
other; with --reproducible they are just those.

usage: map_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile

TIMES = 100
PROGRAM = """
import numpy as np
import nacre

def total(a, n, m):
    alpha, beta = 0.0, 1.0
    for i, j in nacre.map[0:n, 0:m]:
        alpha += a[i, j]
        beta *= 1 + a[i, j] * 1e-6
    return alpha, beta

def count(a, n, m):
    found, weight = 0, 0
    for i, j in nacre.map[0:n, 0:m]:
        weight += i - j
        if a[i, j] > 0.5:
            found += 1
    return found, weight

def extremes(a, n, m):
    most = least = a[0, 0]
    for i, j in nacre.map[0:n, 0:m]:
        most = max(most, a[i, j])
        least = min(least, a[i, j])
    return most, least

def histogram(b, n, h, w):
    for i in nacre.map[0:n]:
        h[b[i]] += 1
        w[b[i]] += i * 0.1

def columns(a, n, m, s):
    for i, j in nacre.map[0:n, 0:m]:
        s[j] += a[i, j]

rng = np.random.default_rng(7)
a, b = rng.random((200, 300)), rng.integers(0, 40, 60000)
for turn in range(%d):
    h, w, s = np.zeros(40, dtype=np.int64), np.zeros(40), np.zeros(300)
    histogram(b, 60000, h, w)
    columns(a, 200, 300, s)
    numbers = [*total(a, 200, 300), *count(a, 200, 300), *extremes(a, 200, 300), *w, *s]
    print(*(float(x).hex() for x in numbers), *h)
"""


def run(nacre, folder, tier, threads, times, *options):
    path, stats = os.path.join(folder, "map.py"), os.path.join(folder, "stats.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM % times)
    environment = dict(os.environ, NACRE_TIER=tier, NACRE_THREADS=str(threads))
    environment.pop("NACRE_STRESS", None)
    done = subprocess.run([nacre, "--stats", stats, *options, path], capture_output=True, text=True, env=environment, timeout=300,
                          check=True)
    with open(stats, encoding="utf-8") as file:
        return done.stdout.splitlines(), json.load(file)["parallel_rounds"]


def number(text):
    return float.fromhex(text) if "x" in text else int(text)


def is_near(line, other):
    pairs = list(zip(line.split(), other.split(), strict=True))
    return all(x == y if isinstance(x, int) else abs(x - y) <= 1e-12 * abs(y)
               for x, y in ((number(a), number(b)) for a, b in pairs))


def problems(nacre, folder):
    plain = run(nacre, folder, "interp", 1, 1)[0][0]
    # The first turns may begin interpreted.
    ways = {threads: run(nacre, folder, "function", threads, TIMES) for threads in (2, 3, 4)}
    for threads, (lines, rounds) in ways.items():
        if rounds < TIMES * 1000:
            yield "%d threads: only %d rounds in threads" % (threads, rounds)
        if not all(is_near(line, plain) for line in lines):
            yield "%d threads: other numbers" % threads
        if len(set(lines[2:])) != 1:
            yield "%d threads: not the same each time" % threads
        if lines[-1] != ways[2][0][-1]:
            yield "%d threads: other bits than with 2" % threads
    for threads in (1, 2):
        if set(run(nacre, folder, "function", threads, 4, "--reproducible")[0]) != {plain}:
            yield "%d threads: not reproducible" % threads


def main():
    nacre = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        found = list(problems(nacre, folder))
    print("\n".join(found) or "sums are as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
