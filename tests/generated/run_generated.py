#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Compares Nacre with CPython on random programs.

    run_generated.py [--nacre PATH] [--count N] [--seed S] [--jobs J] [--batch K]
    run_generated.py --show NUMBER           prints a program of the run
    run_generated.py --only NUMBER           runs just that one
    run_generated.py --arrays …              compares array programs with NumPy (run_arrays.py)

One program in five runs in a process of its own, and its traceback is compared too: type, message
and the line of every entry, and the exit status. The others are modules that one process imports in
turn. Differences are grouped by what seems to be one cause; the first of each group is made small.

Programs that the two cannot be compared on (addresses in the output, memory that ran out) are set
aside. Fails when programs differ, when fewer than 30 % raised, when more than 5 % were set aside, or
when fewer than 95 % of the opcodes that Nacre counts (NACRE_OPCODE_COUNTS) were executed, the last
from 500 programs on.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from program import make_program
from running import Difference, Interpreter, differing, process
from shrink import Shrinker

WHOLE = 5  # one program in so many has a process of its own
RAISED_SHARE = 0.30
ASIDE_SHARE = 0.05
OPCODE_SHARE = 0.95
OPCODES_FROM = 500  # programs it takes to ask for that share
NEVER = {
    "EXT",
    "DISPLAY",
    "NOP",
}  # carry data, belong to the prompt, or are only written by patches


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description="Compare Nacre with CPython on random programs.")
    add = parser.add_argument
    add("--nacre", default=os.path.join(process.ROOT, "build/release/bin/nacre"))
    add("--python", default=sys.executable, help="the CPython to compare with")
    add("--count", type=int, default=600)
    add("--first", type=int, default=0, help="number of the first program")
    add("--seed", default="1")
    add("--jobs", type=int, default=2)
    add("--batch", type=int, default=40, help="programs that share a process")
    add("--timeout", type=float, default=10)
    add("--memory-gib", type=float, default=4, help="address space of a process (0: unlimited)")
    add("--shrink", type=int, default=8, help="how many kinds of difference are made small")
    add("--shrink-seconds", type=float, default=60, help="for all of them together")
    add("--step-timeout", type=float, default=2, help="of a process while shrinking")
    add("--save", metavar="FOLDER", help="where shrunk programs are written")
    add("--show", type=int, metavar="NUMBER")
    add("--only", type=int, metavar="NUMBER")
    return parser.parse_args(argv)


def absolute(program):
    """Its path from the root, since it runs in other folders; a bare name is looked for."""
    return os.path.abspath(program) if os.sep in program else program


class Tally:
    """What a run found."""

    def __init__(self):
        self.programs = self.raised = self.discarded = self.whole = 0
        self.differences = {}  # signature -> [(number, Difference)]

    def add(self, number, difference):
        self.differences.setdefault(difference.signature, []).append((number, difference))

    @property
    def failed(self):
        return sum(len(found) for found in self.differences.values())


class Run:
    def __init__(self, options):
        self.options = options
        self.counts = {}
        self.nacre = Interpreter(
            [absolute(options.nacre)],
            options.timeout,
            options.memory_gib,
            self.counts,
        )
        self.python = Interpreter(
            [absolute(options.python), "-S", "-W", "ignore"], options.timeout, options.memory_gib
        )
        self.tally = Tally()

    def text(self, number):
        return make_program(self.options.seed, number)

    def one(self, number, text):
        """(want, Difference or None) of a program in a process of its own."""
        want = self.python.run_text(text)
        if not want.comparable or want.crashed:
            return want, None
        return want, differing(self.nacre.run_text(text), want)

    def chunk(self, numbers):
        """[(number, want, difference, whole)] of a row of programs."""
        texts = {n: self.text(n) for n in numbers}
        results = []
        together = {n: t for n, t in texts.items() if n % WHOLE}
        wanted = self.python.run_batch(together)
        got = self.nacre.run_batch({n: t for n, t in together.items() if n in wanted})
        alone = []
        for number, text in texts.items():
            if number in wanted and number in got:
                want = wanted[number]
                found = differing(got[number], want) if want.comparable else None
                results.append((number, want, found, False))
            else:
                want, found = self.one(number, text)
                results.append((number, want, found, number % WHOLE == 0))
                if number in wanted and want.comparable:
                    alone.append(len(results) - 1)
        # A row of programs that did not end, though each does alone, is a failure of its own; if one
        # of them fails alone, that is why the others had no turn.
        if alone and not any(results[at][2] for at in alone):
            number, want, _, whole = results[alone[0]]
            found = Difference("batch", "did not end in a row of programs", "ended")
            results[alone[0]] = (number, want, found, whole)
        return results

    def take(self, results):
        tally = self.tally
        for number, want, found, whole in results:
            if not want.comparable or want.crashed:
                tally.discarded += 1
                continue
            tally.programs += 1
            tally.whole += whole
            tally.raised += want.raised
            if found:
                tally.add(number, found)

    def run(self):
        first, count, size = self.options.first, self.options.count, max(1, self.options.batch)
        chunks = [
            range(at, min(at + size, first + count)) for at in range(first, first + count, size)
        ]
        with ThreadPoolExecutor(max(1, self.options.jobs)) as pool:
            for results in pool.map(self.chunk, chunks):
                self.take(results)

    # --- differences ---

    def small(self, text, difference, seconds):
        """The program made small, and the difference it then shows; None if it shows none alone."""
        latest = {"difference": None}

        def still_fails(candidate):
            _, found = self.one(0, candidate)
            if found is None or found.essence != difference.essence:
                return False
            latest["difference"] = found
            return True

        if not still_fails(text):
            difference = self.one(0, text)[1]
            if difference is None or not still_fails(text):
                return None
        text = Shrinker(still_fails, seconds).shrink(text)
        still_fails(text)
        return text, latest["difference"]

    def small_in_time(self, number, difference, seconds):
        """As `small`. A program cut short may well run for ever, so steps have a short time limit,
        unless it is the program's time that differs."""
        limit = self.options.timeout
        if difference.kind != "timeout":
            limit = min(limit, self.options.step_timeout)
        self.nacre.timeout = self.python.timeout = limit
        small = self.small(self.text(number), difference, seconds)
        self.nacre.timeout = self.python.timeout = self.options.timeout
        return small

    def report_differences(self):
        groups = sorted(self.tally.differences.items(), key=lambda g: -len(g[1]))
        counts, self.nacre.counts = self.nacre.counts, None
        deadline = time.monotonic() + self.options.shrink_seconds
        for rank, (signature, found) in enumerate(groups):
            number, difference = found[0]
            print("\n--- %d programs, the first is %d: %s" % (len(found), number, signature))
            if rank >= self.options.shrink:
                print("    " + str(difference))
                continue
            waiting = min(len(groups), self.options.shrink) - rank
            small = self.small_in_time(number, difference, (deadline - time.monotonic()) / waiting)
            if small is None:
                print("    (only among others, not alone)\n    " + str(difference))
                continue
            print("    " + str(small[1]))
            print("".join("  | %s\n" % line for line in small[0].strip().split("\n")), end="")
            self.save(number, small)
        self.nacre.counts = counts

    def save(self, number, small):
        if self.options.save:
            os.makedirs(self.options.save, exist_ok=True)
            with open(
                os.path.join(self.options.save, "generated_%d.py" % number), "w", encoding="utf-8"
            ) as file:
                file.write(
                    small[0].strip()
                    + "\n"
                    + "".join("# %s\n" % line for line in str(small[1]).split("\n"))
                )

    def opcodes(self):
        """(share of opcodes executed or None, names of those that were not)."""
        counted = {n: c for n, c in self.counts.items() if n not in NEVER}
        if not counted:
            return None, []
        missing = sorted(n for n, c in counted.items() if c == 0)
        return 1 - len(missing) / len(counted), missing


def summary(run, seconds):
    tally = run.tally
    problems = []
    share = tally.raised / tally.programs if tally.programs else 0
    print(
        "%d programs (%d with a process of their own), %d set aside, %.0f s"
        % (tally.programs, tally.whole, tally.discarded, seconds)
    )
    print("%d raised an exception (%.0f %%)" % (tally.raised, 100 * share))
    if tally.programs >= 100 and share < RAISED_SHARE:
        problems.append("fewer than %.0f %% raised" % (100 * RAISED_SHARE))
    if tally.discarded > max(1, ASIDE_SHARE * (tally.programs + tally.discarded)):
        problems.append("more than %.0f %% were set aside" % (100 * ASIDE_SHARE))
    hit, missing = run.opcodes()
    if hit is None:
        print("opcodes: not counted by this program")
    else:
        print(
            "opcodes: %.1f %% of %d executed%s"
            % (100 * hit, len(run.counts), "; never: " + " ".join(missing) if missing else "")
        )
        if tally.programs >= OPCODES_FROM and hit < OPCODE_SHARE:
            problems.append(
                "fewer than %.0f %% of the opcodes were executed" % (100 * OPCODE_SHARE)
            )
    if tally.failed:
        problems.append("%d programs differ" % tally.failed)
    for problem in problems:
        print("FAILED: " + problem)
    print("%d passed, %d failed" % (tally.programs - tally.failed, tally.failed))
    return 1 if problems or not tally.programs else 0


def array_programs(arguments):
    """The same for arrays: other programs, compared with NumPy."""
    sys.path.insert(0, os.path.join(process.ROOT, "tests", "generated_arrays"))
    import run_arrays

    return run_arrays.main(arguments)


def main(argv=None):
    arguments = sys.argv[1:] if argv is None else argv
    if "--arrays" in arguments:
        return array_programs([a for a in arguments if a != "--arrays"])
    options = parse_arguments(arguments)
    if options.show is not None:
        print(make_program(options.seed, options.show), end="")
        return 0
    if options.only is not None:
        options.first, options.count, options.batch = options.only, 1, 1
    run = Run(options)
    start = time.monotonic()
    run.run()
    seconds = time.monotonic() - start
    run.report_differences()
    return summary(run, seconds)


if __name__ == "__main__":
    sys.exit(main())
