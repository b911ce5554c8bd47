#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""nacre build --exe: a program prints what its script does, wherever it lies and without the script's files;
with the same errors and exit status.

usage: program_test.py NACRE
"""

import os
import shutil
import subprocess
import sys
import tempfile

FILES = {
    "main.py": """
import sys
import numpy as np
import other
from pkg import sub

def late():
    from pkg.deep import z
    import third
    return z + third.w

print(sys.argv[1:], other.g(1), sub.f(), late(), np.arange(3) * 2, __name__, input())
if sys.argv[1:] == ['exit']:
    sys.exit(5)
if sys.argv[1:] == ['text']:
    sys.exit('leaving')
if sys.argv[1:] == ['fail']:
    other.fail()
if sys.argv[1:] == ['absent']:
    import absent
""",
    "other.ncr": "from pkg import x\n\ndef g(n):\n    return x + n\n\ndef fail():\n    raise KeyError('of other')\n",
    "third.py": "w = 100\n",
    "pkg/__init__.py": "x = 5\n",
    "pkg/sub.py": "def f():\n    return 7\n",
    "pkg/deep.py": "z = 9\n",
}
NEVER = {"unused.py": "this is no program\n"}
ARGUMENTS = [(), ("a", "--threads"), ("exit",), ("text",), ("fail",), ("absent",)]


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def run(*words, **more):
    done = subprocess.run(words, input="a line\n", capture_output=True, text=True, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr


def check_program(nacre, folder):
    source, elsewhere = os.path.join(folder, "source"), os.path.join(folder, "elsewhere")
    write(source, {**FILES, **NEVER})
    os.mkdir(elsewhere)
    program = os.path.join(elsewhere, "program")
    main = os.path.join(source, "main.py")
    answers = {words: run(nacre, main, *words) for words in ARGUMENTS}
    built = run(nacre, "build", "--exe", main, "-o", program)
    wrong = [] if built == (0, "", "") else ["building: %r" % (built,)]
    shutil.rmtree(source)
    for words, want in answers.items():
        got = run(program, *words, cwd=elsewhere)
        if got != want:
            wrong.append("%s: %r\n  and not %r" % (words, got, want))
    if os.listdir(elsewhere) != ["program"]:
        wrong.append("files are left: %s" % os.listdir(elsewhere))
    stats = os.path.join(folder, "stats.json")
    run(program, env=dict(os.environ, NACRE_STATS=stats))
    return wrong if os.path.exists(stats) else wrong + ["no options from the environment"]


def check_errors(nacre, folder):
    write(folder, {"bad.py": "import worse\n", "worse.py": "x = (\n"})
    program = os.path.join(folder, "program")
    cases = [(os.path.join(folder, "nothing.py"), "FileNotFoundError"), (os.path.join(folder, "bad.py"), "SyntaxError")]
    wrong = []
    for path, told in cases:
        status, _, errors = run(nacre, "build", "--exe", path, "-o", program)
        if status != 1 or told not in errors or os.path.exists(program):
            wrong.append("%s: %d, %r" % (path, status, errors))
    return wrong


def check_damage(nacre, folder):
    """A program whose end is gone is what it was copied from; one that says nonsense of itself says so."""
    write(folder, {"main.py": "print(1)\n"})
    program = os.path.join(folder, "program")
    run(nacre, "build", "--exe", os.path.join(folder, "main.py"), "-o", program)
    with open(program, "r+b") as file:
        file.seek(-24, os.SEEK_END)
        file.write(b"\xff" * 8)
    status, output, errors = run(program)
    return [] if (status, output) == (1, "") and "cannot read itself" in errors else [repr((status, output, errors))]


def main():
    nacre = os.path.abspath(sys.argv[1])
    wrong = []
    for check in (check_program, check_errors, check_damage):
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(nacre, folder)
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
