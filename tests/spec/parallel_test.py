#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of nested loops (nests.py): the same output, errors and warnings in machine code on 1, 2 and 4 threads
as interpreted; and loops that must, or must not, run in parallel.

usage: parallel_test.py NACRE [COUNT [SEED]]
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import nests

WAYS = (("interp", 1), ("function", 1), ("function", 2), ("function", 4))
KNOWN = (
    (True, "for i in range(n):\n    C[i] += 1"),
    (True, "for i in range(m):\n    for j in range(m):\n        M[i, j] = M[i, j] * 2 + C[j]"),
    (True, "for i in range(m):\n    s = 0.0\n    for j in range(m):\n        s += M[i, j] * C[j]\n    A[i] = s"),
    (False, "for i in range(1, n):\n    A[i] = A[i - 1] + 1"),
    (False, "for i in range(1, m):\n    for j in range(1, m):\n        M[i, j] = M[i - 1, j] + M[i, j - 1]"),
    (False, "for i in range(n):\n    C[p[i]] = i"),
)
FRAME = """import numpy as np
n, m = 300000, 600
def work(A, C, M, p, n, m):
%s
A = np.zeros(n); C = np.arange(n) * 0.5; M = np.ones((m, m)); p = np.zeros(n, dtype=np.int64)
for turn in range(4):
    work(A, C, M, p, n, m)
print(A.sum(), C.sum(), M.sum())
"""


def run(nacre, path, stats, tier, threads):
    environment = dict(os.environ, NACRE_TIER=tier, NACRE_THREADS=str(threads))
    environment.pop("NACRE_STRESS", None)
    done = subprocess.run([nacre, "--stats", stats, path], capture_output=True, env=environment, timeout=300)
    with open(stats, encoding="utf-8") as file:
        return (done.returncode, done.stdout, done.stderr), json.load(file)


def check(nacre, text):
    """None, or what differs; and how many rounds were made in threads."""
    with tempfile.TemporaryDirectory() as folder:
        path, stats = os.path.join(folder, "nests.py"), os.path.join(folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        outcomes = [run(nacre, path, stats, *way) for way in WAYS]
    shared = max(figures["parallel_rounds"] for _, figures in outcomes)
    plain = outcomes[0][0]
    for way, (outcome, _) in zip(WAYS, outcomes):
        if outcome != plain:
            return "%s, %d threads: %r\ninterpreted: %r" % (*way, outcome, plain), shared
    if outcomes[0][1]["parallel_rounds"] + outcomes[1][1]["parallel_rounds"] > 0:
        return "rounds in threads where there are none", shared
    return None, shared


def check_known(nacre):
    wrong = 0
    for parallel, loop in KNOWN:
        text = FRAME % "\n".join("    " + line for line in loop.splitlines())
        difference, shared = check(nacre, text)
        if difference or parallel != (shared > 0):
            wrong += 1
            print("%s\n%s\n%d rounds in threads\n" % (loop, difference, shared))
    return wrong


def main():
    nacre = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wrong = check_known(nacre)
    shared = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        seeds = range(first, first + count)
        for seed, (difference, rounds) in zip(seeds, pool.map(lambda seed: check(nacre, nests.make_program(seed)), seeds)):
            shared += rounds > 0
            if difference:
                wrong += 1
                print("seed %d:\n%s\n" % (seed, difference[:3000]))
    print("%d programs, %d with rounds in threads, %d wrong" % (count, shared, wrong))
    return 1 if wrong or shared < count // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
