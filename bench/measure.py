# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What the benchmarks share: timing whole processes in interleaved pairs, medians with intervals,
and a description of the machine that names no path and no host."""

import argparse
import math
import os
import platform
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")


def arguments(description, pairs, extend=None):
    """What the command line says. `extend` is given add_argument, for options of its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--nacre", default=os.path.join(ROOT, "build/release/bin/nacre"))
    parser.add_argument("--python", default=os.path.join(ROOT, "build/venv/bin/python"))
    parser.add_argument("--pairs", type=int, default=pairs)
    parser.add_argument("--dry", action="store_true", help="print; leave bench/results alone")
    parser.add_argument("only", nargs="*", metavar="NAME", help="these programs only (implies --dry)")
    if extend:
        extend(parser.add_argument)
    options = parser.parse_args()
    options.dry = options.dry or bool(options.only)
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


def interleaved(commands, rounds):
    """A list of times per command. Each round runs every command once, in turning order, so that
    a slow minute of the machine falls on all of them alike."""
    times = [[] for _ in commands]
    for command in commands:
        wall(command)  # warms the file cache
    for round_number in range(rounds):
        for step in range(len(commands)):
            which = (step + round_number) % len(commands)
            times[which].append(wall(commands[which]))
    return times


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


def write(options, name, text):
    print(text)
    if not options.dry:
        os.makedirs(RESULTS, exist_ok=True)
        with open(os.path.join(RESULTS, name), "w", encoding="utf-8") as file:
            file.write(text + "\n")
