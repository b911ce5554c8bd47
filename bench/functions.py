#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Every timed call of tests/surface/calls.txt under Nacre and under NumPy, in turns, with 10 and with a million
elements. Writes bench/results/functions.md and functions.json.

    bench/compare --suite functions
    bench/compare --suite functions --only sort,linalg     names that have this in them
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

import measure

sys.path.insert(0, os.path.join(measure.ROOT, "tests", "surface"))
sys.path.insert(0, os.path.join(measure.ROOT, "bench", "suites"))
from process import environment  # noqa: E402
from surface import ROLES, read_calls, roles_text  # noqa: E402

SIZES = (10, 1000000)
TURN = 0.02  # seconds of a turn, of one call at least
MOST_CALLS = 2000
SLOW = 20    # seconds a call may take

ABOUT = """\
A typical call of each function and method (`tests/surface/calls.txt`), with arrays of 10 and of 1,000,000 elements,
both with {threads} threads. Ratio: NumPy's time over Nacre's, so above 1 Nacre is faster; ratio of the medians of
{turns} turns, taken by turns, and the range of the ratios of single turns. A turn is as many calls of a function as take about
{ms} ms, behind as many that do not count, of one function after the other; the clock is read around each call, which waits for work that was put off. Results are looked at by the
argument test, not here."""

# Reading a clock looks at what has been put off.
PROGRAM = """
import sys
import time
import warnings

warnings.simplefilter("ignore")
np.seterr(all="ignore")
calls = {}


def timed(action, count):
    total = 0.0
    for _ in range(count):
        start = time.perf_counter()
        result = action()
        total += time.perf_counter() - start
    return total / max(count, 1)


"""

LOOP = """
while True:
    try:
        words = input().split()
    except EOFError:
        break
    try:
        timed(calls[int(words[0])], int(words[2]))
        print(timed(calls[int(words[0])], int(words[1])), flush=True)
    except Exception as e:
        print("failed", type(e).__name__, str(e).replace("\\n", " ")[:100], flush=True)
"""


def program(calls, n):
    text = roles_text() + PROGRAM + "made = make(%d)\n" % n
    text += "".join("%s = made[%r]\n" % (role, role) for role in ROLES)
    text += "".join("calls[%d] = lambda: %s\n" % (number, call.text) for number, call in enumerate(calls))
    return text + LOOP


class Runner:
    """A process that times calls on demand, and in between is stopped: threads of a library that look for more work
    after a call would take the other's cores."""

    def __init__(self, command, path, threads):
        self.process = subprocess.Popen(command + [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment(threads))
        self.process.send_signal(signal.SIGSTOP)

    def time(self, number, count, before=0):
        """Seconds of a call, once so many others have been; a text says why there is no answer. What other calls have
        put into caches is gone then, and threads have a core each: those that have slept may begin on the same one, for
        some milliseconds."""
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write("%d %d %d\n" % (number, count, before))
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
        except BrokenPipeError:
            answer = ""
        self.process.send_signal(signal.SIGSTOP)
        try:
            return float(answer)
        except ValueError:
            return answer or "the process ended"

    def close(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def ratio_of(ours, theirs):
    single = sorted(b / a for a, b in zip(ours, theirs))
    return measure.median(theirs) / measure.median(ours), single[0], single[-1]


def counts_of(calls, both):
    """{number of a call: how often a turn does it, for both}, {text of another: why it has no times}, and a call that
    ended a process, or None."""
    counts, failed = {}, {}
    for number, call in enumerate(calls):
        first = [runner.time(number, 1) for runner in both]
        again = [runner.time(number, 3) if isinstance(t, float) and t < 1 else t for runner, t in zip(both, first)]
        if any(isinstance(t, str) for t in again) or max(again) > SLOW:
            failed[call.text] = "; ".join(t if isinstance(t, str) else "%.1f s" % t for t in again)
            if any(t == "the process ended" for t in again):
                return counts, failed, call
            continue
        counts[number] = [max(1, min(MOST_CALLS, int(TURN / max(t, 1e-7)))) for t in again]
    return counts, failed, None


def measured(options, calls, n, folder):
    """{text: [ours, theirs] or a text}. Each turn goes through all calls, so that whoever else wants the machine for a
    while is in one turn of many calls, and not in all turns of a few."""
    path = os.path.join(folder, "calls_%d.py" % n)
    with open(path, "w", encoding="utf-8") as file:
        file.write(program(calls, n))
    both = [Runner([options.nacre, "run"], path, options.threads),
            Runner([options.python, "-W", "ignore"], path, options.threads)]
    counts, found, ended = counts_of(calls, both)
    turns = {number: [] for number in counts}
    for turn in range(0 if ended else options.pairs):
        for number in counts:
            turns[number].append([runner.time(number, count, count) for runner, count in zip(both, counts[number])])
            sys.stderr.write("\r%d turn %d, %d of %d   " % (n, turn + 1, number + 1, len(calls)))
    for runner in both:
        runner.close()
    sys.stderr.write("\n")
    if ended:
        return {**found, **measured(options, [call for call in calls if call.text not in found], n, folder)}
    found.update((calls[number].text, [list(column) for column in zip(*taken)]) for number, taken in turns.items())
    return found


def summary(n, ratios):
    values = [ratio[0] for ratio in ratios]
    if not values:
        return []
    return ["- With %s elements: geometric mean %.2f of %d calls; %d below 1, %d below 0.8." % (
        "{:,}".format(n), measure.geometric_mean(values), len(values), sum(v < 1 for v in values),
        sum(v < 0.8 for v in values))]


def cells(found):
    if isinstance(found, str):
        return ["", found]
    ratio = ratio_of(*found)
    return ["%.2f" % ratio[0], "%.2f to %.2f" % ratio[1:]]


def main():
    def extend(add):
        add("--suite", default="functions")
        add("--only", dest="listed", default="", metavar="NAME,…")
        add("--turns", dest="pairs", type=int, default=5)
        add("--threads", type=int, default=2)
        add("--elements", default="", metavar="N,…", help="with so many only (implies --dry)")
        add("--below", type=float, default=0, help="print only calls with a ratio below this")
    options = measure.arguments(__doc__, 5, extend, venv="venv")
    parts = [part for part in options.listed.split(",") if part] + options.only
    calls = [call for call in read_calls() if call.timed and (not parts or any(p in call.name for p in parts))]
    sizes = tuple(int(n) for n in options.elements.split(",") if n) or SIZES
    options.dry = options.dry or bool(parts) or sizes != SIZES
    with tempfile.TemporaryDirectory() as folder:
        found = {n: measured(options, calls, n, folder) for n in sizes}
    ratios = {n: {text: ratio_of(*turns) for text, turns in found[n].items() if not isinstance(turns, str)} for n in sizes}
    lines = []
    for n in sizes:
        lines += summary(n, list(ratios[n].values()))
    head = ["call"] + [word for n in sizes for word in ("{:,} elements".format(n), "range")]
    rows = [["`%s`" % call.text.replace("|", "\\|")] + [cell for n in sizes for cell in cells(found[n][call.text])]
            for call in calls if not options.below or any(
                ratios[n].get(call.text, (0,))[0] < options.below for n in sizes)]
    lines += [""] + measure.table(head, rows)
    about = ABOUT.format(threads=options.threads, turns=options.pairs, ms=int(TURN * 1000)).replace("\n", " ")
    measure.write(options, "functions.md", "Functions", about, lines, ("numpy",))
    measure.keep(options, "functions.json", json.dumps({str(n): found[n] for n in sizes}, indent=0) + "\n")


if __name__ == "__main__":
    main()
