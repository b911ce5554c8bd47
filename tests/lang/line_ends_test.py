#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Programs whose lines end as on other systems: carriage returns everywhere, also where a text ends.

usage: line_ends_test.py NACRE
"""

import os
import subprocess
import sys
import tempfile

nacre = os.path.abspath(sys.argv[1])
failures = 0

# Texts with their lines' ends written |; what they print.
TEXTS = (
    ("print(1)|", "1\n"),
    ("print(1)", "1\n"),
    ("print(1)|print(2)", "1\n2\n"),
    ("|||print(3)||", "3\n"),
    ("if 1:|    print(4)|    print(5)|else:|    pass|", "4\n5\n"),
    ("print('''a|b||c''')|", "a\nb\n\nc\n"),
    ("print('''|''', end='.')", "\n."),
    ("x = 1 + \\|  2|print(x)|", "3\n"),
    ("print('a\\|b')|", "ab\n"),
    ("# only|# comments|", ""),
    ("print(f'''{1}|{2}''')|", "1\n2\n"),
    ("", ""),
    ("|", ""),
)


def run(data):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text.ncr")
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run([nacre, path], capture_output=True, timeout=60)
        return done.stdout.decode() + done.stderr.decode().replace(folder, "")


def check(text, end, wanted):
    global failures
    data = text.replace("|", end).encode()
    got = run(data)
    if got != wanted:
        failures += 1
        print("%r: got %r, wanted %r" % (data, got, wanted))


for text, wanted in TEXTS:
    for end in "\n", "\r\n", "\r":
        check(text, end, wanted)
check("print(1)\r\r\nprint(2)\n\r\r\r\nprint(3)\r", "", "1\n2\n3\n")
check("print('''\r\r\n\n\r''' == '\\n\\n\\n\\n')", "", "True\n")
check("\ufeffprint(1)|", "\r\n", "1\n")
error = '  File "/text.ncr", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n  expected: expression\n'
for end in "\n", "\r\n", "\r":
    check("a = 1|b = 2|x = = 1|c = 3|", end, error)
sys.exit(failures != 0)
