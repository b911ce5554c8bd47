# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The cases of a suite, and the programs that its processes run.

A suite is a folder. `cases.py` has TITLE and the table CASES. `programs.py` says who runs them:
RUNNERS, {runner: its name for readers} beginning with nacre; PLACES, how many elements of a result
are compared; MODULES of Python, whose versions are told; SETTINGS, {peer: function of settings.py};
`runners_of(program)`; `composed(runner, program, cases)`, the text that a process runs. What it may
have besides: ABOUT and `page(suite, setup, results, left_out, …)` in place of those in pages.py;
WARM, seconds of warming up, from an empty cache of code; `lines_of(program)`, where in the text the
program's own loops are; `beside(options)`, {name: figures} that stand beside the cases'."""

import hashlib
import os
import runpy
import sys
from types import SimpleNamespace
from typing import NamedTuple, Optional

HERE = os.path.dirname(os.path.abspath(__file__))


class Case(NamedTuple):
    """A row of the table."""
    name: str                  # with the names of arguments in braces
    program: str               # the program's name
    given: dict                # arguments of what makes the program's data
    quick: Optional[dict] = {} # those that --quick changes; None: not with --quick
    paper: Optional[dict] = None  # those that --size paper changes; None: not at that size
    without: tuple = ()        # who does not run it
    rtol: float = 1e-9         # how far results may differ, relative
    memory: int = 0            # GiB that all processes of the case need together
    each: float = 0            # GiB that each needs at size paper, making its data included
    limit: int = 0             # GiB that each of them may have (0: no limit)
    changed: tuple = ()        # parameters of the program that it writes into

    def sized(self, size):
        """The case as it is run at a size (None: as the table says); None if it is not."""
        other = {"quick": self.quick, "paper": self.paper}.get(size, {})
        if other is None:
            return None
        given = {**self.given, **other}
        return self._replace(name=self.name.format(**given), given=given,
                             each=self.each if size == "paper" else 0)


def suites():
    return sorted(name for name in os.listdir(HERE)
                  if os.path.exists(os.path.join(HERE, name, "cases.py")))


def suite(name):
    """What cases.py and programs.py define, as attributes."""
    found = {}
    sys.path.append(os.path.join(HERE, name))  # for modules of its own
    for part in ("programs.py", "cases.py"):
        found.update(runpy.run_path(os.path.join(HERE, name, part)))
    return SimpleNamespace(**{**found, "folder": name})


def cases_of(chosen, size, only):
    """{program: [case, …]} of a suite, in the order of its table; of the programs named, if any
    are."""
    unknown = set(only) - {case.program for case in chosen.CASES}
    if unknown:
        sys.exit("no such program: " + " ".join(sorted(unknown)))
    programs = {}
    for case in chosen.CASES:
        case = case.sized(size)
        if case and (not only or case.program in only):
            programs.setdefault(case.program, []).append(case)
    return programs


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def framed(text, cases, places):
    """A program of a suite between what stands before and behind each of them; `places` elements
    of each result are compared."""
    constants = "\n\nPLACES = %d\nCASES = %r\n\n\n" % (
        places, {case.name: case.given for case in cases})
    return read(HERE, "head.py") + text + constants + read(HERE, "turns.py")


def placed(chosen, runner, program, cases, folder):
    """The path of the text of a program in `folder`. The same text has the same path, so that what
    Numba compiled for it is found again, and another one another."""
    text = chosen.composed(runner, program, cases)
    name = "%s_%s_%s_%s.py" % (chosen.folder, program, runner,
                               hashlib.sha256(text.encode()).hexdigest()[:12])
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        part = "%s.%d" % (path, os.getpid())
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    return path
