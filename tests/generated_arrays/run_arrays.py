#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Compares Nacre with NumPy on random array programs.

    run_generated.py --arrays [--nacre PATH] [--count N] [--seed S] [--jobs J] [--backend B]
    run_generated.py --arrays --show NUMBER       prints a program of the run
    run_generated.py --arrays --only NUMBER       runs just that one

Many programs share a process of Nacre; NumPy runs in this program's own processes. Values, types,
shapes, texts, exceptions and warnings have to be the same; what is only nearly the same says in the
program how near. Differences are grouped by step and kind; the first of each group is made small.

Fails when programs differ, when fewer than 30 % raise, when more than 5 % were set aside, or, from
2000 programs on, when fewer than 90 % of the rows of vm/graph/ops.def were executed.
"""

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "generated"))

from array_program import make_program  # noqa: E402
from comparing import Found, first_difference  # noqa: E402
from differences import known_difference  # noqa: E402
from numpy_side import run_with_numpy  # noqa: E402
from running import process, sanitizer_line, write  # noqa: E402
from shrink import Shrinker  # noqa: E402

RAISED_SHARE = 0.30
ASIDE_SHARE = 0.05
ROWS_SHARE = 0.90
ROWS_FROM = 2000
NEVER = {"wrap_index", "draw"}  # of the engine's own making, for indexes and random numbers on a device
DRIVER = """%s
def report(e):
    print("-1 !", type(e).__name__ + ":", e)

%s"""
ONE = """print("=== program %d", flush=True)
try:
    import p_%d
except Exception as e:
    report(e)
print("=== end", flush=True)
"""
WARNING = re.compile(r"^(?:\S*/)?p_(\d+)\.py:(\d+): (\w+: .*)$", re.M)


class Nacre:
    """Runs rows of programs."""

    def __init__(self, options):
        self.options = options
        self.counts = {}

    def run_row(self, programs, timeout):
        """({number: (output, warnings)} as far as one process came, how it ended)."""
        with tempfile.TemporaryDirectory(prefix="nacre-arrays-") as folder:
            for number, text in programs.items():
                write(os.path.join(folder, "p_%d.py" % number), text)
            shutil.copy(os.path.join(HERE, "observing.py"), folder)
            path, stats = os.path.join(folder, "driver.py"), os.path.join(folder, "stats")
            write(path, DRIVER % ("import sys", "".join(ONE % (n, n) for n in programs)))
            command = [self.options.nacre, "--backend", self.options.backend, "--stats", stats, path]
            if self.options.memory_gib == 0:  # sanitizers map terabytes: the interpreter has to count
                command[1:1] = ["--memory-limit", "2G"]
            done = process.run(command, timeout, memory_gib=self.options.memory_gib)
            self.add_counts(stats)
        found = {}
        for part in ("\n" + done.out).split("\n=== program ")[1:]:
            number, _, text = part.partition("\n")
            text = "\n" + text.rstrip("\n")
            if number.isdigit() and text.endswith("\n=== end"):
                found[int(number)] = (text[1 : -len("=== end")].rstrip("\n"), {})
        for number, line, warning in WARNING.findall(done.err):
            if int(number) in found:
                found[int(number)][1].setdefault(int(line), set()).add(warning)
        return found, done

    def add_counts(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                operations = json.load(file)["operations"]
        except (OSError, ValueError):
            return  # the process was ended
        for name, count in operations.items():
            self.counts[name] = self.counts.get(name, 0) + count

    def run_batch(self, programs):
        """{number: (output, warnings), or a Found for one that ended its process}."""
        found, left = {}, dict(programs)
        while left:
            ended, done = self.run_row(left, self.options.timeout)
            found.update(ended)
            for number in ended:
                del left[number]
            if left:
                number = next(iter(left))
                del left[number]
                found[number] = self.ending(done)
        return found

    def ending(self, done):
        if done.timed_out:
            return Found(-1, "program", "timeout", "not finished", "finished")
        said = sanitizer_line(done.err) or done.err.strip()[-300:]
        return Found(-1, "program", "crash", "exit status %s %s" % (done.status, said), "ended")


def numpy_answer(text):
    return run_with_numpy(text, "program.py", 5)


def halves(job):
    options, numbers = job
    middle = (len(numbers) + 1) // 2
    return [(options, part) for part in (numbers[:middle], numbers[middle:]) if part]


def raised(output):
    return re.search(r"^-?\d+ ! ", output, re.M) is not None


def chunk(job):
    """What came of a row of programs: ([(number, state, detail)], counts of operations)."""
    options, numbers = job
    nacre = Nacre(options)
    texts = {number: make_program(options.seed, number) for number in numbers}
    wanted = {number: numpy_answer(text) for number, text in texts.items()}
    got = nacre.run_batch({n: t for n, t in texts.items() if wanted[n] is not None})
    results = []
    for number, text in texts.items():
        if wanted[number] is None:
            results.append((number, "aside", None, False))
            continue
        mine = got[number]
        found = mine if isinstance(mine, Found) else first_difference(text, mine, wanted[number])
        known = found and known_difference(found)
        state = "known" if known else "differs" if found else "same"
        results.append((number, state, known or found, raised(wanted[number][0])))
    return results, nacre.counts


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description="Compare Nacre with NumPy on random array programs.")
    add = parser.add_argument
    add("--nacre", default=os.path.join(process.ROOT, "build/release/bin/nacre"))
    add("--backend", default="cpu")
    add("--count", type=int, default=2000)
    add("--first", type=int, default=0, help="number of the first program")
    add("--seed", default="1")
    add("--jobs", type=int, default=2)
    add("--batch", type=int, default=200, help="programs that share a process")
    add("--timeout", type=float, default=60, help="of a process, in seconds")
    add("--memory-gib", type=float, default=4, help="address space of a process (0: unlimited)")
    add("--shrink", type=int, default=8, help="how many kinds of difference are made small")
    add("--shrink-seconds", type=float, default=60, help="for all of them together")
    add("--list", type=int, default=1000, help="how many kinds of difference are shown")
    add("--show", type=int, metavar="NUMBER")
    add("--only", type=int, metavar="NUMBER")
    options = parser.parse_args(argv)
    options.nacre = os.path.abspath(options.nacre) if os.sep in options.nacre else options.nacre
    return options


class Run:
    """A run and what it found."""

    def __init__(self, options):
        self.options = options
        self.programs = self.raised = self.aside = 0
        self.counts, self.known, self.groups = {}, {}, {}

    def take(self, results, counts):
        for number, state, detail, failed in results:
            if state == "aside":
                self.aside += 1
                continue
            self.programs += 1
            self.raised += failed
            if state == "known":
                self.known[detail] = self.known.get(detail, 0) + 1
            elif state == "differs":
                self.groups.setdefault(detail.signature, []).append((number, detail))
        for name, count in counts.items():
            self.counts[name] = self.counts.get(name, 0) + count

    def run(self):
        first, count, size = self.options.first, self.options.count, max(1, self.options.batch)
        jobs = [(self.options, range(at, min(at + size, first + count)))
                for at in range(first, first + count, size)]
        window = 4 * self.options.jobs  # a process that ends takes all that wait with it
        for at in range(0, len(jobs), window):
            for job in self.run_jobs(jobs[at : at + window], self.options.jobs):
                self.run_apart(job)

    def run_jobs(self, jobs, processes):
        """Runs rows of programs; those are left that NumPy's processes did not come to."""
        left = []
        with ProcessPoolExecutor(processes) as pool:
            for job, future in [(job, pool.submit(chunk, job)) for job in jobs]:
                try:
                    self.take(*future.result())
                except BrokenProcessPool:
                    left.append(job)
        return left

    def run_apart(self, job):
        """NumPy has mistakes of its own: the program that ended its process is set aside."""
        if not self.run_jobs([job], 1):
            return
        if len(job[1]) == 1:
            self.aside += 1
            return
        for half in halves(job):
            self.run_apart(half)

    @property
    def failed(self):
        return sum(map(len, self.groups.values()))

    # --- differences ---

    def alone(self, text):
        """The difference that a program shows by itself, or None."""
        want = numpy_answer(text)
        if want is None:
            return None
        got = Nacre(self.options).run_batch({0: text})[0]
        return got if isinstance(got, Found) else first_difference(text, got, want)

    def small(self, text, difference, seconds):
        def still_fails(candidate):
            found = self.alone(candidate)
            return found is not None and found.signature == difference.signature

        if not still_fails(text):
            return None
        text = Shrinker(still_fails, seconds).shrink(text)
        return text, self.alone(text)

    def report(self):
        groups = sorted(self.groups.items(), key=lambda g: -len(g[1]))
        deadline = time.monotonic() + self.options.shrink_seconds
        for rank, (signature, found) in enumerate(groups[: self.options.list]):
            number, difference = found[0]
            print("\n--- %d programs, the first is %d: %s" % (len(found), number, signature))
            waiting = min(len(groups), self.options.shrink) - rank
            small = None
            if waiting > 0:
                small = self.small(make_program(self.options.seed, number), difference,
                                   (deadline - time.monotonic()) / waiting)
            print("    " + str(small[1] if small else difference))
            if small:
                print("".join("  | %s\n" % line for line in small[0].strip().split("\n")), end="")

    def rows(self):
        """(share of the op table's rows executed, names of the others)."""
        counted = {n: c for n, c in self.counts.items() if n not in NEVER}
        missing = sorted(n for n, c in counted.items() if c == 0)
        return 1 - len(missing) / max(1, len(counted)), missing


def summary(run, seconds):
    problems = []
    share = run.raised / max(1, run.programs)
    print("%d programs on %s, %d set aside, %.0f s" % (
        run.programs, run.options.backend, run.aside, seconds))
    print("%d raised an exception (%.0f %%)" % (run.raised, 100 * share))
    hit, missing = run.rows()
    print("rows of the op table: %.1f %% of %d executed%s" % (
        100 * hit, len(run.counts), "; never: " + " ".join(missing) if missing else ""))
    for name, count in sorted(run.known.items()):
        print("known difference: %s: %d programs" % (name, count))
    if run.programs >= 100 and share < RAISED_SHARE:
        problems.append("fewer than %.0f %% raised" % (100 * RAISED_SHARE))
    if run.aside > max(1, ASIDE_SHARE * (run.programs + run.aside)):
        problems.append("more than %.0f %% were set aside" % (100 * ASIDE_SHARE))
    if run.programs >= ROWS_FROM and hit < ROWS_SHARE:
        problems.append("fewer than %.0f %% of the rows were executed" % (100 * ROWS_SHARE))
    if run.failed:
        problems.append("%d programs differ" % run.failed)
    for problem in problems:
        print("FAILED: " + problem)
    print("%d passed, %d failed" % (run.programs - run.failed, run.failed))
    return 1 if problems or not run.programs else 0


def main(argv=None):
    options = parse_arguments(argv)
    if options.show is not None:
        print(make_program(options.seed, options.show), end="")
        return 0
    if options.only is not None:
        options.first, options.count, options.batch = options.only, 1, 1
    run, start = Run(options), time.monotonic()
    run.run()
    seconds = time.monotonic() - start
    run.report()
    return summary(run, seconds)


if __name__ == "__main__":
    sys.exit(main())
