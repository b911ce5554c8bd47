#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Programs on two ranks beside one, each rank with one thread: the kernels of tests/kernels as they stand. Writes
bench/results/ranks.md.

    bench/compare --suite ranks                 all kernels at size S, and weak scaling
    bench/compare --suite ranks atax mvt        names that have these in them; writes nothing

Weak scaling is that of P. Ziogas et al., "Productivity, portability, performance: data-centric Python" (SC 2021),
table 2: arrays grow so that each rank has as much. Its bounds are what the machine allows: two processes that run the
same program, or add vectors, at the same time and know nothing of each other, beside one.
"""

import json
import os
import subprocess
import sys
import tempfile

import measure

KERNELS = os.path.join(measure.ROOT, "tests", "kernels")
REPORT = '\nif __name__ == "__main__":\n'
sys.path.insert(0, os.path.join(measure.ROOT, "bench", "suites"))
sys.path.insert(0, os.path.join(measure.ROOT, "bench", "suites", "kernels"))
from cases import CASES  # noqa: E402

TIMED = """

import json
import time
CHANGED = %r
given = initialize(**%r)
before = {at: np.copy(given[at]) for at in CHANGED}


def look(value):
    for each in value if isinstance(value, tuple) else (value,):
        if isinstance(each, np.ndarray) and each.size:
            each[(0,) * each.ndim]


def once():
    for at in before:
        given[at][...] = before[at]
    look(tuple(given[at] for at in before))
    start = time.perf_counter()
    result = %s(*given)
    look(result)
    look(tuple(given[at] for at in before))
    return time.perf_counter() - start


once()
times = []
while len(times) < 3 or (sum(times) < 0.5 and len(times) < 30):
    times.append(once())
print("took", sorted(times)[len(times) // 2])
"""

STREAM = """
import numpy as np, sys, time
a, b, c = (np.ones(4000000) * k for k in range(3))
def triad():
    a[:] = b + 3.0 * c
    return a[0]
triad()
start, rounds = time.perf_counter(), 0
while time.perf_counter() - start < 0.4:
    triad()
    rounds += 1
print("took", (time.perf_counter() - start) / rounds)
"""

# (kernel, sizes of one rank, what grows with the number of ranks and by which root of it)
WEAK = [
    ("atax", dict(M=6000, N=7500), "M N", 2), ("bicg", dict(M=7500, N=6000), "M N", 2),
    ("doitgen", dict(NR=16, NQ=256, NP=256), "NR", 1), ("gemm", dict(NI=1000, NJ=1150, NK=650), "NI NJ NK", 3),
    ("gemver", dict(N=3000), "N", 2), ("gesummv", dict(N=4000), "N", 2), ("jacobi_1d", dict(TSTEPS=100, N=2400000), "N", 1),
    ("jacobi_2d", dict(TSTEPS=50, N=1300), "N", 2), ("k2mm", dict(NI=800, NJ=900, NK=550, NL=600), "NI NJ NK NL", 3),
    ("k3mm", dict(NI=800, NJ=900, NK=500, NL=550, NM=600), "NI NJ NK NL NM", 3), ("mvt", dict(N=6000), "N", 2)]

# Sparse programs, whose rows grow with the number of ranks: what is made of ROWS, and what is timed.
SPARSE = {
    "A @ x, 11 diagonals": (1000000, """
A = sp.diags_array(np.ones(11), offsets=np.arange(-5, 6), shape=(ROWS, ROWS)).tocsr()
x = np.sin(np.arange(ROWS))
def once(): return (A @ x)[0]
"""),
    "A.T @ x, 11 diagonals": (1000000, """
A = sp.diags_array(np.ones(11), offsets=np.arange(-5, 6), shape=(ROWS, ROWS)).tocsr()
x = np.sin(np.arange(ROWS))
def once(): return (A.T @ x)[0]
"""),
    "20 steps of cg, five points": (1000000, """
def line(n): return sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
A = (sp.kron(line(ROWS // 1000), sp.eye_array(1000)) + sp.kron(sp.eye_array(ROWS // 1000), line(1000))).tocsr()
b = np.sin(np.arange(ROWS))
def once(): return sla.cg(A, b, rtol=0, maxiter=20)[0][0]
"""),
}
SPARSE_TIMED = """
import time
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla
ROWS = %d
%s
for _ in range(3):
    once()
times = []
while len(times) < 3 or (sum(times) < 0.5 and len(times) < 30):
    start = time.perf_counter()
    once()
    times.append(time.perf_counter() - start)
print("took", sorted(times)[len(times) // 2])
"""

ABOUT = """\
Unmodified kernels on two ranks and on one, a thread each, with {transport}; seconds of one call are the median of several in a process,
and ratios those of {turns} turns, taken by turns, with their range. `shared` of all kernels that were launched the ranks shared;
`MB` is what a rank received of arrays in a call's process."""


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def program(self, name, sizes, changed):
        text = open(os.path.join(KERNELS, name + ".ncr"), encoding="utf-8").read().partition(REPORT)[0]
        path = os.path.join(self.folder, name + "-%s.ncr" % "-".join(map(str, sizes.values())))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + TIMED % (changed, sizes, name))
        return path

    def command(self, path, ranks, stats=None):
        more = ["-n", str(ranks), "--transport", self.options.transport, "--split-least", "64K"] if ranks > 1 else []
        return [self.options.nacre, "--threads", "1"] + (["--stats", stats] if stats else []) + more + [path]

    def once(self, command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode:
            sys.exit("failed: %s\n%s" % (" ".join(command), done.stderr[-2000:]))
        return float(done.stdout.split()[-1])

    def compare(self, alone, together):
        found = measure.interleaved([alone, together], self.options.pairs, self.once)
        return measure.median(found[0]), measure.median(found[1]), measure.ratios(*found)

    def figures(self, path):
        stats = os.path.join(self.folder, "stats.json")
        self.once(self.command(path, 2, stats))
        with open(stats, encoding="utf-8") as file:
            found = json.load(file)
        launched = found["kernels"] + found["library_calls"]
        ranks = found["ranks"]
        lines = sorted({(each["line"], each["text"]) for each in found["detours"]})
        return (ranks[0]["kernels_shared"] / max(launched, 1), max(each["array_bytes_received"] for each in ranks) / 1e6, lines)

    def beside_itself(self, command):
        """How much of its speed a process keeps beside another one that runs the same command: what the machine allows,
        which shares its memory, caches and power among cores."""
        alone = self.once(command)
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        return alone / max(float(each.communicate()[0].split()[-1]) for each in both)

    def scaled(self, name, alone, together):
        """A row: a program on one rank beside one of twice the size on two, in turns with both bounds."""
        stream = os.path.join(self.folder, "stream.ncr")
        with open(stream, "w", encoding="utf-8") as file:
            file.write(STREAM)
        whats = [lambda: self.once(alone), lambda: self.once(together), lambda: self.beside_itself(alone),
                 lambda: self.beside_itself(self.command(stream, 1))]
        one, two, twice, streams = measure.interleaved(whats, self.options.pairs, lambda what: what())
        cells = [measure.ratios(one, two)] + [(measure.median(each), min(each), max(each)) for each in (twice, streams)]
        return "| %s | %.2f | %.2f | %s |" % (name, measure.median(one) * 1e3, measure.median(two) * 1e3,
                                              " | ".join("%.2f (%.2f–%.2f)" % cell for cell in cells))


def changed_of(name):
    """Numbers of the parameters that a kernel writes into."""
    case = next(case for case in CASES if case.name == name)
    import ast
    tree = ast.parse(open(os.path.join(KERNELS, name + ".ncr"), encoding="utf-8").read())
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    names = [argument.arg for argument in function.args.args]
    return [names.index(each) for each in case.changed]


def strong(bench, names):
    rows, whys = ["| kernel | 1 rank, ms | 2 ranks, ms | times as fast | shared | MB |", "|---|---|---|---|---|---|"], []
    for name in names:
        path = bench.program(name, {}, changed_of(name))
        one, two, ratio = bench.compare(bench.command(path, 1), bench.command(path, 2))
        share, received, lines = bench.figures(path)
        rows.append("| %s | %.2f | %.2f | %.2f (%.2f–%.2f) | %.0f %% | %.2f |" % (
            (name, one * 1e3, two * 1e3) + ratio + (100 * share, received)))
        whys += ["| %s | %d | %s |" % (name, line, text) for line, text in lines]
        print(rows[-1], file=sys.stderr, flush=True)
    return rows, whys


def larger(sizes, growing, root):
    """The sizes of two ranks where `sizes` are those of one."""
    found = dict(sizes)
    for each in growing.split():
        found[each] = int(round(sizes[each] * 2 ** (1 / root) / 2) * 2)
    return found


def weak(bench, names):
    rows = ["| kernel | 1 rank, ms | 2 ranks, ms | efficiency | two processes of it | two of STREAM |", "|---|---|---|---|---|---|"]
    for name, sizes, growing, root in WEAK:
        if name not in names:
            continue
        alone = bench.command(bench.program(name, sizes, changed_of(name)), 1)
        together = bench.command(bench.program(name, larger(sizes, growing, root), changed_of(name)), 2)
        rows.append(bench.scaled(name, alone, together))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def weak_sparse(bench, wanted):
    rows = []
    for name, (size, text) in SPARSE.items():
        if wanted and not any(each in name for each in wanted):
            continue
        paths = []
        for ranks in 1, 2:
            paths.append(os.path.join(bench.folder, "sparse-%d.ncr" % ranks))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(SPARSE_TIMED % (size * ranks, text))
        rows.append(bench.scaled(name, bench.command(paths[0], 1), bench.command(paths[1], 2)))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main():
    def more(add):
        add("--suite")
        add("--transport", default="mpi")
        add("--weak-only", action="store_true")

    options = measure.arguments(__doc__.split("\n")[0], 5, more)
    wanted = options.only
    names = [case.name for case in CASES if not wanted or any(each in case.name for each in wanted)]
    with tempfile.TemporaryDirectory(prefix="nacre-ranks-") as folder:
        bench = Bench(options, folder)
        scaling = weak(bench, names) + weak_sparse(bench, wanted)
        rows, whys = ([], []) if options.weak_only else strong(bench, names)
    options.dry = options.dry or options.weak_only
    about = ABOUT.format(transport=options.transport, turns=options.pairs)
    measure.write(options, "ranks.md", "Two ranks beside one", about, [
        "## Weak scaling", ""] + scaling + ["", "## Size S", ""] + rows + [
        "", "## What is not shared, and why", "", "| kernel | line | |", "|---|---|---|"] + whys)


if __name__ == "__main__":
    main()
