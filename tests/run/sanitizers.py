# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Which sanitizers a program was compiled with, and what they are told."""

import os

MARKS = {"address": b"__asan_init", "thread": b"__tsan_init"}


def sanitizers_of(program):
    """A set of "address" and "thread"."""
    with open(program, "rb") as file:
        code = file.read()
    return {name for name, mark in MARKS.items() if mark in code}


def without_leaks():
    """Variables under which a sanitized program looks for no leaks: MPI's libraries keep memory that the check cannot tell
    from the program's."""
    return {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
