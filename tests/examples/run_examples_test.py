#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Runs every example under Nacre and under CPython with NumPy and SciPy: the output must be the same, and so
must the pictures, pixel by pixel, where matplotlib is there to make them. Those for several ranks print the same on 1, 2
and 3, and share out what their README says they do.

usage: run_examples_test.py NACRE
"""

import difflib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples")
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
TOLERANCE = 1e-9

# Stands in for matplotlib where only NumPy is installed: the figures are still compared.
STUB = "def imsave(fname, arr, **how):\n    open(fname, 'wb').close()\n"


def run(command, folder, env=None):
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit("%s failed:\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


def same_line(a, b):
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
        if x != y and abs(float(x) - float(y)) > TOLERANCE * max(1.0, abs(float(y))):
            return False
    return True


def same_text(ours, theirs):
    a, b = ours.splitlines(), theirs.splitlines()
    return len(a) == len(b) and all(map(same_line, a, b))


def python_env(folder):
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="agg")
    if not importlib.util.find_spec("matplotlib"):
        package = os.path.join(folder, "stub", "matplotlib")
        os.makedirs(package)
        open(os.path.join(package, "__init__.py"), "w").close()
        with open(os.path.join(package, "pyplot.py"), "w") as file:
            file.write(STUB)
        env["PYTHONPATH"] = os.path.dirname(package)
    return env


def check_pictures(ours, theirs):
    names = [name for name in os.listdir(ours) if name.endswith(".png")]
    for name in names:
        with open(os.path.join(ours, name), "rb") as file:
            data = file.read()
        if not (data.startswith(b"\x89PNG\r\n\x1a\n") and data[-8:-4] == b"IEND"):
            sys.exit("%s is no PNG file" % name)
        if not importlib.util.find_spec("matplotlib"):
            continue
        from matplotlib.image import imread
        a, b = imread(os.path.join(ours, name)), imread(os.path.join(theirs, name))
        if a.shape != b.shape or abs(a - b).max() > 1.5 / 255:
            sys.exit("%s differs from matplotlib's" % name)
    return names


def check(nacre, name):
    path = os.path.join(EXAMPLES, name)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")
        os.mkdir(ours)
        os.mkdir(theirs)
        got = run([nacre, path], ours)
        expected = run([sys.executable, path], theirs, python_env(folder))
        if not same_text(got, expected):
            diff = difflib.unified_diff(expected.splitlines(), got.splitlines(), "CPython", "Nacre",
                                        lineterm="")
            sys.exit("%s: the output differs\n%s" % (name, "\n".join(diff)))
        if name == "terrain.ncr" and check_pictures(ours, theirs) != ["terrain.png"]:
            sys.exit("terrain.ncr did not write its picture")


# Examples of which nothing is done whole by every rank; and what rank 1, which lies between two others, may get of arrays,
# in bytes, as the README says: the inner numbers of a row of 256 at least, all of it at most, of each of two neighbours, in
# all steps but the first.
SHARED = {"heat.py": (199 * 2 * 254 * 8, 199 * 2 * 256 * 8), "matmul.py": None, "shallow_water.py": None}


def check_on_ranks(nacre, name):
    """Under CPython, on one rank, and on several with small arrays shared out too."""
    path = os.path.join(EXAMPLES, "ranks", name)
    with tempfile.TemporaryDirectory() as folder:
        expected = run([sys.executable, path], folder, python_env(folder))
        stats = os.path.join(folder, "stats.json")
        for ranks in "1", "2", "3":
            options = ["-n", ranks, "--transport", "loopback", "--split-least", "4K", "--check-ranks", "--stats", stats]
            got = run([nacre, *options, path], folder)
            if not same_text(got, expected):
                diff = difflib.unified_diff(expected.splitlines(), got.splitlines(), "CPython", "%s ranks" % ranks, lineterm="")
                sys.exit("%s: the output differs\n%s" % (name, "\n".join(diff)))
        with open(stats, encoding="utf-8") as file:
            figures = json.load(file)["ranks"]
    if min(one["kernels_shared"] for one in figures) == 0:
        sys.exit("%s: nothing is shared out" % name)
    if name in SHARED and any(one["kernels_gathered"] for one in figures):
        sys.exit("%s: something is done whole by every rank" % name)
    least, most = SHARED.get(name) or (0, float("inf"))
    if not least <= figures[1]["array_bytes_received"] <= most:
        sys.exit("%s: rank 1 gets %d bytes of arrays" % (name, figures[1]["array_bytes_received"]))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    names = sorted(name for name in os.listdir(EXAMPLES) if name.endswith(".ncr"))
    assert {"terrain.ncr", "heat.ncr", "lorenz.ncr"} <= set(names)
    sparse = sorted(name for name in os.listdir(os.path.join(EXAMPLES, "sparse")) if name.endswith(".py"))
    names += [os.path.join("sparse", name) for name in sparse]
    assert len(sparse) >= 6
    for name in names:
        check(os.path.abspath(sys.argv[1]), name)
    on_ranks = sorted(name for name in os.listdir(os.path.join(EXAMPLES, "ranks")) if name.endswith(".py"))
    assert set(SHARED) < set(on_ranks)
    for name in on_ranks:
        check_on_ranks(os.path.abspath(sys.argv[1]), name)
    print("%d examples agree" % (len(names) + len(on_ranks)))


main()
