# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Which sanitizers a program was compiled with."""

MARKS = {"address": b"__asan_init", "thread": b"__tsan_init"}


def sanitizers_of(program):
    """A set of "address" and "thread"."""
    with open(program, "rb") as file:
        code = file.read()
    return {name for name, mark in MARKS.items() if mark in code}
