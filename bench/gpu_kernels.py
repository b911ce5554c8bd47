#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The kernels of tests/kernels at their published sizes on a device, beside CuPy: one process for each, one at a time.

    gpu_kernels.py [--nacre PROGRAM] [--backend cuda] [--peer cupy] [--size paper] [--limit S] [KERNEL …]
    gpu_kernels.py --peer jax --npbench FOLDER …
    gpu_kernels.py --loops --peer nacre …

Both run the kernel's own text; the peer's data are made by NumPy and moved to the device before the clock runs, and its
`np` is CuPy. The first run, which compiles, is not counted, unless it alone takes the peer longer than the limit. A peer that
comes to no end in three times the limit counts as having taken the limit, so a ratio with `>` is a lower bound. With
`--peer numpy` the peer is NumPy on the processor, and with `--peer nacre` nacre there; with `--peer none` there is none.

With `--peer jax` the peer runs what a checkout of NPBench (https://github.com/spcl/npbench) has for JAX, float64 as elsewhere.
With `--loops` kernels are written in loops over elements, as bench/suites/kernels/numba has them for Numba; kernels that have
none there are left out.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench", "suites"), os.path.join(ROOT, "bench")]
import case  # noqa: E402

AHEAD = 3  # processes that make their data while another one is timed

# Behind the kernel's text, for both.
MEASURED = '''

def parts_of(result):
    if result is None:
        return [data[at] for at in changed]
    return list(result) if isinstance(result, (tuple, list)) else [result]


def one_run():
    for at in changed:
        data[at][...] = before[at]
    wait(list(data))
    begin = time.perf_counter()
    parts = parts_of({kernel}(*data))
    wait(parts)
    return time.perf_counter() - begin, parts


print("ready", flush=True)
input()
times = []
while len(times) < 2 or (len(times) < 6 and sum(times[1:]) < 1):
    if times and times[0] > {limit}:
        break
    seconds, parts = one_run()
    times.append(seconds)
print("time", min(times[1:] or times), flush=True)
print("sum", sum(total(part) for part in parts), flush=True)
'''
NACRE = '''
import time
changed = {changed}
data = list(initialize({given}))
before = {{at: data[at].copy() for at in changed}}


def wait(parts):
    for part in parts:
        if isinstance(part, np.ndarray) and part.size:
            part.reshape(-1)[-1].item()


def total(part):
    return float(np.abs(part).sum()) if isinstance(part, np.ndarray) else float(abs(part))

'''
PEER = '''
import time
import {module} as peer
changed = {changed}
data = [peer.asarray(part) if isinstance(part, np.ndarray) else part for part in initialize({given})]
before = {{at: data[at].copy() for at in changed}}
np = peer


def wait(parts):
    if hasattr(peer, "cuda"):
        peer.cuda.Device().synchronize()


def total(part):
    return float(abs(part).sum()) if hasattr(part, "sum") else float(abs(part))

'''

# What takes the place of the peer's part of the kernel's text for JAX, whose arrays cannot be written into.
JAX = '''
import importlib.util
import time
import jax
jax.config.update("jax_enable_x64", True)
changed = []
data = [jax.numpy.asarray(part) if isinstance(part, np.ndarray) else part for part in initialize({given})]
before = {{}}
spec = importlib.util.spec_from_file_location("peer", {path!r})
peer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peer)
{kernel} = peer.{function}


def wait(parts):
    jax.block_until_ready(parts)


def total(part):
    return float(abs(part).sum()) if hasattr(part, "sum") else float(abs(part))

'''


class Runner:
    """A process that has made its data, and is timed once it is told to."""

    def __init__(self, command, text, folder, name, env):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.process = subprocess.Popen([*command, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, **env})

    def result(self, limit):
        """(seconds, sum), or (None, words)."""
        if self.process.stdout.readline() != "ready\n":
            words = self.process.communicate()[1].strip().splitlines()
            return None, words[-1] if words else "ends at once"
        watch = threading.Timer(3 * limit, self.process.kill)
        watch.start()
        out, err = self.process.communicate("\n")
        watch.cancel()
        found = dict(line.split(None, 1) for line in out.splitlines() if " " in line)
        if "time" not in found:
            words = err.strip().splitlines()
            return None, words[-1] if words and self.process.returncode != -9 else "no end"
        return float(found["time"]), float(found.get("sum", "nan"))


def of_npbench(folder, program):
    """Where NPBench's program for JAX is, and its function; None if there is none."""
    try:
        with open(os.path.join(folder, "bench_info", program + ".json"), encoding="utf-8") as file:
            info = json.load(file)["benchmark"]
    except OSError:
        return None
    path = os.path.join(folder, "npbench", "benchmarks", info["relative_path"], info["module_name"] + "_jax.py")
    return (path, info["func_name"]) if os.path.exists(path) else None


def kernel_of(suite, program, loops):
    """The kernel's text, or that of its loops over elements behind it; None if it has none."""
    text = suite.kernel_text(program)
    if loops:
        if not os.path.exists(suite.numba_loops(program)):
            return None
        with open(suite.numba_loops(program), encoding="utf-8") as file:
            text += file.read().replace("from numba import prange", "").replace("prange(", "range(")
    return text


def texts(suite, one, options):
    """The programs of both, for a case; None for what one of them does not have."""
    text = kernel_of(suite, one.program, options.loops)
    names = suite.parameters(one.program)
    given = {"changed": [names.index(name) for name in one.changed], "module": options.peer,
             "given": ", ".join("%s=%r" % pair for pair in one.given.items())}
    own, other = (MEASURED.format(kernel=one.program, limit=most) for most in (10 * options.limit, options.limit))
    if text is None:
        return None, None
    if options.peer == "jax":
        found = of_npbench(options.npbench, one.program)
        return text + NACRE.format(**given) + own, found and (
            text + JAX.format(path=found[0], function=found[1], kernel=one.program, **given) + other)
    return text + NACRE.format(**given) + own, text + PEER.format(**given) + other


def agree(one, own, other):
    return math.isclose(own, other, rel_tol=max(1e-6, 10 * one.rtol)) or (own != own and other != other)


def rows(options, say):
    suite = case.suite("kernels")
    chosen = [cases[0] for cases in case.cases_of(suite, options.size, options.kernels).values()]
    wrong, ratios, sure = [], [], []
    is_nacre, each = options.peer == "nacre", 1 if options.peer == "none" else 2
    with tempfile.TemporaryDirectory() as folder:
        env = {"NACRE_CACHE": os.path.join(folder, "cache"), "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        jobs, shown = [], []
        for one in chosen:
            own, other = texts(suite, one, options)
            if own is None or (each == 2 and other is None):
                continue
            shown.append(one)
            jobs.append(([options.nacre, "--backend", options.backend], own, one.program + ".ncr"))
            if each == 2:
                jobs.append(([options.nacre] if is_nacre else [options.python], own if is_nacre else other,
                             one.program + ".py"))
        begun = []
        say("| kernel | ms | peer's ms | peer's time over it | |\n|---|---:|---:|---:|---|")
        for i, one in enumerate(shown):
            while len(begun) < min(len(jobs), each * i + each + AHEAD):
                command, text, name = jobs[len(begun)]
                begun.append(Runner(command, text, folder, name, env))
            own, own_sum = begun[each * i].result(10 * options.limit)
            other, other_sum = begun[2 * i + 1].result(options.limit) if each == 2 else (None, "")
            begun[each * i:each * i + each] = [None] * each
            if own is None:
                wrong.append(one.program)
                say("| %s | – | – | – | %s |" % (one.program, own_sum))
                continue
            bound = other_sum == "no end"
            note = "" if other is not None or bound else str(other_sum)
            if other is not None and not agree(one, own_sum, other_sum):
                note = "sums differ: %r, %r" % (own_sum, other_sum)
            seconds = options.limit if bound else other
            if seconds:
                (ratios if bound else sure).append(seconds / own)
            say("| %s | %.3f | %s | %s | %s |" % (
                one.program, own * 1e3, "%s%.3f" % (">" if bound else "", seconds * 1e3) if seconds else "–",
                "%s%.2f" % (">" if bound else "", seconds / own) if seconds else "–", note))
    for words, some in (("that the peer came to an end of", sure), ("with lower bounds for the others", sure + ratios)):
        if some:
            say("\nGeometric mean of %d kernels %s: %.2f" % (len(some), words, math.exp(sum(map(math.log, some)) / len(some))))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nacre", default=os.path.join(ROOT, "build", "release", "bin", "nacre"))
    parser.add_argument("--python", default=os.environ.get("PYTHON", sys.executable))
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--peer", default="cupy", choices=("cupy", "jax", "numpy", "nacre", "none"))
    parser.add_argument("--npbench", default="npbench", help="a checkout of NPBench, for --peer jax")
    parser.add_argument("--loops", action="store_true", help="kernels in loops over elements")
    parser.add_argument("--size", default="paper", choices=("paper", "quick", "default"))
    parser.add_argument("--limit", type=float, default=4, help="seconds that a run may take")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    if options.peer == "jax" and not os.path.isdir(os.path.join(options.npbench, "bench_info")):
        parser.error("--npbench: %s is no checkout of NPBench" % options.npbench)
    return 1 if rows(options, lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
