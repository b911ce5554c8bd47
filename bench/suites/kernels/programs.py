# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Who runs the kernels of tests/kernels, and how. Nacre and CPython run a kernel as it stands;
Numba and Pythran compile that text; `numba/NAME.py` has functions that take the place of the
kernel's own, with loops for Numba; bench/c/NAME.c is the same in C."""

import ast
import json
import os
import re
import subprocess

import measure
from case import HERE, framed, read
from page import ABOUT, page  # noqa: F401: for the suite
from process import environment

RUNNERS = {"nacre": "Nacre", "numpy": "NumPy", "numba": "Numba", "numba_parallel": "Numba parallel",
           "numba_loops": "Numba loops", "pythran": "Pythran", "c": "C"}
MODULES = ("numpy", "numba", "pythran", "scipy")
SETTINGS = {"numpy": "numpy", "numba": "numba_modes", "pythran": "pythran", "c": "c"}
PLACES = 1000  # elements of each result that are compared, beside the sums
WARM = 1.0     # seconds of warming up, for each
KERNELS = os.path.join(measure.ROOT, "tests", "kernels")
REPORT = '\nif __name__ == "__main__":\n'  # what follows prints results
OWN = os.path.join(HERE, "kernels")

# Behind a kernel's text: arrays that it writes into are given back what they held before each call.
# Everybody works on the same arrays all the time, so no call pays for fresh memory.
BEHIND = '''

data = initialize
CHANGED = {changed}
before = {{}}
run = {run}


def prepared(*given):
    global before
    before = {{at: np.copy(given[at]) for at in CHANGED}}
    {making}return given


def refresh():
    for at in before:
        given[at][...] = before[at]
'''
IMPORTING = "\nimport sys\nsys.path += {paths!r}\nimport {module}\n"
NOTES = "\n\ndef notes():\n    return run.floor()\n"
MAKING = "global run\n    run = {module}.{call}\n    "


def kernel_text(program):
    """A kernel without what prints results."""
    text, found, _ = read(KERNELS, program + ".ncr").partition(REPORT)
    if not found:
        raise ValueError(program + ": no line `if __name__ == ...`")
    return text


def tolerance(program, otherwise=1e-12):
    """How far results may differ: what the kernel's own test allows."""
    found = re.search(r"^# rtol: (\S+)", read(KERNELS, program + ".ncr"), re.M)
    return float(found.group(1)) if found else otherwise


def parameters(program):
    """Names of the kernel's parameters."""
    for node in ast.parse(kernel_text(program)).body:
        if isinstance(node, ast.FunctionDef) and node.name == program:
            return [argument.arg for argument in node.args.args]
    raise ValueError(program + ": no function of that name")


def lines_of(program):
    """The first and the last line of the kernel in the text that nacre runs."""
    before = read(HERE, "head.py").count("\n")
    return before + 1, before + kernel_text(program).count("\n") + 1


def numba_loops(program):
    return os.path.join(OWN, "numba", program + ".py")


def source_in_c(program):
    return os.path.join(measure.ROOT, "bench", "c", program + ".c")


def runners_of(program):
    present = {"numba_loops": os.path.exists(numba_loops(program)),
               "c": os.path.exists(source_in_c(program))}
    return [runner for runner in RUNNERS if present.get(runner, True)]


def made_by(runner, program):
    """The module that makes `run` for a runner, and how; (None, None) where it is the kernel."""
    if runner.startswith("numba"):
        # Loops in one thread are not for the mode that makes threads of whole-array operations.
        parallel = "prange" in read(numba_loops(program)) if runner == "numba_loops" else (
            runner == "numba_parallel")
        return "peer_numba", "jitted(globals(), %r, %r)" % (program, parallel)
    if runner == "pythran":
        return "peer_pythran", "compiled(%r, given)" % program
    if runner == "c":
        return "peer_c", "compiled(%r, given)" % program
    return None, None


def composed(runner, program, cases):
    names = parameters(program)
    changed = tuple(names.index(name) for name in cases[0].changed)
    module, call = made_by(runner, program)
    text = kernel_text(program)
    if runner == "numba_loops":
        text += "\n\n" + read(numba_loops(program))
    if runner == "c":
        text += NOTES
    if module:
        text += IMPORTING.format(paths=[OWN, HERE, os.path.dirname(HERE)], module=module)
    text += BEHIND.format(changed=changed, run=program,
                          making=MAKING.format(module=module, call=call) if module else "")
    return framed(text, cases, PLACES)


def beside(options):
    """What the machine can do, if there are kernels in C to hold it against."""
    if options.peers and "c" not in options.peers:
        return {}
    said = subprocess.run([options.python, "-c", "import json, peer_c\n"
                           "print(json.dumps(peer_c.rates()))"], cwd=OWN, capture_output=True,
                          text=True, check=True,
                          env={**environment(options.threads), "OMP_WAIT_POLICY": "passive"})
    found = json.loads(said.stdout)
    return {"rates": {**found, "triad": {int(k): v for k, v in found["triad"].items()}}}
