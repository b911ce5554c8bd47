# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The functions of a program compiled by Numba."""

import sys
import types
import warnings

import numba
import numba.core.errors

TELLING = ("Use of unsupported", "Cannot unify", "Unknown attribute", "No conversion",
           "Invalid use")


def reason(error):
    """One line of an error of Numba's: the first that says what it has no words for."""
    lines = [line.strip(" >") for line in str(error).split("\n") if line.strip()]
    for at, line in enumerate(lines):
        if line.startswith("No implementation of function"):
            return "no implementation of " + (lines[at + 1:at + 2] or [line])[0]
        if line.startswith(TELLING) or "not supported" in line:
            return line
    return lines[min(1, len(lines) - 1)]


def reachable(program, name, found):
    """Names of the program's functions that the function `name` comes to."""
    value = program.get(name)
    if isinstance(value, types.FunctionType) and name not in found:
        found.append(name)
        for other in value.__code__.co_names:
            reachable(program, other, found)
    return found


def jitted(program, name, parallel):
    """The function `name` of a program, compiled when it is first called. The others that it calls
    are compiled too: in the program's names they take the place of what they are made from."""
    warnings.simplefilter("ignore", numba.core.errors.NumbaWarning)
    for other in reachable(program, name, []):
        program[other] = numba.njit(parallel=parallel)(program[other])
    function = program[name]

    def run(*given):
        try:
            return function(*given)
        except numba.core.errors.NumbaError as error:
            sys.exit("not compiled: " + reason(error)[:160])

    return run
