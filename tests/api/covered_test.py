#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Every function of nacre.h is called by a test in C, documented, and exported, and nothing else is; those that
take a VM have a row in misuse_test.c; C99 and C++ compilers read the header, and its structures begin with their
size.

usage: covered_test.py NACRE
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = os.path.join(ROOT, "include", "nacre", "nacre.h")
# Filled in by the library for callbacks, or fixed for good.
SIZELESS = {"NacreView", "NacreOperand", "NacreAttributes", "NacreCapture", "NacreTensor",
            "NacreImplementation", "NacreResult", "NacreForm", "NacreDryStream"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def called_by_tests():
    names = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "tests")):
        for name in files:
            if name.endswith(".c"):
                names |= set(re.findall(r"\b(nacre_\w+)\s*\(", read(os.path.join(folder, name))))
    return names


def undocumented(text):
    """Functions with no comment in front of them, but for those that follow another declaration at once."""
    found = []
    blocks = re.split(r"\n\s*\n", text)
    for block in blocks:
        names = re.findall(r"NACRE_API [^;(]*?\b(nacre_\w+)\(", block)
        if names and "/*" not in block:
            found += names
    return found


def exported(nacre):
    library = os.path.join(os.path.dirname(os.path.dirname(nacre)), "lib", "libnacre.so")
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines() if " A " not in line}


def compiles(compiler, language, *flags):
    with tempfile.NamedTemporaryFile("w", suffix="." + language) as file:
        file.write('#include "nacre/nacre.h"\nint main(void) { return 0; }\n')
        file.flush()
        done = subprocess.run([compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags,
                               "-I" + os.path.join(ROOT, "include"), file.name], capture_output=True, text=True)
    return [] if done.returncode == 0 else ["%s %s: %s" % (compiler, flags, done.stderr)]


def main():
    text = read(HEADER)
    functions = set(re.findall(r"NACRE_API [^;(]*?\b(nacre_\w+)\(", text))
    problems = ["no test calls " + name for name in sorted(functions - called_by_tests())]
    with_vm = set(re.findall(r"NACRE_API [^;(]*?\b(nacre_\w+)\((?:const )?NacreVm \*", text))
    misused = set(re.findall(r"\b(nacre_\w+)\(", read(os.path.join(ROOT, "tests", "api", "misuse_test.c"))))
    problems += ["misuse_test.c has no row for " + name for name in sorted(with_vm - misused)]
    problems += ["nothing is said of " + name for name in undocumented(text)]
    shown = {name for name in exported(os.path.abspath(sys.argv[1])) if not name.startswith("__")}
    problems += ["%s is not exported" % name for name in sorted(functions - shown)]
    problems += ["%s is exported" % name for name in sorted(shown - functions)]
    for name, fields in re.findall(r"typedef struct (\w+) \{\n(.*?)\n\}", text, re.S):
        if name not in SIZELESS and not fields.lstrip().startswith("size_t struct_size"):
            problems.append("%s does not begin with its size" % name)
    problems += compiles("cc", "c", "-std=c99") + compiles("g++", "cpp", "-std=c++11")
    for problem in problems:
        print(problem)
    print("%d functions, %d problems" % (len(functions), len(problems)))
    return int(bool(problems) or len(functions) < 80)


if __name__ == "__main__":
    sys.exit(main())
