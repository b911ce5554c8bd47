#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Who builds the command alone, as scripts/run does, has all plug-ins that it opens.

usage: plugins_test.py NACRE
"""

import os
import re
import subprocess
import sys

SKIPPED = 77
OF_THE_LIBRARY = re.compile(r"nacre-(loops-\w+|modules)\.so$")  # the command holds these itself

BUILD = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))


def main():
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        print("only Ninja says what a target needs")
        sys.exit(SKIPPED)
    done = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", "bin/nacre"], capture_output=True, text=True)
    if done.returncode:
        print("this Ninja does not say what a target needs:", done.stderr)
        sys.exit(SKIPPED)
    needed = {os.path.basename(line) for line in done.stdout.splitlines()}
    there = sorted(name for name in os.listdir(os.path.join(BUILD, "lib", "nacre")) if not OF_THE_LIBRARY.search(name))
    missing = [name for name in there if name not in needed]
    print(len(there), "plug-ins; not made with the command:", missing)
    sys.exit(missing != [] or there == [])


main()
