#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The notebooks of examples/notebooks run to their end, draw what they draw, and print what they print under CPython's
kernel: notebooks.txt, which `--record` writes where ipykernel, NumPy and matplotlib are installed.

usage: notebooks_test.py NACRE [--record]
"""

import glob
import os
import re
import sys

import client

try:
    import nbformat
    from nbclient import NotebookClient
except ImportError:
    print("nbclient is not installed")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
NOTEBOOKS = sorted(glob.glob(os.path.join(HERE, "..", "..", "examples", "notebooks", "*.ipynb")))
RECORD = os.path.join(HERE, "notebooks.txt")
OWN = re.compile(r"%(explain|profile|graph)")  # magic words that IPython has not
TIMES = re.compile(r"^(CPU times|Wall time): .*\n", re.M)


def shown(output):
    """One output as lines: what is printed and what a value's text is, but no times; only the kind of a picture."""
    if output.output_type == "stream":
        return TIMES.sub("", output.text)
    data = output.get("data", {})
    if "image/png" in data:
        return "<a picture>\n"
    return data.get("text/plain", output.output_type) + "\n"


def executed(path, kernel):
    """The notebook's outputs as text, and its pictures."""
    notebook = nbformat.read(path, as_version=4)
    own = [number for number, cell in enumerate(notebook.cells) if OWN.search(cell.source)]
    if kernel != "nacre":
        for number in own:
            notebook.cells[number].source = ""
    NotebookClient(notebook, timeout=600, kernel_name=kernel, resources={"metadata": {"path": client.FOLDER}}).execute()
    text, pictures = [], []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or number in own:
            continue
        text.append("# %s, cell %d\n" % (os.path.basename(path), number))
        for output in cell.outputs:
            text.append(shown(output))
            if "image/png" in output.get("data", {}):
                pictures.append(output.data["image/png"])
    return "".join(text), pictures


def main():
    record = "--record" in sys.argv
    found, failures = [], 0
    for path in NOTEBOOKS:
        text, pictures = executed(path, "python3" if record else "nacre")
        found.append(text)
        if not pictures:
            print("%s has no picture" % os.path.basename(path))
            failures += 1
    found = "".join(found)
    if record:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write(found)
        return 0
    with open(RECORD, encoding="utf-8") as file:
        wanted = file.read()
    if found != wanted:
        import difflib
        print("".join(difflib.unified_diff(wanted.splitlines(True), found.splitlines(True), "CPython's kernel", "Nacre's")))
        failures += 1
    return failures


if __name__ == "__main__":
    sys.exit(main())
