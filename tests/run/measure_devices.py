#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Measures what scripts cost on backends for devices, for run_devices.py: seconds of one core, with nothing compiled
before. Writes devices_seconds.txt with what it measured, other rows as they were.

    measure_devices.py [--nacre PATH] [--backend NAME] [--most SECONDS] FOLDER-OR-SCRIPT…

On CUDA's stand-in, which lies beside the program; on OpenCL on the first device. Rows say at most --most (default 120).
"""

import argparse
import os
import resource
import tempfile

import process
import run_devices
import run_ncr

HEAD = """# Seconds of one core that a script takes with nothing compiled before: on opencl, on cuda's stand-in.
# measure_devices.py writes this, with at most what it was told to wait for. Rows that it has not written are estimates by the number
# of programs.
"""


def caches(backend, folder, nacre):
    """The environment of a run whose caches are empty."""
    env = {"NACRE_CACHE": os.path.join(folder, "nacre"), "POCL_CACHE_DIR": os.path.join(folder, "pocl")}
    if backend == "cuda":
        standin = os.path.join(os.path.dirname(nacre), os.pardir, "tests", "standin")
        env.update(LD_LIBRARY_PATH=os.path.abspath(standin), STANDIN_COMPILED=folder)
    return env


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cost(nacre, backend, path, most):
    before = spent()
    with tempfile.TemporaryDirectory() as folder:
        command = [nacre, "--backend", backend, "--device-least", "1", path]
        done = process.run(command, 10 * most, caches(backend, folder, nacre))  # on a busy machine
    return most if done.timed_out else min(most, spent() - before)


def write(known):
    names = sorted({name for name, _ in known})
    with open(os.path.join(run_devices.HERE, "devices_seconds.txt"), "w", encoding="utf-8") as file:
        file.write(HEAD)
        for name in names:
            cells = [known.get((name, backend), run_devices.UNKNOWN) for backend in run_devices.BACKENDS]
            file.write("%s %s\n" % (name, " ".join("%.3g" % max(cell, 0.1) for cell in cells)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--nacre", default=os.path.join(process.ROOT, "build/release/bin/nacre"))
    parser.add_argument("--backend", choices=run_devices.BACKENDS)
    parser.add_argument("--most", type=float, default=120)
    args = parser.parse_args()
    absent, known = run_devices.left_out(), run_devices.costs()
    for backend in [args.backend] if args.backend else run_devices.BACKENDS:
        for name in run_devices.scripts_in(args.paths, backend, absent):
            known[name, backend] = cost(os.path.abspath(args.nacre), backend, os.path.join(run_devices.TESTS, name), args.most)
            print(backend, name, "%.1f s" % known[name, backend], flush=True)
            write(known)


if __name__ == "__main__":
    main()
