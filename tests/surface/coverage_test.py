#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""docs/coverage.md: every public name of the installed NumPy, whether Nacre has it, how it is built, and how many of
the examples in its docstring pass.

    coverage_test.py NACRE             fails if the page is another one: a name that it says is there has gone, or
                                       one that it calls missing has come
    coverage_test.py NACRE --update    writes the page
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "coverage.md")
sys.path.insert(0, os.path.join(ROOT, "tests", "conformance"))
import conformance_test  # noqa: E402

# Where the names are, and an object that has them.
PLACES = (
    ("numpy", "np"), ("numpy.linalg", "np.linalg"), ("numpy.fft", "np.fft"), ("numpy.random", "np.random"),
    ("numpy.random.Generator", "np.random.default_rng(1)"), ("numpy.random.RandomState", "np.random.RandomState(1)"),
    ("numpy.ndarray", "np.zeros((2, 2))"), ("numpy.generic", "np.float64(1)"), ("numpy.dtype", "np.dtype('f8')"),
    ("numpy.ufunc", "np.add"), ("numpy.polynomial", "np.polynomial"), ("numpy.lib", "np.lib"),
    ("numpy.lib.stride_tricks", "np.lib.stride_tricks"), ("numpy.testing", "np.testing"), ("numpy.emath", "np.emath"),
    ("numpy.exceptions", "np.exceptions"),
)
PROBE = """import numpy as np


def how(value):
    kind = type(value).__name__
    if kind == "ufunc":
        return "operation"
    if kind == "module":
        return "module"
    if isinstance(value, type) and kind == "type":
        module = value.__module__
        return "class" if module in ("builtins", "numpy") or not module.startswith("numpy.") else "`" + file_of(module) + "`"
    if kind in ("function", "method"):
        return "`" + file_of(value.__module__) + "`"
    if kind in ("builtin_function_or_method", "method_descriptor"):
        return "engine"
    module = getattr(type(value), "__module__", "")
    return "`" + file_of(module) + "`" if module.startswith("numpy.") else "value"


def file_of(module):
    return module.replace("numpy.", "") if module else "prelude"


def probe(place, thing, name):
    try:
        value = getattr(thing, name)
    except AttributeError as e:
        return print(place, name, "missing", str(e).replace("\\n", " "), sep="\\t")
    print(place, name, "there", how(value), sep="\\t")


"""


def names_of(text):
    return [name for name in sorted(dir(eval(text))) if not name.startswith("_")]


def probed(nacre):
    """[(place, name, "there" or "missing", how or why)]"""
    lines = [PROBE]
    for place, text in PLACES:
        lines.append("try:\n    thing = %s\nexcept AttributeError:\n    thing = None" % text)
        lines += ["probe(%r, thing, %r)" % (place, name) for name in names_of(text)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.ncr")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        done = subprocess.run([nacre, "run", path], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def refusal(message):
    """The reason in an AttributeError's words; None: there is none."""
    _, colon, reason = message.partition(": ")
    if colon and "has no attribute" in message:
        return reason
    return message if "was removed" in message or "has no attribute" not in message else None


def page(rows, examples, passing):
    out = ["# What there is of NumPy", "",
           "Every public name of NumPy %s, made by `tests/surface/coverage_test.py` from what the program says. How: "
           "*operation*, a row of the table of array operations; *engine*, a function in C that records them; a file of "
           "`stdlib/numpy/`, in the language. Examples: how many of those in NumPy's docstring pass, of how many that give "
           "the same each time." % np.__version__, ""]
    for place, text in PLACES:
        mine = [row for row in rows if row[0] == place]
        there = sum(row[2] == "there" for row in mine)
        out += ["## %s" % place, "", "%d of %d names; %d are refused." % (there, len(mine), len(mine) - there), "",
                "| name | how | examples |", "|---|---|---|"]
        for _, name, status, words in mine:
            full = "%s.%s" % (place, name)
            shown = "%d of %d" % (passing.get(full, 0), len(examples[full])) if full in examples else ""
            how = words if status == "there" else "refused: %s" % (refusal(words) or "MISSING")
            out.append("| `%s` | %s | %s |" % (name, how.replace("|", "\\|"), shown))
        out.append("")
    total, good = sum(map(len, examples.values())), sum(passing.values())
    out.insert(3, "%d names, of which %d are there and %d missing; %d of %d examples pass (%.1f %%).\n" % (
        len(rows), sum(row[2] == "there" for row in rows),
        sum(row[2] == "missing" and refusal(row[3]) is None for row in rows), good, total, 100 * good / total))
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    rows = probed(os.path.abspath(options.nacre))
    missing = ["%s.%s" % row[:2] for row in rows if row[2] == "missing" and refusal(row[3]) is None]
    made = page(rows, conformance_test.recorded(), conformance_test.read_passing())
    current = True
    if options.update:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
    else:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != made:
                print("docs/coverage.md is another page than the one made now: run with --update")
                current = False
    print("%d names, %d of them neither there nor refused: %s" % (len(rows), len(missing), " ".join(missing)))
    return not current


if __name__ == "__main__":
    sys.exit(main())
