#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Ctrl-C in the middle of long loops in machine code: they stop soon, at a round like any other.

usage: interrupt_test.py NACRE
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SOON = 5.0  # seconds; a chunk takes microseconds, other programs may keep the processor busy
ROUNDS = 20_000_000  # that have to be made before

START = """
import numpy as np
a = np.arange(1024.0)
k = np.arange(1024)
"""

LOOPS = {
    "sums of floats": """
def run(a, k):
    s = 0.0
    for i in range(10**15):
        s += a[i & 1023]
""",
    "whole numbers": """
def run(a, k):
    s = 0
    for i in range(10**9, -10**15, -1):
        s += i & 255
""",
    "elements put back": """
def run(a, k):
    for i in range(10**15):
        a[5] = a[5] * 0.5 + 1.0
""",
    "loops in loops": """
def run(a, k):
    for i in range(10**12):
        for j in range(1000):
            a[j] = a[j] * 0.5 + k[j]
""",
    "a while": """
def run(a, k):
    i = 0
    while i < 10**15:
        i += 1
        if a[i & 1023] < 0.0:
            break
""",
    "rounds in threads": """
def run(a, k):
    b = np.zeros(10**6)
    for i in range(10**6):
        for j in range(10**6):
            b[i] = b[i] * 0.5 + k[j & 1023]
""",
}

END = """
print("go", flush=True)
try:
    run(a, k)
except KeyboardInterrupt:
    print("stopped", flush=True)
print(a.shape, flush=True)
"""


def check(nacre, name, patience):
    """What is wrong, or None; and how many rounds there were in machine code."""
    with tempfile.TemporaryDirectory() as folder:
        path, stats = os.path.join(folder, "long.py"), os.path.join(folder, "stats.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(START + LOOPS[name] + END)
        process = subprocess.Popen([nacre, "--stats", stats, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=dict(os.environ, NACRE_TIER="function", NACRE_THREADS="2" if "threads" in name else "1"))
        while process.stdout.readline().strip() != "go":
            pass
        time.sleep(patience)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            out, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            return "does not stop", 0
        took = time.monotonic() - begin
        with open(stats, encoding="utf-8") as file:
            rounds = json.load(file)["loop_rounds"]
    if "stopped" not in out or "(1024,)" not in out or process.returncode != 0:
        return "is not told of the interrupt: %r %r" % (out, errors), rounds
    return "takes %.1f s to stop" % took if took > SOON else None, rounds


def check_patiently(nacre, name):
    """Machine code may take its time to be there."""
    rounds = 0
    for patience in (1, 4, 16, 60):
        problem, rounds = check(nacre, name, patience)
        if problem or rounds >= ROUNDS:
            return problem
    return "makes only %d rounds in machine code" % rounds


def main():
    nacre, wrong = os.path.abspath(sys.argv[1]), 0
    for name in LOOPS:
        problem = check_patiently(nacre, name)
        print("%s: %s" % (name, problem or "stops"))
        wrong += problem is not None
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
