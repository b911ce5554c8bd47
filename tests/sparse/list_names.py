#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Writes the tables of SciPy's public names for sparse arrays: parity.tsv, a name in a line, with "here" or "missing" for
Nacre; and examples.tsv, of the names whose docstrings have examples: how many there are, and how many of them Nacre
passes. And docs/scipy.md, which counts both. To be run, with SciPy, after names were added:

    list_names.py PATH-OF-NACRE
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "parity.tsv")
EXAMPLES = os.path.join(HERE, "examples.tsv")
PAGE = os.path.join(ROOT, "docs", "scipy.md")
MODULES = ["scipy.sparse", "scipy.sparse.csgraph", "scipy.sparse.linalg"]
# Classes whose methods and attributes count, by the place they are found in.
CLASSES = {"scipy.sparse": [f"{format}_{kind}" for format in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
                            for kind in ("array", "matrix")],
           "scipy.sparse.linalg": ["LinearOperator", "LaplacianNd", "SuperLU"]}

# Asks of each name whether there is such a thing. A class's attributes are looked up on an instance, if there is one.
PROBE = """
import importlib, warnings
warnings.simplefilter("ignore")
def instance_of(cls, name):
    try:
        return cls((3, 3)) if name.endswith(("_array", "_matrix")) else cls
    except Exception:
        return cls
found = {}
for line in open(NAMES).read().split("\\n"):
    parts = line.split(":")
    if len(parts) < 2:
        continue
    try:
        thing = importlib.import_module(parts[0])
        for name in parts[1:]:
            key = parts[0] + ":" + name
            if len(parts) == 3 and name == parts[1]:
                if key not in found:
                    found[key] = instance_of(getattr(thing, name), name)
                thing = found[key]
            else:
                thing = getattr(thing, name)
        there = True
    except Exception:
        there = False
    print(line + "\\t" + ("here" if there else "missing"))
"""


def public_names():
    """Every name as MODULE:NAME or MODULE:CLASS:NAME, as SciPy has them."""
    import importlib
    import warnings
    warnings.simplefilter("ignore")
    names = []
    for path in MODULES:
        module = importlib.import_module(path)
        names += [f"{path}:{name}" for name in sorted(module.__all__)]
        for cls in CLASSES.get(path, []):
            thing = getattr(module, cls)
            example = thing((3, 3)) if cls.endswith(("_array", "_matrix")) else thing
            names += [f"{path}:{cls}:{name}" for name in sorted(dir(example)) if not name.startswith("_")]
    return names


def state_of(nacre, names):
    """The lines of the table, as this build has them."""
    with tempfile.TemporaryDirectory() as folder:
        listed, script = os.path.join(folder, "names"), os.path.join(folder, "probe.ncr")
        with open(listed, "w") as file:
            file.write("\n".join(names))
        with open(script, "w") as file:
            file.write(PROBE.replace("NAMES", repr(listed)))
        done = subprocess.run([nacre, script], capture_output=True, text=True, timeout=100)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.splitlines()


def examples_of(nacre):
    """The lines of the other table, as this build has them, and what `nacre doctest` says of those that fail."""
    sys.path.insert(0, os.path.join(ROOT, "tests", "conformance"))
    import conformance_test
    names = conformance_test.recorded("scipy.sparse")
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(names, pool.map(lambda name: conformance_test.checked(nacre, name, names[name]), names)))
    lines = [f"{name}\t{len(names[name])}\t{max(results[name][0], 0)}" for name in sorted(names)]
    return lines, {name: said for name, (count, said) in results.items() if count < len(names[name])}


def example_rows(examples):
    """Rows of a table: of each module the docstrings, their examples, and those that pass."""
    counts = {}
    for line in examples:
        name, total, passed = line.split("\t")
        module = max((m for m in MODULES if name.startswith(m + ".")), key=len)
        count = counts.setdefault(module, [0, 0, 0])
        for i, more in enumerate((1, int(total), int(passed))):
            count[i] += more
    return [f"| {module} | {n} | {total} | {passed} ({100 * passed / total:.1f} %) |" for module, (n, total, passed) in
            sorted(counts.items())]


def page_of(lines, examples):
    """The text of docs/scipy.md."""
    rows, here = [], sum(line.endswith("\there") for line in lines)
    groups = {}
    for line in lines:
        name, state = line.split("\t")
        parts = name.split(":")
        group = "functions and classes of " + parts[0] if len(parts) == 2 else f"{parts[0]}.{parts[1]}"
        groups.setdefault(group, []).append((parts[-1], state))
    for group, members in groups.items():
        missing = [name for name, state in members if state == "missing"]
        words = ", ".join(f"`{name}`" for name in missing)
        rows.append(f"| {group} | {len(members) - len(missing)} of {len(members)} | {words} |")
    percent = 100 * here / len(lines)
    return f"""# SciPy

Nacre has `scipy.sparse` with `csgraph` and `linalg`, `scipy.io` for Matrix Market files, and parts of `scipy.integrate`.
Of the {len(lines)} public names of `scipy.sparse` in SciPy 1.17.1, methods of its classes among them, **{here} are there
({percent:.1f} %)**. That a name is there does not say that every argument is; what is refused says so.

This page is written by `tests/sparse/list_names.py` from `tests/sparse/parity.tsv`, and `tests/sparse/parity_test.py`
checks both. The modules that SciPy keeps for old programs (`scipy.sparse.base`, `.csr` and their like) are among the
missing.

| place | there | missing |
|---|---|---|
""" + "\n".join(rows) + """

## Examples

What the examples in SciPy's docstrings give under CPython is what they should give in Nacre; numbers may differ by 1e-6. Those
that give something else each time are left out. What fails mostly needs modules that are not there (`scipy.linalg`,
`scipy.stats`, `scipy.optimize`), or shows factors of SuperLU. `tests/sparse/examples_test.py` fails if one less passes
(`tests/sparse/examples.tsv`).

| module | docstrings | examples | pass |
|---|---|---|---|
""" + "\n".join(example_rows(examples)) + "\n"


def main():
    nacre = os.path.abspath(sys.argv[1])
    lines, examples = state_of(nacre, public_names()), examples_of(nacre)[0]
    for path, table in ((TABLE, lines), (EXAMPLES, examples)):
        with open(path, "w") as file:
            file.write("\n".join(table) + "\n")
    with open(PAGE, "w") as file:
        file.write(page_of(lines, examples))


if __name__ == "__main__":
    main()
