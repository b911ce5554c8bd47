#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Scripts of matplotlib's gallery, unchanged: which of them run.

    gallery.py [--nacre NACRE] [--beside NAME…] EXAMPLES

EXAMPLES is `galleries/examples` of matplotlib's sources (pip download --no-deps --no-binary matplotlib matplotlib==3.11.2).
Writes the first table of bench/results/gallery.md to the standard output, then what others say. With --beside the scripts
named run under build/pictures-venv's CPython, too, and build/gallery/index.html shows the first figure of both.
"""

import argparse
import ast
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("lines_bars_and_markers", "scales", "ticks", "subplots_axes_and_figures", "images_contours_and_fields", "statistics",
           "pie_and_polar_charts", "color", "text_labels_and_annotations", "shapes_and_collections", "mplot3d", "pyplots",
           "style_sheets", "misc", "spines", "specialty_plots")
ALLOWED = set(sys.stdlib_module_names) | {"matplotlib", "mpl_toolkits", "numpy", "cycler"}
# Data files, events, windows, TeX, parts of matplotlib that are other packages' business.
NOT_MEANT = re.compile(r"get_sample_data|mpl_connect|usetex *= *True|text\.usetex|backend_bases|widgets|axes_grid1|axisartist|"
                       r"plt\.ginput|waitforbuttonpress|PdfPages|backend_pgf|backend_tools|mpl\.use\(|toolmanager")
BEHIND = """
import matplotlib.pyplot as _plt
_plt.figure(min(_plt.get_fignums(), default=1)).savefig('first.png', dpi=100)
"""
SECONDS = 60


def imports_of(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


def chosen(examples, folder):
    there = os.path.join(examples, folder)
    for name in sorted(os.listdir(there)) if os.path.isdir(there) else ():
        if name.endswith(".py"):
            with open(os.path.join(there, name), encoding="utf-8") as file:
                text = file.read()
            if set(imports_of(text)) <= ALLOWED and not NOT_MEANT.search(text):
                yield name


def run(program, script, folder):
    """The exit status of a script, and the last line of what it says."""
    os.makedirs(folder, exist_ok=True)
    try:
        done = subprocess.run([program, script], cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS,
                              env={**os.environ, "MPLBACKEND": "agg"})
    except subprocess.TimeoutExpired:
        return 124, "takes more than %d s" % SECONDS
    return done.returncode, (done.stderr.strip().splitlines() or [""])[-1]


def pair(options, name):
    """The first figure of a script as both draw it, as a row of a page."""
    with open(os.path.join(options.examples, name), encoding="utf-8") as file:
        text = re.sub(r"^( *)plt\.show\(\)", r"\1pass", file.read(), flags=re.M) + BEHIND
    row = "<h2>%s</h2>" % name
    for who, program in (("matplotlib", options.python), ("nacre", options.nacre)):
        folder = os.path.join(options.folder, name[:-3], who)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "script.py"), "w", encoding="utf-8") as file:
            file.write(text)
        status, said = run(program, "script.py", folder)
        print(name, who, status, said)
        row += "<img width='640' src='%s/%s/first.png'> " % (name[:-3], who)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nacre", default=os.path.join(ROOT, "build/release/bin/nacre"))
    parser.add_argument("--python", default=os.path.join(ROOT, "build/pictures-venv/bin/python"))
    parser.add_argument("--beside", nargs="*", metavar="NAME", default=())
    parser.add_argument("examples")
    options = parser.parse_args()
    options.examples = os.path.abspath(options.examples)
    options.folder = os.path.join(ROOT, "build", "gallery")
    if options.beside:
        rows = [pair(options, name) for name in options.beside]
        with open(os.path.join(options.folder, "index.html"), "w", encoding="utf-8") as file:
            file.write("<!doctype html><meta charset='utf-8'><title>The gallery</title><p>Left matplotlib, right Nacre.</p>"
                       + "\n".join(rows))
        return
    total, passed, failed = 0, 0, []
    print("| folder | scripts | run |\n|---|---:|---:|")
    for folder in FOLDERS:
        names, good = list(chosen(options.examples, folder)), 0
        for name in names:
            status, said = run(options.nacre, os.path.join(options.examples, folder, name),
                               os.path.join(options.folder, folder, name[:-3]))
            good += status == 0
            if status:
                failed.append("%s/%s: %s" % (folder, name, said))
        total, passed = total + len(names), passed + good
        print("| %s | %d | %d |" % (folder, len(names), good), flush=True)
    print("| all | %d | %d |\n" % (total, passed))
    print("\n".join(failed))


main()
