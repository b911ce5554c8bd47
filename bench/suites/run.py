# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A suite of programs under nacre and under each of its peers, in turns.

For every program there is a process of each; all of them live at the same time and wait while one
has its turn, unless memory is too short for that. A case begins with calls that warm up
(compilation is in them); then come rounds of one turn each, in turning order. Results are compared
with NumPy's after each turn. Writes bench/results/SUITE.md and SUITE.json (SUITE_paper.md for
another size, SUITE_1.md for another number of threads)."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import figures  # noqa: E402
import measure  # noqa: E402
import pages  # noqa: E402
from case import cases_of, placed, suite, suites  # noqa: E402
from process import NoAnswer, Process, environment  # noqa: E402

THREADS = 2  # unless the command line says otherwise
SETTLING = 30  # seconds that a warm-up waits for compilers to end
PAUSE = 0.03   # seconds before a turn, in which the threads of the one before stop to spin


def options_of(add):
    add("--suite", required=True, choices=suites())
    add("--only", dest="listed", default="", metavar="NAME,…", help="these programs only")
    add("--size", choices=("S", "paper"), default="S", help="of the data, where there are two")
    add("--turns", dest="pairs", type=int, default=11, help="of each (default: %(default)s)")
    add("--peers", default="", metavar="NAME,…", help="beside these only")
    add("--threads", type=int, default=THREADS, help="for everybody (default: %(default)s)")
    add("--quick", action="store_true", help="smaller sizes, shorter turns (implies --dry)")
    add("--timeout", type=float, default=120, help="seconds for a turn")
    add("--together", action="store_true",
        help="leaves out what has no room in memory at the same time: such a case takes long, as its"
        " processes live one after the other and make their data for each turn")
    add("--limit", type=float, default=30,
        help="seconds: where NumPy takes longer, a case at size paper is left out")


def chosen_options():
    """The command line. Whoever names programs or peers gets no file of results."""
    options = measure.arguments(__doc__, 11, options_of, venv="peers")
    options.only += [name for name in options.listed.split(",") if name]
    options.peers = [name for name in options.peers.split(",") if name]
    options.size = "quick" if options.quick else options.size
    options.dry = bool(options.dry or options.quick or options.only or options.peers)
    options.suite = suite(options.suite)
    unknown = set(options.peers) - set(options.suite.RUNNERS)
    if unknown:
        sys.exit("no such peer: " + " ".join(sorted(unknown)))
    return options


def wanted_runners(options, program):
    """Who runs a program: nacre and NumPy, which says what is right, always. A peer brings its
    other modes, PEER_MODE, along."""
    always = ("nacre", "numpy")
    return [runner for runner in options.suite.runners_of(program)
            if not options.peers or runner in always or runner in options.peers or
            runner.split("_")[0] in options.peers]


def processes_of(options, program, cases, cache):
    folder = os.path.join(measure.ROOT, "build", "suites")
    found = []
    for runner in wanted_runners(options, program):
        path = placed(options.suite, runner, program, cases, folder)
        command = [options.nacre if runner == "nacre" else options.python, path]
        timeout = options.timeout
        if runner == "numpy" and options.size == "paper":
            timeout = options.limit
        found.append(Process(runner, command, options.threads, timeout,
                             cache if hasattr(options.suite, "WARM") else None))
    return found


def tried(process, action):
    """What `action()` returns; None when the process fails in it."""
    try:
        return action()
    except NoAnswer as why:
        process.give_up(str(why))
        return None


LEFT_OVER = 1e-13  # of the largest result's mean: what is left where such numbers cancelled


def differing(result, wanted, rtol, places):
    """The first thing in which a result differs from the one wanted, as text, or None. Both are
    what `looked_at` of turns.py found, with so many places of each array."""
    if len(result) != len(wanted):
        return "other arrays"
    starts = range(0, len(wanted), 3 + places)
    least = LEFT_OVER * max((wanted[at + 2] / wanted[at] for at in starts), default=0)
    for at in starts:
        size, _, total = wanted[at:at + 3]
        of_sum = rtol * total + least * size
        bounds = [0, of_sum, of_sum]
        bounds += [rtol * abs(x) + of_sum / size for x in wanted[at + 3:at + 3 + places]]
        for offset, bound in enumerate(bounds):
            x, y = result[at + offset], wanted[at + offset]
            if not (abs(x - y) <= bound or x == y or x != x and y != y):
                what = ("size", "sum", "sum of absolute values", "element")[min(offset, 3)]
                return "%s %r in place of %r" % (what, x, y)
    return None


def enough_calls(process, seconds, long_enough):
    """How many calls make a turn, by what the last one took."""
    return math.ceil(min(max(long_enough / max(seconds, 1e-9), 1), process.calls * 100))


def warmed(process, case, options):
    """Readies a process for a case: data, warm-up, and how many calls make a turn long enough to be
    timed. Returns the first turn and the last one."""
    long_enough = 0.03 if options.quick else 0.1
    process.calls = 1
    process.begin(case)
    first = process.turn()
    turn = process.turn()
    while turn.seconds * process.calls < long_enough / 2:
        process.calls = enough_calls(process, turn.seconds, long_enough)
        turn = process.turn()
    return first, settled(process, turn, options)


def settled(process, turn, options):
    """Goes on for the suite's time of warming up, and until no compiler is at work any more: what
    one left behind is taken up in turns after that. Returns the last turn."""
    warm = 0 if options.quick else getattr(options.suite, "WARM", 0)
    if not warm:
        return turn
    begun, quiet = time.monotonic(), 0
    while quiet < 2 or time.monotonic() < begun + warm:
        if time.monotonic() > begun + SETTLING:
            break
        process.calls = enough_calls(process, turn.seconds, 0.1)
        turn = process.turn()
        quiet = 0 if process.compiling() else quiet + 1
    return turn


def checked(process, turn, wanted, case, options):
    """The turn, unless its result is wrong: then the process gives up."""
    why = turn and wanted and differing(turn.result, wanted.result, case.rtol,
                                        options.suite.PLACES)
    if why:
        process.give_up("wrong: " + why)
    return None if why else turn


def compared_first(case, taking, options, alone):
    """{runner: its first turn}, of those whose results agree with those of the first peer that has
    any. In a suite with sizes that peer is NumPy; where it has no answer nobody else is asked."""
    found, wanted = {}, None
    for process in sorted(taking, key=lambda p: p.runner == "nacre"):
        process.why = None
        if not process.child:
            process.start()
        both = tried(process, lambda p=process: warmed(p, case, options))
        if both and not wanted:
            wanted = both[1]
        if both and checked(process, both[1], wanted, case, options):
            found[process.runner] = both[0]
        if alone:
            process.end()
        if process.why and process.runner == "numpy" and options.size == "paper":
            break
    return found, wanted


def turn_alone(process, case):
    """A turn of a process that lives for it only."""
    process.start()
    process.begin(case)
    calls, process.calls = process.calls, 1
    process.turn()
    process.calls = calls
    turn = process.turn()
    process.peak()  # is kept
    process.end()
    return turn


def measured(case, processes, options):
    """{runner: {…}} of a case: its times, and what else is known of it."""
    taking = [p for p in processes if p.runner not in case.without]
    alone = case.each * len(taking) > memory_available()
    if alone:
        for process in processes:
            process.end()
    first, wanted = compared_first(case, taking, options, alone)
    taking = [p for p in taking if p.runner in first or p.why]

    def once(process):
        if process.why:
            return None
        time.sleep(PAUSE)
        turn = tried(process, (lambda: turn_alone(process, case)) if alone else process.turn)
        return checked(process, turn, wanted, case, options)

    turns = measure.interleaved(taking, options.pairs, once)
    return {p.runner: outcome(p, first.get(p.runner), found, case, options)
            for p, found in zip(taking, turns)}


def outcome(process, first, turns, case, options):
    if process.why:
        return {"why": process.why}
    found = {"first": first.seconds, "seconds": [t.seconds for t in turns],
             "calls": process.calls,
             "busy": measure.median([t.busy for t in turns]),
             "peak": process.peak()}
    if process.notes:
        found["notes"] = {name: float(value) for name, value in
                          (note.split("=") for note in process.notes)}
    if process.runner == "nacre":
        found["figures"] = tried(process, lambda: figures.per_call(process, case))
        if hasattr(options.suite, "lines_of"):
            lines = options.suite.lines_of(case.program)
            found["loops"] = tried(process, lambda: figures.loops(process, case, *lines,
                                                                  process.calls))
    return found


def memory_available():
    with open("/proc/meminfo", encoding="ascii") as file:
        fields = dict(line.split(":") for line in file)
    return int(fields["MemAvailable"].split()[0]) / (1 << 20)


def whole_suite(options):
    """{case's name: {runner: {…}}}, and names of cases for which there was no memory."""
    results, left_out = {}, []
    for program, cases in cases_of(options.suite, options.size, options.only).items():
        with tempfile.TemporaryDirectory(prefix="nacre-bench-") as cache:
            processes = processes_of(options, program, cases, cache)
            try:
                for case in cases:
                    together = case.each * len(processes) if options.together else 0
                    if max(case.memory, together) > memory_available():
                        left_out.append(case.name)
                        continue
                    results[case.name] = measured(case, processes, options)
                    print(brief(case.name, results[case.name], options), file=sys.stderr,
                          flush=True)
            finally:
                for process in processes:
                    process.end()
    return results, left_out


def brief(name, found, options):
    """A line to watch the suite by."""
    cells = []
    for runner in options.suite.RUNNERS:
        times = found.get(runner, {}).get("seconds")
        cells.append("%s %s" % (runner, measure.microseconds(measure.median(times)) if times
                                else "—"))
    return "%s: %s" % (name, ", ".join(cells))


def settings(options):
    """{runner: how it is set up}."""
    def answer(command):
        return subprocess.run(command, env=environment(options.threads), check=True,
                              capture_output=True, text=True).stdout.splitlines()

    asked = {peer: function for peer, function in options.suite.SETTINGS.items()
             if not options.peers or peer == "numpy" or peer in options.peers}
    told = dict(line.split(": ", 1) for line in answer(
        [options.python, os.path.join(HERE, "settings.py"), *asked.values()]))
    of_nacre = dict(line.split(": ", 1) for line in answer([options.nacre, "info"])[1:])
    return {"nacre": of_nacre["cpu"], **{peer: told[asked[peer]] for peer in asked}}


def modules(options):
    """Those of Python whose versions are told."""
    return [module for module in options.suite.MODULES
            if not options.peers or module == "numpy" or module in options.peers]


def kept(options, name, setup, load, results, left_out):
    """Writes what was found, as a page for readers and as figures."""
    about = pages.about(options, load)
    page = getattr(options.suite, "page", pages.page)
    beside = options.suite.beside(options) if hasattr(options.suite, "beside") else {}
    measure.write(options, name + ".md", options.suite.TITLE, about,
                  page(options.suite, setup, results, left_out, **beside), modules(options))
    told = {"versions": measure.versions(options, *modules(options)),
            "machine": measure.machine(), "threads": options.threads, "load": load,
            "settings": setup, "left_out": left_out, **beside, "cases": results}
    measure.keep(options, name + ".json", json.dumps(told, indent=1))


def main():
    options = chosen_options()
    setup, load = settings(options), os.getloadavg()[0]
    name = options.suite.folder + ("" if options.size != "paper" else "_paper")
    name += "" if options.threads == THREADS else "_%d" % options.threads
    kept(options, name, setup, load, *whole_suite(options))


if __name__ == "__main__":
    main()
