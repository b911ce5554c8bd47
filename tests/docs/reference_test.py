#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Doxygen has nothing to say against the public headers: every function, type, field and number of an enumeration is
documented. That it would say something is tried with declarations that are not. Skipped without doxygen.

usage: reference_test.py NACRE
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
# What would be noticed, in a header that has everything else.
UNSAID = {"nacre_unsaid": "NACRE_API int nacre_unsaid(void);", "unsaid": "/* x */\nstruct Said {\n    int unsaid;\n};",
          "NACRE_UNSAID": "/* x */\ntypedef enum Said {\n    NACRE_UNSAID = 1\n} Said;"}


def names_in(header):
    with open(header, encoding="utf-8") as file:
        return set(re.findall(r"NACRE(?:_RT)?_API [^;(]*?\b(nacre_\w+)\(", file.read()))


def undocumented_numbers(folder):
    """Numbers of enumerations, of which this doxygen may say nothing."""
    found = []
    for file in glob.glob(os.path.join(folder, "xml", "*.xml")):
        for value in ElementTree.parse(file).iter("enumvalue"):
            said = "".join("".join(value.find(part).itertext()) for part in ("briefdescription", "detaileddescription"))
            if not said.strip():
                found.append(value.find("name").text)
    return found


def known_functions(folder):
    return {member.find("name").text for file in glob.glob(os.path.join(folder, "xml", "*_8h.xml"))
            for member in ElementTree.parse(file).iter("memberdef") if member.get("kind") == "function"}


def complaints(doxyfile, headers=None):
    """What is wrong with the headers, and the functions that were seen in them."""
    with open(doxyfile, encoding="utf-8") as file:
        options = file.read()
    with tempfile.TemporaryDirectory() as folder:
        options += "\nOUTPUT_DIRECTORY = %s\nGENERATE_HTML = NO\n" % folder
        if headers:
            options += "INPUT = %s\nUSE_MDFILE_AS_MAINPAGE =\nFULL_PATH_NAMES = NO\n" % headers
        done = subprocess.run(["doxygen", "-"], input=options, capture_output=True, text=True)
        lines = [line for line in (done.stdout + done.stderr).split("\n") if line.strip()]
        if done.returncode and not lines:
            lines = ["doxygen ended with %d" % done.returncode]
        return lines + undocumented_numbers(folder), known_functions(folder)


def main():
    doxyfile = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1]))), "generated", "Doxyfile")
    if not shutil.which("doxygen") or not os.path.exists(doxyfile):
        print("no doxygen")
        return SKIPPED
    wrong, known = complaints(doxyfile)
    headers = glob.glob(os.path.join(ROOT, "include", "nacre", "*.h"))
    wrong += ["doxygen does not see " + name for header in headers for name in names_in(header) - known]
    for name, declaration in UNSAID.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "said.h")
            with open(path, "w", encoding="utf-8") as file:
                file.write("/* A header. */\n\n#define NACRE_API\n\n%s\n" % declaration)
            if not any(name in line for line in complaints(doxyfile, path)[0]):
                wrong.append("nothing was said of " + name)
    for line in wrong:
        print(line)
    print("%d functions, %d problems" % (len(known), len(wrong)))
    return int(bool(wrong) or len(known) < 80)


if __name__ == "__main__":
    sys.exit(main())
