#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Every form of store on every kind of read-only array is refused, in every round and tier, with code that is new and with code
from the disk; the same stores on an array that may be written are done.

usage: readonly_test.py NACRE
"""

import json
import os
import subprocess
import sys
import tempfile

# Each makes `a`, of 4 numbers, and `m`, of 4 by 4; `w` are arrays that may be written.
KINDS = {
    "flag": "a = np.arange(4.0); m = np.ones((4, 4)); a.flags.writeable = m.flags.writeable = False",
    "bytes": "a = np.frombuffer(bytes(32)); m = np.frombuffer(bytes(128)).reshape(4, 4)",
    "broadcast": "a = np.broadcast_to(np.float64(1), 4); m = np.broadcast_to(np.arange(4.0), (4, 4))",
    "mapped": "a = np.memmap(path, mode='r', shape=4, dtype=float); m = np.memmap(path, mode='r', shape=(4, 4), dtype=float)",
    "diagonal": "a = np.diagonal(np.ones((4, 4))); m = np.ones((4, 4)); m.setflags(write=False); m = m.T",
    "view": "a = np.arange(8.0); a.flags.writeable = False; a = a[::2]; m = np.broadcast_to(a, (4, 4))[:, ::-1]",
}
STORES = (
    "a[i % 4] = 1", "a[i % 4] += 1", "a[-1] = i", "a[:] = 1", "a[1:3] = b", "a += 1", "a *= c", "a[:] += c", "a[::2] *= 2",
    "v = a[1:]; v[0] = 2", "v = a[1:]; v[:] = 2", "put(a, i % 4)", "np.add(a, 1, out=a)", "a.fill(3)",
    "m[i % 4, 1] = 1", "m[i % 4][1] = 1", "m[i % 4] = 1", "m[:, 1] = 2", "m[1] += c", "m += 1", "m[1:3, 1:3] = 0.5",
    "v = m[i % 4]; v[2] = 1", "v = m.T; v[1, 2] = 1",
    "for v in m:\n                v[i % 4] = 1", "for k in range(4):\n                a[k] = i", "put(m[1], 2)",
)
TIERS = ("interp", "function", "function", "kernel", "auto", "auto")

HEAD = """\
import os, tempfile
import numpy as np
path = os.path.join(tempfile.mkdtemp(), 'map')
np.zeros(16).tofile(path)
b, c = np.ones(2), np.full(4, 0.25)
def put(array, k):
    array[k] = 7
"""
ONE = """
def {name}(a, m, rounds):
    refused = s = 0
    for i in range(rounds):
        s += i
        try:
            {store}
        except ValueError:
            refused += 1
    return refused, s
{kind}
before = a.tolist(), m.tolist()
print({name!r}, {name}(a, m, {rounds}), (a.tolist(), m.tolist()) == before)
a, m = np.arange(4.0), np.full((4, 4), 9.0)
before = a.tolist(), m.tolist()
print({name!r}, {name}(a, m, 9), (a.tolist(), m.tolist()) == before)
"""
# With NACRE_STRESS loops are compiled after fewer rounds, and every statement checks all references.
ROUNDS = 150 if os.environ.get("NACRE_STRESS") else 1500


def program(kind):
    parts = [HEAD]
    for number, store in enumerate(STORES):
        parts.append(ONE.format(name="store%d" % number, store=store, kind=KINDS[kind], rounds=ROUNDS))
    return "".join(parts) + "os.remove(path)\n"


def expected():
    lines = []
    for number in range(len(STORES)):
        lines.append("store%d (%d, %d) True" % (number, ROUNDS, sum(range(ROUNDS))))
        lines.append("store%d (0, %d) False" % (number, sum(range(9))))
    return lines


def check(nacre, kind):
    """How many rounds ran in machine code; lines that are wrong are printed and counted."""
    rounds = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        script, stats = os.path.join(folder, "script.py"), os.path.join(folder, "stats.json")
        with open(script, "w", encoding="utf-8") as file:
            file.write(program(kind))
        for tier in TIERS:
            environment = dict(os.environ, NACRE_TIER=tier, NACRE_CACHE=os.path.join(folder, "cache"))
            done = subprocess.run([nacre, "--stats", stats, script], capture_output=True, text=True, env=environment,
                                  timeout=900)
            lines = done.stdout.splitlines()
            for line, wanted in zip(lines + [done.stderr] * len(STORES), expected()):
                if line != wanted:
                    wrong += 1
                    print("%s, %s: %s\n  not %s" % (kind, tier, line, wanted))
            with open(stats, encoding="utf-8") as file:
                rounds += json.load(file)["loop_rounds"]
    return rounds, wrong


def main():
    nacre = os.path.abspath(sys.argv[1])
    rounds = wrong = 0
    for kind in KINDS:
        ran, bad = check(nacre, kind)
        rounds += ran
        wrong += bad
    print("%d kinds of arrays, %d stores, %d rounds in machine code, %d wrong" % (len(KINDS), len(STORES), rounds, wrong))
    return 1 if wrong or rounds < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
