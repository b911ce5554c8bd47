# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What nacre says of its own work in a program of a suite: figures, and what became of loops."""

import json
import os
import re
import tempfile

from process import Process

NAMES = ("nodes_executed", "nodes_eliminated", "kernels", "library_calls", "fallbacks",
         "plans_made", "plans_reused", "loops_entered", "loops_left", "loop_rounds")
LOOP = re.compile(r"^  (?P<file>[^:\n]+):(?P<line>\d+): (?P<what>machine code, (?P<rounds>\d+) "
                  r"rounds in (?P<goes>\d+) goes|interpreted[^;\n]*)"
                  r"(; line (?P<left>\d+) left to the interpreter[^:\n]*: (?P<why>.*))?$", re.M)


def run_with(process, case, option, turns):
    """Lets another process like this one, with an option of nacre's, take its turns, and ends it.
    Returns what it wrote on standard error."""
    command = process.command[:1] + option + process.command[1:]
    other = Process(process.runner, command, process.threads, process.timeout, process.cache)
    other.start()
    errors = os.fdopen(os.dup(other.errors.fileno()), encoding="utf-8")
    try:
        other.begin(case)
        for calls in turns:
            other.calls = calls
            other.turn()
    finally:
        other.end()
    with errors:
        errors.seek(0)
        return errors.read()


def per_call(process, case):
    """What `--stats` counts in one call: a run with two calls less a run with one, after others,
    by which code is there."""
    def totals(last):
        with tempfile.NamedTemporaryFile("r") as file:
            run_with(process, case, ["--stats", file.name], [1] * 4 + [last])
            return json.load(file)

    one, two = totals(1), totals(2)
    return {name: two[name] - one[name] for name in NAMES}


def loops(process, case, first, last, calls):
    """What `--explain` says of the loops in the text's lines from `first` to `last`, after so many
    calls: a list of {line, what, compiled, rounds, goes, left, why}, with lines counted from
    `first`."""
    said = run_with(process, case, ["--explain"], [max(calls // 4, 1)] * 4)
    own = os.path.basename(process.command[-1])
    return [{"line": int(loop["line"]) - first + 1, "what": loop["what"],
             "compiled": loop["rounds"] is not None, "rounds": int(loop["rounds"] or 0),
             "goes": int(loop["goes"] or 0),
             "left": loop["left"] and int(loop["left"]) - first + 1, "why": loop["why"]}
            for loop in LOOP.finditer(said)
            if loop["file"] == own and first <= int(loop["line"]) <= last]
