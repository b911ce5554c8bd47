#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The kernels of tests/kernels beside NumPy; writes bench/results/kernels.md (kernels_paper.md
for another preset, kernels_1.md for so many threads).

Each process runs one kernel: data are made once, a first call warms up, then calls on fresh copies
of the data are timed until their time is spent. Ratios are NumPy's time over nacre's, medians over
interleaved processes.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import measure  # noqa: E402
from sizes import PRESETS  # noqa: E402

KERNELS = os.path.join(measure.ROOT, "tests", "kernels")
REPORT = '\nif __name__ == "__main__":\n'  # what follows prints results

# Both programs run this behind the kernel's own text. Reading an element of every result is within
# the time: nothing may be left to be done later.
TIMING = '''
import time


def results_of(value):
    return value if isinstance(value, tuple) else (value,)


def timed(given):
    given = [np.copy(a) if isinstance(a, np.ndarray) else a for a in given]
    start = time.perf_counter()
    for result in results_of({name}(*given)):
        if isinstance(result, np.ndarray):
            result[(0,) * result.ndim]
    return time.perf_counter() - start


given = initialize({sizes})
timed(given)
spent = []
while len(spent) < 3 or sum(spent) < {seconds} and len(spent) < 1000:
    spent.append(timed(given))
print(sorted(spent)[len(spent) // 2])
'''


def options_of(add):
    add("--preset", choices=sorted(PRESETS), default="S", help="sizes of the data")
    add("--seconds", type=float, default=0.3, help="how long a process times calls")
    add("--threads", type=int, default=0, help="for both programs (0: what they want)")
    add("--timeout", type=float, default=300, help="seconds for a process")


def names_of(options):
    found = sorted(n[:-4] for n in os.listdir(KERNELS) if n.endswith(".ncr"))
    unknown = set(options.only) - set(found)
    if unknown:
        sys.exit("no such kernel: " + " ".join(sorted(unknown)))
    return [n for n in found if n in options.only or not options.only]


def composed(name, options):
    """The program that times a kernel."""
    with open(os.path.join(KERNELS, name + ".ncr"), encoding="utf-8") as file:
        kernel, found, _ = file.read().partition(REPORT)
    if not found:
        sys.exit(name + ": no line `if __name__ == ...`")
    sizes = ", ".join("%s=%r" % pair for pair in PRESETS[options.preset].get(name, {}).items())
    return kernel + TIMING.format(name=name, sizes=sizes, seconds=options.seconds)


def environment(options):
    env = dict(os.environ)
    if options.threads:
        for name in ("NACRE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            env[name] = str(options.threads)
    return env


class NoAnswer(Exception):
    """A process failed or took too long."""


def once(command, options):
    """Seconds of a call."""
    said = os.path.basename(command[0]) + ": "
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout,
                              env=environment(options))
    except subprocess.TimeoutExpired:
        raise NoAnswer(said + "not finished after %g s" % options.timeout) from None
    if done.returncode:
        last = done.stderr.strip().split("\n")[-1]
        raise NoAnswer(said + "exit status %d; %s" % (done.returncode, last))
    return float(done.stdout)


def times(name, options, folder):
    """Seconds of nacre and of CPython, a list each; None, with a line on standard error, when one
    of them has no answer."""
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(composed(name, options))
    try:
        return measure.interleaved([[options.nacre, path], [options.python, path]], options.pairs,
                                   lambda command: once(command, options))
    except NoAnswer as why:
        print("%s, %s" % (name, why), file=sys.stderr)
        return None


def row(name, found):
    """The table row of a kernel, and its ratio; without an answer, dashes and None."""
    if not found:
        return [name] + 4 * ["—"], None
    ours, theirs = found
    ratio = measure.ratios(theirs, ours)
    return [name] + ["%.3f" % (measure.median(spent) * 1e3) for spent in found] + (
        measure.ratio_cells(ratio)), ratio[0]


def summary(ratios):
    values = [ratio for ratio in ratios.values() if ratio]
    failed = [name for name, ratio in ratios.items() if not ratio]
    text = []
    if values:
        text.append(measure.summary("%d kernels" % len(values), values))
        text.append("Below 0.8: %d." % sum(v < 0.8 for v in values))
    if failed:
        text.append("No answer: " + ", ".join(failed) + ".")
    return text


def main():
    options = measure.arguments(__doc__, 5, options_of)
    rows, ratios = [], {}
    with tempfile.TemporaryDirectory(prefix="nacre-bench-") as folder:
        for name in names_of(options):
            cells, ratios[name] = row(name, times(name, options, folder))
            rows.append(cells)
    about = ("The programs of `tests/kernels` at preset %s (`bench/kernels/sizes.py`). Ratio: NumPy's time "
             "over nacre's, so above 1 nacre is faster; median of %d interleaved processes and its "
             "interval. Threads: %s." % (options.preset, options.pairs,
                                         options.threads or "what each of them wants"))
    lines = measure.table(["kernel", "nacre, ms", "NumPy, ms", "ratio", "interval"], rows)
    suffix = "" if options.preset == "S" else "_" + options.preset
    suffix += "_%d" % options.threads if options.threads else ""
    measure.write(options, "kernels%s.md" % suffix, "Kernels, beside NumPy", about,
                  lines + [""] + summary(ratios), ["numpy"])


main()
