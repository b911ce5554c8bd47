# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What the benchmarks share: the command line, processes run in interleaved pairs, medians with
intervals, tables in Markdown, and a description of the machine that names no path and no host."""

import argparse
import math
import os
import platform
import random
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")


def arguments(description, pairs, extend=None, a_file_each=False, venv="venv"):
    """What the command line says. `extend` is given add_argument, for options of its own. Unless
    each NAME has a file of results to itself, naming some leaves the results alone: what is written
    is always whole. CPython is that of build/VENV unless the command line says otherwise."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--nacre", default=os.path.join(ROOT, "build/release/bin/nacre"))
    parser.add_argument("--python", default=os.path.join(ROOT, "build", venv, "bin/python"))
    parser.add_argument("--pairs", type=int, default=pairs)
    parser.add_argument("--dry", action="store_true", help="print; leave bench/results alone")
    parser.add_argument("only", nargs="*", metavar="NAME",
                        help="these only" + ("" if a_file_each else " (implies --dry)"))
    if extend:
        extend(parser.add_argument)
    options = parser.parse_args()
    options.dry = options.dry or bool(options.only) and not a_file_each
    for program in (options.nacre, options.python):
        if not os.access(program, os.X_OK):
            sys.exit("missing: %s (scripts/test makes both programs)" % program)
    return options


def wall(command):
    """Seconds from starting a process to having reaped it; its output is thrown away."""
    silence = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=silence)
    _, status = os.waitpid(pid, 0)
    spent = time.perf_counter() - start
    if status:
        sys.exit("failed: " + " ".join(os.path.basename(word) for word in command))
    return spent


def figures(command):
    """{thing: seconds} from a program that prints a line `THING SECONDS` for each it measures."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("failed: " + " ".join(os.path.basename(word) for word in command))
    lines = done.stdout.strip().split("\n")
    return {thing: float(value) for thing, value in (line.rsplit(" ", 1) for line in lines)}


def interleaved(commands, rounds, once):
    """A list per command of what `once(command)` returned. Each round runs every command once, in
    turning order, so that a slow minute of the machine falls on all of them alike."""
    found = [[] for _ in commands]
    for round_number in range(rounds):
        for step in range(len(commands)):
            which = (step + round_number) % len(commands)
            found[which].append(once(commands[which]))
    return found


def walls(commands, rounds):
    """A list of times per command, interleaved, with a run before that warms the file cache."""
    for command in commands:
        wall(command)
    return interleaved(commands, rounds, wall)


def compared(ours, others, rounds):
    """{thing: (seconds, [(ratio, low, high), …])} of programs that print figures: our seconds, and
    how many times as long each of the others takes (None where it does not measure the thing)."""
    mine, *theirs = interleaved([ours] + others, rounds, figures)

    def row(thing):
        times = [run[thing] for run in mine]
        return median(times), [ratios([run[thing] for run in runs], times) if thing in runs[0]
                               else None for runs in theirs]

    return {thing: row(thing) for thing in mine[0]}


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def interval(values):
    """The 95 % interval of the median, from order statistics (binomial); below six values, their
    range."""
    ordered = sorted(values)
    n = len(ordered)
    reach, covered = 0, 0.0
    for k in range(n // 2):
        covered += math.comb(n, k) / 2 ** n
        if covered > 0.025:
            break
        reach = k
    return ordered[reach], ordered[n - 1 - reach]


def bootstrapped(columns, statistic, goes=1000):
    """The 95 % interval of `statistic(columns)` by the percentile bootstrap: rounds are drawn again
    with replacement, the same ones for every column. The draws are the same each time."""
    draw = random.Random(0)
    rounds = range(len(columns[0]))
    found = []
    for _ in range(goes):
        drawn = draw.choices(rounds, k=len(rounds))
        found.append(statistic([[column[at] for at in drawn] for column in columns]))
    found.sort()
    return found[int(0.025 * goes)], found[goes - 1 - int(0.025 * goes)]


def ratios(over, under):
    """(median, low, high) of the pairwise ratios."""
    values = [a / b for a, b in zip(over, under)]
    return (median(values),) + interval(values)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def output(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    return "%s, %d cores, %.0f GiB, %s" % (model.group(1) if model else platform.machine(),
                                           len(os.sched_getaffinity(0)), memory, system)


def versions(options, *modules):
    """One line naming both programs, with the versions of the given Python modules."""
    nacre = output([options.nacre, "--version"]).strip()
    commit = output(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"]).strip()
    names = ["CPython " + output([options.python, "-c", "import platform as p\n"
                                  "print(p.python_version(), end='')"])]
    for module in modules:
        names.append("%s %s" % (module, output([options.python, "-c", "import %s as m\n"
                                                "print(m.__version__, end='')" % module])))
    return "%s at commit %s; %s" % (nacre, commit, ", ".join(names))


def microseconds(seconds):
    return "%.2f" % (seconds * 1e6) if seconds < 1e-4 else "%.0f" % (seconds * 1e6)


def ratio_cells(ratio):
    """Two cells: the ratio and its interval; empty ones for None."""
    return ["%.2f" % ratio[0], "%.2f to %.2f" % ratio[1:]] if ratio else ["", ""]


def table(head, rows):
    """Lines of a table in Markdown: names on the left, numbers on the right."""
    lines = ["| %s |" % " | ".join(cells) for cells in [head] + rows]
    return lines[:1] + ["|---" + "|---:" * (len(head) - 1) + "|"] + lines[1:]


def summary(name, values):
    return "%s: geometric mean %.2f; %d of %d below 1." % (
        name, geometric_mean(values), sum(v < 1 for v in values), len(values))


def side_by_side(corner, groups, others):
    """A table of results of `compared`, and a summary of each. `groups` is {heading: result}, and
    `others` names who was compared with. Cells are empty where a thing was not measured."""
    head, summaries = [corner], [""]
    rows = {thing: [thing] for group in groups.values() for thing in group}
    for heading, group in groups.items():
        head.append(heading + ", µs")
        for at, other in enumerate(others):
            head += ["ratio to " + other, "interval"]
            values = [found[at][0] for _, found in group.values() if found[at]]
            summaries.append(summary(heading if len(groups) > 1 else other, values))
        for thing, cells in rows.items():
            seconds, found = group.get(thing, (None, [None] * len(others)))
            cells.append(microseconds(seconds) if seconds else "")
            for ratio in found:
                cells += ratio_cells(ratio)
    return table(head, list(rows.values())) + summaries


def keep(options, name, text):
    """Keeps a file of results, unless it is a dry run."""
    if not options.dry:
        os.makedirs(RESULTS, exist_ok=True)
        with open(os.path.join(RESULTS, name), "w", encoding="utf-8") as file:
            file.write(text + "\n")


def write(options, name, title, about, lines, modules=()):
    """Prints a page of results and, unless it is a dry run, keeps it: its title, what the numbers
    are, versions (those of Python's `modules` too), the machine, then the lines."""
    text = "\n".join(["# " + title, "", about, "", "- " + versions(options, *modules),
                      "- " + machine(), ""] + lines)
    print(text)
    keep(options, name, text)
