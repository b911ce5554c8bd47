#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Prints, as JSON, what the examples in the docstrings of an installed library really give: of NumPy, or of the
library that is named.

    record.py [numpy | scipy.sparse]

{"numpy.add": [[source, output], …], …}: output as a prompt shows it, an exception as a traceback of
its first and last line. An example that cannot run here (another package, a name it lacks) is left
out, and so is one that shows where an object lies.
"""

import contextlib
import doctest
import io
import json
import os
import re
import sys
import tempfile
import warnings

import numpy as np


def places(library):
    """[(prefix, a module or class whose names are looked at)]"""
    if library == "numpy":
        return [("numpy", np), ("numpy.linalg", np.linalg), ("numpy.fft", np.fft), ("numpy.random", np.random),
                ("numpy.ndarray", np.ndarray), ("numpy.random.Generator", np.random.Generator)]
    import scipy.sparse as sparse
    modules = [("scipy.sparse", sparse), ("scipy.sparse.linalg", sparse.linalg), ("scipy.sparse.csgraph", sparse.csgraph)]
    return modules + [(f"{prefix}.{name}", getattr(module, name)) for prefix, module in modules
                      for name in sorted(module.__all__) if isinstance(getattr(module, name), type)]


# Examples of random numbers without a seed can give the same twice, or pass, by chance.
DRAWN = re.compile(r"default_rng\(\)|\brandom\.(?!default_rng|seed|RandomState|SeedSequence)\w+\(")
ELSEWHERE = re.compile(r" at 0x[0-9a-f]{6}|ModuleNotFoundError|NameError: name|matplotlib|\bplt\.")


def documented(library):
    """name: docstring, each object once."""
    seen, found = set(), {}
    for prefix, place in places(library):
        for name in sorted(vars(place) if isinstance(place, type) else dir(place)):
            if name.startswith("_"):
                continue
            thing = getattr(place, name)
            text = getattr(thing, "__doc__", None)
            if type(thing).__name__ == "module" or not text or ">>>" not in text or text in seen:
                continue
            if DRAWN.search(text) and "seed(" not in text:
                continue
            seen.add(text)
            found["%s.%s" % (prefix, name)] = text
    return found


def outcome(source, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            exec(compile(source, "<example>", "single"), names)
        except SystemExit:
            return None
        except BaseException as error:
            lines = "".join("%s: %s" % (type(error).__name__, error)).strip()
            return out.getvalue() + "Traceback (most recent call last):\n" + lines.split("\n")[0] + "\n"
    return out.getvalue()


def examples(text):
    names, kept = {"np": np, "__name__": "__main__"}, []
    for example in doctest.DocTestParser().get_examples(text):
        if example.options.get(doctest.SKIP) or example.source.startswith("import matplotlib"):
            continue
        shown = outcome(example.source, names)
        if shown is not None and not ELSEWHERE.search(shown + example.source):
            kept.append([example.source, shown])
    return kept


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else "numpy"
    np.set_printoptions()
    warnings.simplefilter("ignore")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in documented(library).items():
            with np.printoptions():
                kept = examples(text)
            if kept:
                found[name] = kept
        os.chdir("/")
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
