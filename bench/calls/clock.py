# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The clock of the programs in this folder, for nacre and CPython alike. They print a line
`THING SECONDS` for each thing they measure."""
import time


def spent(call, rounds):
    start = time.perf_counter()
    for _ in range(rounds):
        call()
    return time.perf_counter() - start


def seconds(call):
    """One call's time: the least of five goes, each of as many calls as the clock needs."""
    rounds = 1
    call()
    while spent(call, rounds) <= 0.002 and rounds <= 1 << 20:
        rounds *= 2
    return min([spent(call, rounds) for _ in range(5)]) / rounds


def measured(thing, call):
    print(thing, seconds(call))
