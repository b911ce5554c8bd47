# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A suite of programs under nacre and under each of its peers, in turns.

For every program there is a process of each; all of them live at the same time and wait while one
has its turn. A case begins with calls that warm up (compilation is in them); then come rounds of
one turn each, in turning order. Results are compared with NumPy's after each turn. Writes
bench/results/SUITE.md and SUITE.json (SUITE_1.md for another number of threads)."""

import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import measure  # noqa: E402
import pages  # noqa: E402
from case import PLACES, RUNNERS, cases_of, placed, runners_of, suites, table_of  # noqa: E402
from process import NoAnswer, Process, environment, figures_per_call  # noqa: E402

THREADS = 2  # unless the command line says otherwise


def options_of(add):
    add("--suite", required=True, choices=suites())
    add("--threads", type=int, default=THREADS, help="for everybody (default: %(default)s)")
    add("--quick", action="store_true", help="smaller sizes, shorter turns (implies --dry)")
    add("--timeout", type=float, default=120, help="seconds for a turn")


def processes_of(options, program, cases):
    folder = os.path.join(measure.ROOT, "build", "suites")
    found = []
    for runner in runners_of(options.suite, program):
        path = placed(options.suite, runner, program, cases, folder)
        command = [options.nacre if runner == "nacre" else options.python, path]
        found.append(Process(runner, command, options.threads, options.timeout))
    return found


def tried(process, action):
    """What `action()` returns; None when the process fails in it."""
    try:
        return action()
    except NoAnswer as why:
        process.give_up(str(why))
        return None


def differing(result, wanted, rtol):
    """The first thing in which a result differs from the one wanted, as text, or None. Both are
    what `looked_at` of turns.py found."""
    if len(result) != len(wanted):
        return "other arrays"
    for at in range(0, len(wanted), 3 + PLACES):
        size, _, total = wanted[at:at + 3]
        bounds = [0, rtol * total, rtol * total]
        bounds += [rtol * (abs(x) + total / size) for x in wanted[at + 3:at + 3 + PLACES]]
        for offset, bound in enumerate(bounds):
            x, y = result[at + offset], wanted[at + offset]
            if not (abs(x - y) <= bound or x == y or x != x and y != y):
                what = ("size", "sum", "sum of absolute values", "element")[min(offset, 3)]
                return "%s %r in place of %r" % (what, x, y)
    return None


def warmed(process, case, options):
    """Readies a process for a case: data, warm-up, and how many calls make a turn long enough to be
    timed. Returns a turn, for its result."""
    long_enough = 0.03 if options.quick else 0.1
    process.calls = 1
    process.begin(case)
    process.turn()
    turn = process.turn()
    while turn.seconds * process.calls < long_enough / 2:
        process.calls = math.ceil(min(long_enough / max(turn.seconds, 1e-9), process.calls * 100))
        turn = process.turn()
    return turn


def checked(process, turn, wanted, case):
    """The turn, unless its result is wrong: then the process gives up."""
    why = turn and wanted and differing(turn.result, wanted.result, case.rtol)
    if why:
        process.give_up("wrong: " + why)
    return None if why else turn


def measured(case, processes, options):
    """{runner: {…}} of a case: its times, and what else is known of it."""
    taking = [p for p in processes if p.runner not in case.without]
    for process in taking:
        process.why = None
        if not process.child:
            process.start()
    first = {p.runner: tried(p, lambda p=p: warmed(p, case, options)) for p in taking}
    wanted = next((first[r] for r in RUNNERS[1:] if first.get(r)), None)
    for process in taking:
        checked(process, first[process.runner], wanted, case)

    def once(process):
        if process.why:
            return None
        return checked(process, tried(process, process.turn), wanted, case)

    turns = measure.interleaved(taking, options.pairs, once)
    return {p.runner: outcome(p, found, case) for p, found in zip(taking, turns)}


def outcome(process, turns, case):
    if process.why:
        return {"why": process.why}
    found = {"seconds": [t.seconds for t in turns], "calls": process.calls,
             "busy": measure.median([t.processor / t.seconds for t in turns]),
             "peak": process.peak()}
    if process.runner == "nacre":
        found["figures"] = tried(process, lambda: figures_per_call(process, case))
    return found


def memory_available():
    with open("/proc/meminfo", encoding="ascii") as file:
        fields = dict(line.split(":") for line in file)
    return int(fields["MemAvailable"].split()[0]) / (1 << 20)


def whole_suite(options):
    """{case's name: {runner: {…}}}, and names of cases for which there was no memory."""
    results, left_out = {}, []
    for program, cases in cases_of(options.suite, options.quick, options.only).items():
        processes = processes_of(options, program, cases)
        try:
            for case in cases:
                if case.memory > memory_available():
                    left_out.append(case.name)
                    continue
                results[case.name] = measured(case, processes, options)
                print(brief(case.name, results[case.name]), file=sys.stderr, flush=True)
        finally:
            for process in processes:
                process.end()
    return results, left_out


def brief(name, found):
    """A line to watch the suite by."""
    cells = []
    for runner in RUNNERS:
        times = found.get(runner, {}).get("seconds")
        cells.append("%s %s" % (runner, measure.microseconds(measure.median(times)) if times
                                else "—"))
    return "%s: %s" % (name, ", ".join(cells))


def settings(options):
    """{runner: how it is set up}."""
    def answer(command):
        return subprocess.run(command, env=environment(options.threads), check=True,
                              capture_output=True, text=True).stdout.splitlines()

    found = dict(line.split(": ", 1) for line in answer(
        [options.python, os.path.join(HERE, "settings.py")]))
    of_nacre = dict(line.split(": ", 1) for line in answer([options.nacre, "info"])[1:])
    return {"nacre": of_nacre["cpu"], **found}


def kept(options, name, setup, load, results, left_out):
    """Writes what was found, as a page for readers and as figures."""
    modules = RUNNERS[1:]
    title = table_of(options.suite)["TITLE"]
    measure.write(options, name + ".md", title, pages.about(options, load),
                  pages.page(setup, results, left_out), modules)
    figures = {"versions": measure.versions(options, *modules), "machine": measure.machine(),
               "threads": options.threads, "load": load, "settings": setup,
               "left_out": left_out, "cases": results}
    measure.keep(options, name + ".json", json.dumps(figures, indent=1))


def main():
    options = measure.arguments(__doc__, 11, options_of, venv="peers")
    options.dry = options.dry or options.quick
    setup, load = settings(options), os.getloadavg()[0]
    name = options.suite + ("" if options.threads == THREADS else "_%d" % options.threads)
    kept(options, name, setup, load, *whole_suite(options))


main()
