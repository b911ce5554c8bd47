# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# What stands before every program of a suite (`framed` of bench/suites/case.py puts them together).
def prepared(*given):
    """What a peer makes of the data before the clock runs: arrays of its own, room for results."""
    return given


def refresh():
    """Called before each call, while the clock stands: gives back to the data what they were."""


def notes():
    """Words that a peer says of a case once it is ready."""
    return ()


