#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The scripts of this folder under matplotlib itself, and pictures of both beside each other.

    matplotlib_test.py NACRE            needs a Python with matplotlib; without one it is skipped
    matplotlib_test.py NACRE --update   writes what matplotlib prints into the scripts, as what is expected

The Python is NACRE_MATPLOTLIB, or build/pictures-venv/bin/python (python3 -m venv build/pictures-venv;
build/pictures-venv/bin/pip install matplotlib). Each script of drawn/ saves a picture under the name that is its argument.
The two are alike if, blurred by one pixel, hardly any pixel differs; so are the pictures of kinds.py, one of each kind of
plot, whose limits, ticks and labels must be the same besides. build/pictures/index.html has all pairs side by side.
"""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77
VERSION = "3.11."  # whose looks and words these are
FAR, SHARE = 40, 0.0007  # a pixel that differs by more counts, and so many of them may
FOLDER = os.path.join(ROOT, "build", "pictures")
# Where more is known to differ: places of labels on contours, which corners of an inset are connected, parts of formulas by
# less than a pixel, shadows, edges of thin triangles and of arrow heads.
SHARES = {"contour": 0.01, "insets": 0.005, "texts": 0.004, "pie": 0.004, "streamplot": 0.002, "words": 0.002, "triangles": 0.002,
          "hist": 0.001, "samples": 0.001}
failures = []


def python_with_matplotlib():
    for python in (os.environ.get("NACRE_MATPLOTLIB"), os.path.join(ROOT, "build/pictures-venv/bin/python")):
        if python and os.path.exists(python):
            done = subprocess.run([python, "-c", "import matplotlib, PIL; print(matplotlib.__version__)"],
                                  capture_output=True, text=True)
            if done.returncode == 0 and done.stdout.startswith(VERSION):
                return python
    print("no Python with matplotlib %s" % VERSION)
    sys.exit(SKIPPED)


def output(program, script, *arguments):
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([program, script, *arguments], capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode:
        failures.append("%s of %s: %s" % (os.path.basename(script), os.path.basename(program), done.stderr[-600:]))
    return done.stdout


def expected_in(text):
    return [line[len("# expect: "):].rstrip() for line in text.splitlines() if line.startswith("# expect: ")]


def check_scripts(python, update):
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".ncr") or name.startswith("canvas"):
            continue
        path = os.path.join(HERE, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = [line.rstrip() for line in output(python, path).splitlines()]
        if update:
            body = "".join(line + "\n" for line in text.splitlines() if not line.startswith("# expect: "))
            with open(path, "w", encoding="utf-8") as file:
                file.write(body.rstrip("\n") + "\n" + "".join("# expect: %s\n" % line for line in lines))
        elif lines != expected_in(text):
            failures.append("%s: matplotlib prints something else than what is expected" % name)


def difference(python, first, second):
    """The share of pixels that differ, after a blur."""
    code = ("import sys; import numpy as np; from PIL import Image, ImageFilter\n"
            "a, b = (Image.open(n).convert('RGB') for n in sys.argv[1:])\n"
            "assert a.size == b.size, (a.size, b.size)\n"
            "a, b = (np.asarray(i.filter(ImageFilter.GaussianBlur(1)), int) for i in (a, b))\n"
            "print((np.abs(a - b).max(axis=2) > %d).mean())" % FAR)
    done = subprocess.run([python, "-c", code, first, second], capture_output=True, text=True)
    return float(done.stdout) if done.returncode == 0 else 1.0


def compare(python, title, pair, most):
    """A row of the page."""
    share = difference(python, *pair) if all(map(os.path.exists, pair)) else 1.0
    if share > most:
        failures.append("%s: %.3f %% of the pixels differ" % (title, 100 * share))
    print("%s: %.3f %%" % (title, 100 * share))
    sources = [os.path.relpath(path, FOLDER) for path in pair]
    return "<h2 id='%s'>%s: %.3f %%</h2><img src='%s'> <img src='%s'>" % (title, title, 100 * share, *sources)


def check_kinds(nacre, python):
    """Every kind of plot: limits, ticks and labels line by line, and the pictures."""
    folders, texts = {}, {}
    for who, program in (("matplotlib", python), ("nacre", nacre)):
        folders[who] = os.path.join(FOLDER, "kinds_" + who)
        shutil.rmtree(folders[who], ignore_errors=True)
        os.makedirs(folders[who])
        texts[who] = output(program, os.path.join(HERE, "kinds.py"), folders[who]).splitlines()
    names = list(dict.fromkeys(line.split()[0] for line in texts["matplotlib"]))
    for name in names:
        ours, theirs = ([line for line in texts[who] if line.split()[0] == name] for who in ("nacre", "matplotlib"))
        failures.extend("matplotlib: %s\nNacre:      %s" % pair for pair in zip(theirs, ours) if pair[0] != pair[1])
        if len(ours) != len(theirs):
            failures.append("%s: %d lines, not %d" % (name, len(ours), len(theirs)))
    return [compare(python, name, [os.path.join(folders[who], name + ".png") for who in ("matplotlib", "nacre")],
                    SHARES.get(name, SHARE)) for name in names]


def check_pictures(nacre, python):
    rows = []
    for name in sorted(os.listdir(os.path.join(HERE, "drawn"))):
        script = os.path.join(HERE, "drawn", name)
        stem = os.path.splitext(name)[0]
        pair = [os.path.join(FOLDER, "%s_%s.png" % (stem, who)) for who in ("matplotlib", "nacre")]
        for path in pair:
            if os.path.exists(path):
                os.remove(path)
        output(python, script, pair[0])
        output(nacre, script, pair[1])
        rows.append(compare(python, stem, pair, SHARES.get(stem, SHARE)))
    return rows


def write_page(rows):
    with open(os.path.join(FOLDER, "index.html"), "w", encoding="utf-8") as file:
        file.write("<!doctype html><meta charset='utf-8'><title>matplotlib and Nacre</title>\n"
                   "<p>Left matplotlib, right Nacre; how many pixels differ after a blur of one pixel.</p>\n" + "\n".join(rows))


def main():
    nacre = sys.argv[1]
    python = python_with_matplotlib()
    update = "--update" in sys.argv
    check_scripts(python, update)
    if not update:
        os.makedirs(FOLDER, exist_ok=True)
        write_page(check_kinds(nacre, python) + check_pictures(nacre, python))
    for failure in failures:
        print(failure)
    sys.exit(failures != [])


main()
