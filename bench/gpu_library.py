#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Library operations on a device, of 2**26 elements of 8 bytes, beside CuPy; answers beside the processor's.

    gpu_library.py [--nacre PROGRAM] [--backend cuda] [--peer cupy] [--elements N]

One process measures all cases, one after the other, with the data that they share. Answers are sums of results, weighted by
place so that order counts, of so few elements that the processor has them too. With `--peer numpy` the peer is NumPy on the
processor, for machines without a GPU.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWERED = 1 << 22 # elements of answers that are compared

# What is timed, and bytes of an element that are read or written at least. x: floats in [0, 1) without order; k: integers
# below 1,000; i: places; m: a mask of half of them; s: a million floats in order.
CASES = (
    ("sort", "np.sort(x)", 16),
    ("sort int64", "np.sort(i)", 16),
    ("argsort", "np.argsort(x)", 16),
    ("cumsum", "np.cumsum(x)", 16),
    ("cumsum int64", "np.cumsum(k)", 16),
    ("cumprod", "np.cumprod(1 + (x - 0.5) / 1024)", 16),
    ("take", "np.take(x, i)", 24),
    ("x[m]", "x[m]", 13),
    ("x[m] = 0", "masked(y, m)", 5),
    ("nonzero", "np.nonzero(m)[0]", 5),
    ("bincount", "np.bincount(k, minlength=1000)", 8),
    ("bincount, weights", "np.bincount(k, weights=x, minlength=1000)", 16),
    ("histogram", "np.histogram(x, bins=100, range=(0.0, 1.0))[0]", 8),
    ("searchsorted", "np.searchsorted(s, x)", 16),
    ("random", "rng.random(n)", 8),
    ("random float32", "rng.random(n, dtype=np.float32)", 4),
    ("integers", "rng.integers(0, 1000, n)", 8),
    ("standard_normal", "rng.standard_normal(n)", 8),
)

PROGRAM = '''
import sys
import time
import {module} as np

n = {n}


def spread(a, by):
    a = (a ^ a >> np.uint64(31)) * np.uint64(by)
    return a ^ a >> np.uint64(29)


h = spread(spread(np.arange(n).astype(np.uint64) + np.uint64(12345), 0x9E3779B97F4A7C15), 0xBF58476D1CE4E5B9)
x = (h >> np.uint64(11)) * 2.0**-53
i = (h % np.uint64(n)).astype(np.int64)
k = (h >> np.uint64(20)).astype(np.int64) % 1000
m = (h & np.uint64(1 << 40)) != 0
y = x * 1.0
s = np.sort(x[: 1 << 20])
w = np.arange(n) % 1009
rng = np.random.default_rng(1)
del h


def masked(y, m):
    y[m] = 0
    return y


def finish(result):
    if hasattr(np, "cuda"):
        np.cuda.Device().synchronize()
    else:
        float(result.reshape(-1)[:1].sum())


def answer(result):
    return float((result * w[: result.size]).sum())


def timed(step):
    finish(step())
    best = 1e9
    for _ in range(3):
        begin = time.perf_counter()
        finish(step())
        best = min(best, time.perf_counter() - begin)
    return best


for name, step in (
{cases}
):
    try:
        print(name + "\\t%r" % (answer(step()) if {answers} else timed(step)), flush=True)
    except Exception as error:
        print(name + "\\tnan\\t%s" % error, flush=True)
'''


def program(module, n, answers):
    cases = "".join("    (%r, lambda: %s),\n" % (name, text) for name, text, _ in CASES)
    return PROGRAM.format(module=module, n=n, cases=cases, answers=answers)


def results(command, text, env):
    """By case; why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "library.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            done = subprocess.run([*command, path], capture_output=True, text=True, timeout=150, env={**os.environ, **env})
        except subprocess.TimeoutExpired:
            return {}, "no end"
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {line[0]: float(line[1]) for line in lines}, done.stderr.strip()


def compare(options, env, say):
    """Names of cases whose answers are not the processor's."""
    device = [options.nacre, "--backend", options.backend]
    own, words = results(device, program("numpy", ANSWERED, True), env)
    here, _ = results([options.nacre], program("numpy", ANSWERED, True), env)
    wrong = [name for name, _, _ in CASES if not math.isclose(own.get(name, math.nan), here.get(name, math.nan), rel_tol=1e-9)]
    for name in wrong:
        say("%s differs: %r, on the processor %r %s" % (name, own.get(name), here.get(name), words[-300:]))
    return wrong


def rows(options, say, copy=None):
    env = {"NACRE_CACHE": options.cache} if options.cache else {}
    wrong = compare(options, env, say)
    n = options.elements
    own, _ = results([options.nacre, "--backend", options.backend], program("numpy", n, False), env)
    other, words = results([options.python], program(options.peer, n, False), {}) if options.peer else ({}, "")
    if words and not other:
        say("the peer has no answers: %s" % words.splitlines()[-1])
    say("| what | ms | GB/s | of a copy | peer's time over it |\n|---|---:|---:|---:|---:|")
    for name, text, size in CASES:
        seconds, theirs = own.get(name, math.nan), other.get(name, math.nan)
        rate = size * n / seconds
        say("| %s: `%s` | %.3f | %.0f | %s | %s |" % (
            name, text, seconds * 1e3, rate * 1e-9, "%.0f %%" % (100 * rate / copy) if copy else "–",
            "%.2f" % (theirs / seconds) if theirs == theirs else "–"))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nacre", default=os.path.join(ROOT, "build", "release", "bin", "nacre"))
    parser.add_argument("--python", default=os.environ.get("PYTHON", sys.executable))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--peer", default="cupy", choices=("cupy", "numpy"))
    parser.add_argument("--elements", type=int, default=1 << 26)
    parser.add_argument("--cache", default=None, help="folder for compiled code")
    options = parser.parse_args()
    return 1 if rows(options, lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
