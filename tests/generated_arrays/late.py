# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""observing.py, later: what a program has to show is kept, arrays as they are then, and printed when
`flush` is called. So operations of many steps are pending together."""

import at_once

kept = []


def as_it_is(value):
    if isinstance(value, (tuple, list)):
        return type(value)([as_it_is(item) for item in value])
    return value.copy("K") if type(value).__name__ == "ndarray" else value


def show(step, value, ulp=None, scale=None):
    kept.append((at_once.show, (step, as_it_is(value), ulp, scale)))


def text(step, value):
    kept.append((at_once.text, (step, value)))


def fail(step, error):
    kept.append((at_once.fail, (step, error)))


def mark(line):
    kept.append((print, (line,)))


def flush():
    for what, arguments in kept:
        what(*arguments)
    kept.clear()
