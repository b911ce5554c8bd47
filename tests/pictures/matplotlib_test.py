#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The scripts of this folder under matplotlib itself, and pictures of both beside each other.

    matplotlib_test.py NACRE            needs a Python with matplotlib; without one it is skipped
    matplotlib_test.py NACRE --update   writes what matplotlib prints into the scripts, as what is expected

The Python is NACRE_MATPLOTLIB, or build/pictures-venv/bin/python (python3 -m venv build/pictures-venv;
build/pictures-venv/bin/pip install matplotlib). Each script of drawn/ saves a picture under the name that is its argument.
The two are alike if, blurred by one pixel, hardly any pixel differs; pairs lie in build/pictures, with a page of them.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77
VERSION = "3.11."  # whose looks and words these are
FAR, SHARE = 40, 0.004  # a pixel that differs by more counts, and so many of them may
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


def check_pictures(nacre, python):
    folder = os.path.join(ROOT, "build", "pictures")
    os.makedirs(folder, exist_ok=True)
    rows = []
    for name in sorted(os.listdir(os.path.join(HERE, "drawn"))):
        script = os.path.join(HERE, "drawn", name)
        stem = os.path.splitext(name)[0]
        pair = [os.path.join(folder, "%s_%s.png" % (stem, who)) for who in ("matplotlib", "nacre")]
        for path in pair:
            if os.path.exists(path):
                os.remove(path)
        output(python, script, pair[0])
        output(nacre, script, pair[1])
        share = difference(python, *pair) if all(map(os.path.exists, pair)) else 1.0
        if share > SHARE:
            failures.append("%s: %.3f %% of the pixels differ" % (name, 100 * share))
        rows.append("<h2>%s: %.3f %%</h2><img src='%s'><img src='%s'>" % (stem, 100 * share, *map(os.path.basename, pair)))
        print("%s: %.3f %%" % (stem, 100 * share))
    with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
        file.write("<!doctype html><title>matplotlib and Nacre</title>" + "\n".join(rows))


def main():
    nacre = sys.argv[1]
    python = python_with_matplotlib()
    update = "--update" in sys.argv
    check_scripts(python, update)
    if not update:
        check_pictures(nacre, python)
    for failure in failures:
        print(failure)
    sys.exit(failures != [])


main()
