# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What tests with random sparse programs share: how a program tells what a result is, and how what Nacre and SciPy
tell is compared. Modes are chosen by the environment (NACRE_TIER, NACRE_BACKEND, NACRE_STRESS)."""

import math
import os
import re
import subprocess
import sys
import tempfile

TOLD = """import warnings
import numpy as np
import scipy.sparse as sp
warnings.simplefilter("ignore")

def values(x):
    return [[p.real, p.imag] for p in x.ravel().tolist()] if x.dtype.kind == "c" else x.ravel().tolist()

def told(r):
    if sp.issparse(r):
        return ("sparse", type(r).__name__, r.format, str(r.dtype), tuple(int(n) for n in r.shape),
                values(r.toarray()))
    if isinstance(r, (np.ndarray, np.generic)):
        r = np.asarray(r)
        return ("dense", str(r.dtype), r.shape, values(r))
    if isinstance(r, tuple):
        return tuple(told(x) for x in r)
    return (type(r).__name__, r)
"""

NUMBER = re.compile(r"(?<![\w'])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w'])")
TIME_LIMIT = 900  # seconds for all programs


def same(got, want, of_largest=False):
    """Whether two lines are equal but for roundings; these are measured by the largest of the numbers, if so asked."""
    if NUMBER.sub("#", got) != NUMBER.sub("#", want):
        return False
    numbers = [(float(a), float(b)) for a, b in zip(NUMBER.findall(got), NUMBER.findall(want))]
    tolerance = 1e-5 if "float32" in want or "complex64" in want else 1e-11
    largest = max((abs(y) for _, y in numbers if math.isfinite(y)), default=0.0)
    allowed = tolerance * max(largest, 1.0) if of_largest else tolerance
    return all(x == y or math.isclose(x, y, rel_tol=tolerance, abs_tol=allowed) or (x != x and y != y) for x, y in numbers)


def answers(command, script, more=None):
    """{number of a program: the lines that it told}, and the process. `more`: for its environment."""
    done = subprocess.run([*command, script], capture_output=True, text=True, timeout=TIME_LIMIT,
                          env=dict({"NACRE_THREADS": "2"}, **dict(os.environ, **(more or {}))))
    lines = {}
    for line in done.stdout.splitlines():
        number, _, rest = line.partition(" ")
        lines.setdefault(int(number), []).append(rest)
    return {number: "\n".join(told) for number, told in lines.items()}, done


def all_answers(nacre, text, environments=({},)):
    """What SciPy tells of these programs; and for each of these environments what Nacre tells, and its process."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "programs.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(text)
        want, _ = answers([sys.executable, "-W", "ignore"], script)
        return want, [answers([os.path.abspath(nacre)], script, more) for more in environments]
