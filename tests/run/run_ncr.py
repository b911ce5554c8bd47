#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs test scripts (`*.ncr`) and checks what they say about themselves; see directives.py.

    run_ncr.py [options] PATH...    a PATH is a script, or a folder whose scripts are meant

Prints each failure in a few lines, then `N passed, N failed`. Exit status 1 when any failed or
none ran.
"""

import argparse
import os
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import compare
import process
from directives import BadDirective, Directives

# On several ranks every array is distributed, however small, and ranks are compared before each collective step.
ON_RANKS = {"NACRE_TRANSPORT": "loopback", "NACRE_SPLIT_LEAST": "1", "NACRE_CHECK_RANKS": "1"}
IN_PARTS = ("opencl", "cuda")  # backends that add in an order of their own, as ranks do
LEFT_OUT = "left out"  # what stands for the problems of a script that is not run
TAIL = 6  # lines of standard error shown for a failure


def make_parser():
    parser = argparse.ArgumentParser(description="Run Nacre test scripts.")
    add = parser.add_argument
    add("paths", nargs="+", metavar="PATH")
    add("--nacre", default=os.path.join(process.ROOT, "build/release/bin/nacre"))
    add("--python", default=os.path.join(process.ROOT, "build/venv/bin/python"),
        help="the CPython that scripts marked '# oracle: cpython' are compared with")
    add("--cache", default=os.path.join(process.ROOT, "build/oracle"),
        help="where CPython's answers are kept")
    add("--backend", help="run the scripts on this backend")
    add("--ranks", type=int, default=1, help="run the scripts on so many ranks of one process")
    add("--env", action="append", default=[], metavar="NAME=VALUE")
    add("--jobs", type=int, default=2)
    add("--timeout", type=float, default=60)
    add("--memory-gib", type=float, default=0, help="address space allowed (0: unlimited)")
    return parser


def finish(args):
    if "NACRE_STRESS" in os.environ:  # checks every reference at every statement
        args.timeout *= 4
    return args


def scripts_of(paths):
    found = []
    for path in paths:
        if os.path.isdir(path):
            names = sorted(n for n in os.listdir(path) if n.endswith(".ncr"))
            found += [os.path.join(path, n) for n in names]
        else:
            found.append(path)
    return [os.path.abspath(path) for path in found]


def described(status):
    if status is not None and status < 0:
        return "signal " + signal.Signals(-status).name
    return "exit status %s" % status


def differ(what, got, want):
    return "%s\n  got:      %s\n  expected: %s" % (what, got, want)


def check_output(got, want, rtol, whose):
    difference = compare.first_difference(got, want, rtol)
    if difference is None:
        return []
    return [differ("output line %d, %s" % (difference[0], whose), difference[1], difference[2])]


def check_place(outcome, directives, source):
    line, col = outcome.error_place(source)
    problems = []
    if directives.error_line is not None and line != directives.error_line:
        problems.append(differ("line of the error", line, directives.error_line))
    if directives.error_col is not None and col != directives.error_col:
        problems.append(differ("column of the error", col, directives.error_col))
    return problems


def check_promises(outcome, directives, source):
    """What the script itself says."""
    problems = []
    if directives.promises_output:
        got = [line.rstrip() for line in outcome.out.split("\n")]
        if got[-1] == "":
            got.pop()
        problems += check_output("\n".join(got), "\n".join(directives.lines), 0, "by # expect")
    if directives.promises_status and outcome.status != directives.status:
        problems.append(differ("status", described(outcome.status), described(directives.status)))
    if directives.error is not None and outcome.error != directives.error:
        problems.append(differ("error", outcome.error, directives.error))
    return problems + check_place(outcome, directives, source)


NOT_RUN = re.compile("(Syntax|Indentation|Tab)Error:")


def check_oracle(outcome, wanted, rtol):
    """What CPython says."""
    if wanted.timed_out:
        return ["CPython did not finish"]
    problems = check_output(outcome.out, wanted.out, rtol, "by CPython")
    if outcome.status != wanted.status:
        problems.append(differ("status, by CPython", described(outcome.status),
                               described(wanted.status)))
    elif wanted.status == 1 and not compare.lines_agree(outcome.error, wanted.error, rtol):
        problems.append(differ("error, by CPython", outcome.error, wanted.error))
    return problems


class Runner:
    def __init__(self, options):
        self.options = options
        self.extra_env = dict(pair.split("=", 1) for pair in options.env)
        if options.ranks > 1:
            self.extra_env.update(ON_RANKS, NACRE_RANKS=str(options.ranks))
        self.oracle = None

    def command(self, path, args):
        backend = ["--backend", self.options.backend, "--device-least", "1"] if self.options.backend else []
        return [os.path.abspath(self.options.nacre)] + backend + [path] + args

    def problems(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            source = file.read()
        try:
            directives = Directives(source)
        except (BadDirective, ValueError) as error:
            return [str(error)]
        if not directives.checks_something:
            return ["the script expects nothing, so it cannot fail"]
        if directives.one_rank and self.options.ranks > 1:
            return LEFT_OUT
        timeout = directives.timeout or self.options.timeout
        outcome = process.run(self.command(path, directives.args), timeout, self.extra_env,
                              self.options.memory_gib)
        if outcome.timed_out:
            return ["not finished after %g s" % timeout]
        problems = check_promises(outcome, directives, source)
        if directives.oracle:
            wanted = self.oracle.ask(path, source, directives.args, timeout)
            in_parts = self.options.ranks > 1 or self.options.backend in IN_PARTS
            rtol = directives.ranks_rtol if in_parts and directives.ranks_rtol else directives.rtol
            problems += check_oracle(outcome, wanted, rtol)
            if not directives.error and wanted.status == 1 and NOT_RUN.match(wanted.error):
                problems.append("CPython cannot read the script: " + wanted.error)
        if problems and outcome.err.strip():
            tail = outcome.err.rstrip().split("\n")[-TAIL:]
            problems.append("standard error ends:\n" + "\n".join("  | " + line for line in tail))
        return problems

    def run(self, paths):
        with ThreadPoolExecutor(max(1, self.options.jobs)) as pool:
            return list(zip(paths, pool.map(self.problems, paths)))


def report(results):
    failed = 0
    left_out = sum(problems == LEFT_OUT for _, problems in results)
    results = [one for one in results if one[1] != LEFT_OUT]
    if left_out:
        print("%d left out, which are for one rank" % left_out)
    for path, problems in results:
        if problems:
            failed += 1
            print("FAILED %s" % os.path.relpath(path, process.ROOT))
            for problem in problems:
                print("    " + problem.replace("\n", "\n    "))
    print("%d passed, %d failed" % (len(results) - failed, failed))
    return 1 if failed or not results else 0


def run_all(options, paths):
    if not os.access(options.nacre, os.X_OK):
        sys.exit("run_ncr: no program to test; build it first (scripts/test does)")
    python = options.python
    if not os.access(python, os.X_OK):
        print("note: build/venv is absent (scripts/test makes it); comparing with %s"
              % sys.version.split()[0])
        python = sys.executable
    runner = Runner(options)
    runner.oracle = process.Oracle(python, options.cache)
    return report(runner.run(paths))


def main():
    options = finish(make_parser().parse_args())
    return run_all(options, scripts_of(options.paths))


if __name__ == "__main__":
    sys.exit(main())
