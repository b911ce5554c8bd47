# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs array programs with NumPy in this process."""

import io
import signal
import sys
import warnings
from contextlib import redirect_stdout

import numpy as np  # noqa: F401  (loaded once, before time is measured)
import observing  # noqa: F401


class TimeOut(BaseException):
    """Not an Exception: a program's own handlers must not catch it."""


def ended(*_):
    raise TimeOut


def line_of(path):
    """The line of the program that is being run."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != path:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def run_with_numpy(text, path, seconds):
    """(output, {line: warnings}, whether it raised) of a program, or None when it does not end."""
    out, seen = io.StringIO(), {}

    def note(message, category, *_rest, **_more):
        first = str(message).split("\n", 1)[0]  # as much as is read of what Nacre writes
        seen.setdefault(line_of(path), set()).add("%s: %s" % (category.__name__, first))

    signal.signal(signal.SIGALRM, ended)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with warnings.catch_warnings(), redirect_stdout(out):
            warnings.simplefilter("always")
            warnings.showwarning = note
            try:
                exec(compile(text, path, "exec"), {"__name__": "program"})
            except Exception as error:
                print("-1 ! %s: %s" % (type(error).__name__, error))
    except TimeOut:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return out.getvalue(), seen
