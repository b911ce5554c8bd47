# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""How cases are timed: each function of a module, by the least of some measurements of several calls."""
import sys
import time

LEAST = 0.004  # seconds that a measurement takes at least
MEASUREMENTS = 7


def once(case, calls):
    """Seconds for so many calls."""
    start = time.perf_counter()
    for _ in range(calls):
        case()
    return time.perf_counter() - start


def least(case):
    """Seconds for one call."""
    case()
    calls = 1
    while (spent := once(case, calls)) < LEAST:
        calls = max(calls + 1, int(calls * LEAST / max(spent, LEAST / 20)) + 1)
    return min([spent] + [once(case, calls) for _ in range(MEASUREMENTS - 1)]) / calls


def report(cases):
    """Prints NAME SECONDS for those whose names begin as an argument does, or for all."""
    wanted = tuple(sys.argv[1:])
    for case in cases:
        if not wanted or case.__name__.startswith(wanted):
            print(case.__name__, least(case))
