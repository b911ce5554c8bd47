#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What `nacre build` refuses: each function of refused.py with file, line, carets and reason, and nothing
is written; and wrong ways to call it.

usage: refused_test.py NACRE
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REPORT = re.compile(r'  File "(.*)", line (\d+), in (\w+)\n    (.*)\n    ( *\^+)\nBuildError: (.*)\n')
WANTED = re.compile(r"  # BuildError: (.*)")


def build(nacre, *words):
    done = subprocess.run([nacre, "build", *words], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr


def check_reports(nacre, folder):
    path = os.path.join(HERE, "refused.py")
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    wanted = {(n + 1, m.group(1)) for n, line in enumerate(lines) for m in [WANTED.search(line)] if m}
    status, told = build(nacre, path, "-o", os.path.join(folder, "librefused.so"))
    reports = REPORT.findall(told)
    wrong = [] if status == 1 else ["status %d" % status]
    wrong += ["no report: %s" % (w,) for w in wanted - {(int(r[1]), r[5]) for r in reports}]
    for file, line, _, source, carets, why in reports:
        if file != path or (int(line), why) not in wanted:
            wrong.append("a report of %s, line %s: %s" % (file, line, why))
        if source != lines[int(line) - 1].strip() or len(carets) > len(source):
            wrong.append("line %s is shown as %r, %r" % (line, source, carets))
    if REPORT.sub("", told):
        wrong.append("more is told: %r" % REPORT.sub("", told))
    return wrong + ["a file is left: %s" % name for name in os.listdir(folder)]


def check_others(nacre, folder):
    plain = os.path.join(folder, "plain.py")
    with open(plain, "w", encoding="utf-8") as file:
        file.write("def f(x):\n    return x\n")
    output = os.path.join(folder, "libplain.so")
    cases = [((), 2, "usage: nacre build"), ((plain,), 2, "usage: nacre build"),
             ((plain, "-o", output, "--odd"), 2, "usage: nacre build"),
             ((plain, "-o", output), 1, "BuildError: %s: there is no function with annotations\n" % plain),
             ((plain + "x", "-o", output), 1, "FileNotFoundError")]
    wrong = []
    for words, status, told in cases:
        got = build(nacre, *words)
        if got[0] != status or told not in got[1]:
            wrong.append("%s: %r" % (words, got))
    return wrong + ["a file is left: %s" % name for name in os.listdir(folder) if name != "plain.py"]


def main():
    nacre = os.path.abspath(sys.argv[1])
    wrong = []
    for check in (check_reports, check_others):
        with tempfile.TemporaryDirectory() as folder:
            wrong += check(nacre, folder)
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
