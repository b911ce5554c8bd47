#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Nacre on two ranks beside HeAT, Dask and cuPyNumeric with two processes or cores. Writes
bench/results/ranks_peers.md.

    bench/compare --suite ranks-peers             all programs; half an hour
    bench/compare --suite ranks-peers jacobi mvt  names that have these in them; writes nothing
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import measure  # noqa: E402
from ranks import KERNELS, REPORT, TIMED, WEAK, changed_of, larger  # noqa: E402

NAMES = {"heat": "HeAT", "dask": "Dask", "cupynumeric": "cuPyNumeric"}
TIMEOUT = 240

SUMS = """
result = result if isinstance(result, tuple) else (result,)
print("sums", json.dumps([float(total) for value in result for total in (np.sum(value), np.sum(value * value))]))
"""

# (name, file, sizes for two ranks, what is written into)
PROGRAMS = [(name, os.path.join(KERNELS, name + ".ncr"), larger(sizes, growing, root), changed_of(name))
            for name, sizes, growing, root in WEAK]
PROGRAMS += [("shallow_water", os.path.join(HERE, "shallow_water.ncr"), dict(N=2000, steps=20), [1, 2, 3]),
             ("nbody", os.path.join(KERNELS, "nbody.ncr"), dict(N=2000, tEnd=0.25), [1, 2])]

ABOUT = """\
The same programs on two ranks of Nacre, with a thread each, and on two processes (HeAT, Dask) or two cores (cuPyNumeric)
of others: arrays as large as those of two ranks in ranks.md. Nacre, HeAT and cuPyNumeric run the same text, where arrays
were split along the first axis for HeAT; Dask's programs are rewritten as its documentation advises
(`bench/ranks_peers/dask_programs.py`). Seconds of one call are the median of several in a process; ratios are those of
{turns} turns, taken by turns, with their range: above 1 Nacre is faster. Sums of results and of their squares
agree to 1e-6, or are listed; beyond 1e-4 there is no figure."""

# cuPyNumeric's wheels load the CUDA driver even to run on cores. This stands in for it where there is none, and reports
# that there is no device.
DRIVER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

static int no_device(void) { return 100; }
int cuInit(unsigned flags) { (void)flags; return 100; }
int cuMemFreeHost(void *p) { (void)p; return 100; }
int cuMemFree_v2(unsigned long p) { (void)p; return 100; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuGetErrorName(int error, const char **name) { (void)error; *name = "CUDA_ERROR_NO_DEVICE"; return 0; }
int cuGetErrorString(int error, const char **text) { (void)error; *text = "no device"; return 0; }

int cuGetProcAddress_v2(const char *name, void **function, int version, unsigned long flags, int *status)
{
    (void)version;
    (void)flags;
    *function = dlsym(RTLD_DEFAULT, name);
    if (!strcmp(name, "cuGetErrorName"))
        *function = (void *)cuGetErrorName;
    else if (!strcmp(name, "cuGetErrorString"))
        *function = (void *)cuGetErrorString;
    else if (!strcmp(name, "cuDriverGetVersion"))
        *function = (void *)cuDriverGetVersion;
    if (!*function)
        *function = (void *)no_device;
    if (status)
        *status = 0;
    return 0;
}

int cuGetProcAddress(const char *name, void **function, int version, unsigned long flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, 0);
}
"""


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.bin = os.path.dirname(options.peers)
        self.env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1",
                        PATH=self.bin + ":" + os.environ["PATH"], PYTHONPATH=HERE, OMPI_ALLOW_RUN_AS_ROOT="1",
                        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def driver(self):
        """A folder with the library that stands in for the CUDA driver."""
        source, library = (os.path.join(self.folder, name) for name in ("driver.c", "libcuda.so.1"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(DRIVER)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)

    def nacre(self, name, path, sizes, changed):
        with open(path, encoding="utf-8") as file:
            text = file.read().partition(REPORT)[0]
        timed = TIMED % (changed, sizes, name)
        timed = timed.replace("    look(result)\n", "    look(result)\n    kept.append(result)\n    del kept[:-1]\n")
        program = os.path.join(self.folder, name + ".ncr")
        with open(program, "w", encoding="utf-8") as file:
            file.write(text + "\nkept = []\n" + timed + "result = kept[0]\n" + SUMS)
        return [self.options.nacre, "--threads", "1", "-n", "2", "--split-least", "64K", program]

    def peer(self, which, name, path, sizes, changed):
        drive = [os.path.join(HERE, "drive.py"), which, path, name, json.dumps(sizes), json.dumps(changed)]
        if which == "heat":
            return ["mpirun", "-n", "2", "--oversubscribe", self.options.peers] + drive
        if which == "cupynumeric":
            return [os.path.join(self.bin, "legate"), "--cpus", "2", "--gpus", "0", "--sysmem", "8000"] + drive
        return [self.options.peers] + drive

    def once(self, command):
        """{"seconds", "sums"}, or {"failed": why}."""
        ours = command[0] == self.options.nacre
        env = os.environ if ours else dict(self.env, LD_LIBRARY_PATH=self.folder) if "legate" in command[0] else self.env
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=env)
        except subprocess.TimeoutExpired:
            return {"failed": "not done in %d s" % TIMEOUT}
        lines = done.stdout.splitlines()
        if ours and not done.returncode:
            said = dict(line.split(" ", 1) for line in lines if line.startswith(("took ", "sums ")))
            return {"seconds": float(said["took"]), "sums": json.loads(said["sums"])}
        found = [line for line in lines if line.startswith('{"seconds"')]
        if found:
            return json.loads(found[-1])
        if ours:
            sys.exit("failed: %s\n%s" % (" ".join(command), done.stderr[-2000:]))
        errors = [line.strip() for line in done.stderr.splitlines() if "Error" in line or "error" in line]
        return {"failed": (errors or ["ended with status %d" % done.returncode])[0][:120]}


def difference(one, other):
    """The largest difference of two lists of sums and sums of squares, in turn. That of a sum, which may cancel, is
    relative to the root of the sum of squares as well."""
    if len(one) != len(other):
        return float("inf")
    pairs = list(zip(one, other))
    sums = [abs(a - b) / max(abs(a), abs(b), squares[0] ** 0.5, 1e-300) for (a, b), squares in zip(pairs[::2], pairs[1::2])]
    return max(sums + [abs(a - b) / max(abs(a), abs(b), 1e-300) for a, b in pairs[1::2]])


def compare(bench, program, turns):
    """A row's cells, and what is to be said of peers: why they failed, or how far their results are away."""
    commands = {"nacre": bench.nacre(*program)}
    commands.update({which: bench.peer(which, *program) for which in NAMES})
    runs, failed = {who: [] for who in commands}, {}
    for _ in range(turns):
        for who, command in commands.items():
            if who in failed:
                continue
            found = bench.once(command)
            if "failed" in found:
                failed[who] = found["failed"]
            runs[who].append(found)
    said = dict(failed)
    for who in NAMES:
        apart = max([difference(each["sums"], runs["nacre"][0]["sums"]) for each in runs[who] if "sums" in each] or [0.0])
        if apart > 1e-6:
            said[who] = "sums differ by %.1g" % apart
        if apart > 1e-4:
            failed[who] = said[who]
    ours = [found["seconds"] for found in runs["nacre"]]
    cells = [program[0], "%.2f" % (measure.median(ours) * 1e3)]
    for who in NAMES:
        if who in failed:
            cells.append("—")
        else:
            cells.append("%.1f (%.1f–%.1f)" % measure.ratios([found["seconds"] for found in runs[who]], ours))
    return cells, said


def main():
    def more(add):
        add("--suite")
        add("--peers", default=os.path.join(measure.ROOT, "build", "ranks-peers", "bin", "python"))

    options = measure.arguments(__doc__.split("\n")[0], 3, more)
    rows, failures = [], []
    with tempfile.TemporaryDirectory(prefix="nacre-ranks-peers-") as folder:
        bench = Bench(options, folder)
        bench.driver()
        for program in PROGRAMS:
            if options.only and not any(each in program[0] for each in options.only):
                continue
            cells, failed = compare(bench, program, options.pairs)
            rows.append(cells)
            failures += [[program[0], NAMES[who], why] for who, why in failed.items()]
            print(*cells, failed or "", file=sys.stderr, flush=True)
    with open(os.path.join(HERE, "peers.txt"), encoding="utf-8") as file:
        versions = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    lines = measure.table(["program", "Nacre, ms"] + list(NAMES.values()), rows)
    if failures:
        lines += ["", "What failed, or came to other results:", ""] + measure.table(["program", "peer", "what"], failures)
    measure.write(options, "ranks_peers.md", "Two ranks beside other systems",
                  ABOUT.format(turns=options.pairs), lines + ["", "Peers: " + ", ".join(versions) + "."])


if __name__ == "__main__":
    main()
