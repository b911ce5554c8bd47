# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The cases of a suite. A suite is a folder with a table `cases.py` and a folder of programs for
each who runs them: those in `numpy/` are run by nacre and by CPython with NumPy as they are."""

import os
import runpy
import sys
from typing import NamedTuple, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNERS = ("nacre", "numpy", "numexpr", "numba", "jax")
NAMES = {"nacre": "Nacre", "numpy": "NumPy", "numexpr": "numexpr", "numba": "Numba", "jax": "JAX"}
PLACES = 100  # elements of each result that are compared, beside the sums


class Case(NamedTuple):
    """A row of the table."""
    name: str                  # with the names of arguments in braces
    program: str               # NAME.py in the folders
    given: dict                # arguments of the program's `data`
    quick: Optional[dict] = {} # those that --quick changes; None: not with --quick
    without: tuple = ()        # who does not run it
    rtol: float = 1e-9         # how far results may differ, relative
    memory: int = 0            # GiB that all processes of the case need together
    limit: int = 0             # GiB that each of them may have (0: no limit)

    def sized(self, quick):
        """The case as it is run; None if it is not."""
        if quick and self.quick is None:
            return None
        given = {**self.given, **self.quick} if quick else self.given
        return self._replace(name=self.name.format(**given), given=given)


def suites():
    return sorted(name for name in os.listdir(HERE)
                  if os.path.exists(os.path.join(HERE, name, "cases.py")))


def table_of(suite):
    """What cases.py defines: TITLE and CASES."""
    return runpy.run_path(os.path.join(HERE, suite, "cases.py"))


def cases_of(suite, quick, only):
    """{program: [case, …]} in the order of the table; of the programs named, if any are."""
    table = table_of(suite)["CASES"]
    unknown = set(only) - {case.program for case in table}
    if unknown:
        sys.exit("no such program: " + " ".join(sorted(unknown)))
    programs = {}
    for case in table:
        case = case.sized(quick)
        if case and (not only or case.program in only):
            programs.setdefault(case.program, []).append(case)
    return programs


def source(suite, runner, program):
    """The path of a program as `runner` has it, or None where it has none of its own."""
    folder = "numpy" if runner == "nacre" else runner
    path = os.path.join(HERE, suite, folder, program + ".py")
    return path if os.path.exists(path) else None


def runners_of(suite, program):
    return [runner for runner in RUNNERS if source(suite, runner, program)]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def composed(suite, runner, program, cases):
    """The text that a process runs: the plain program, which makes the data, then, for a peer, its
    own, which defines `run` again, then the turns."""
    parts = [read(HERE, "head.py"), read(source(suite, "numpy", program))]
    if runner not in ("nacre", "numpy"):
        parts.append(read(source(suite, runner, program)))
    parts.append("\n\nPLACES = %d\nCASES = %r\n\n\n" % (
        PLACES, {case.name: case.given for case in cases}))
    parts.append(read(HERE, "turns.py"))
    return "".join(parts)


def placed(suite, runner, program, cases, folder):
    """The path of that text in `folder`. A file that would stay the same is left alone, so that
    what Numba compiled for it is found again."""
    text = composed(suite, runner, program, cases)
    path = os.path.join(folder, "%s_%s_%s.py" % (suite, program, runner))
    if not os.path.exists(path) or read(path) != text:
        os.makedirs(folder, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return path
