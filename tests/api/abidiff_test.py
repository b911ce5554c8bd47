#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What abidiff says of nacre.h beside the interface recorded in nacre.abi: sizes, offsets, types of all that a
program sees. Compared is a library of empty functions with the header's prototypes, which is the same for every
preset; where libnacre.so has debugging information, it is compared too. What is new has to be recorded, by
--update, which refuses what abidiff calls incompatible unless --break is said, too. Skipped without abidiff.

usage: abidiff_test.py NACRE [--update [--break]]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "..", "include")
RECORD = os.path.join(HERE, "nacre.abi")
SKIPPED, INCOMPATIBLE = 77, 8  # the second is a bit of abidiff's answer
# Structures behind handles are nobody's business; neither are machine and paths the record was made on.
PLAIN = ["--drop-private-types", "--no-corpus-path", "--no-show-locs", "--no-comp-dir-path", "--no-elf-needed",
         "--no-parameter-names", "--no-write-default-sizes", "--type-id-style", "hash"]


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def empty_functions():
    with open(os.path.join(INCLUDE, "nacre", "nacre.h"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    lines = ['#include "nacre/nacre.h"']
    for prototype in re.findall(r"^NACRE_API ([^;]*);", text, re.M):
        body = "" if prototype.startswith("void nacre_") else " return 0; "
        lines.append("%s {%s}" % (prototype, body))
    return "\n".join(lines) + "\n"


def make_library(folder):
    source, library = os.path.join(folder, "empty.c"), os.path.join(folder, "libnacre.so.0")
    with open(source, "w", encoding="utf-8") as file:
        file.write(empty_functions())
    made = run("cc", "-std=c99", "-g", "-gdwarf-4", "-O0", "-shared", "-fPIC", "-Wl,-soname,libnacre.so.0", "-I", INCLUDE, "-o",
               library, source)
    if made.returncode:
        sys.exit(made.stderr)
    return library


def write_record(library, record):
    done = run("abidw", *PLAIN, "--headers-dir", os.path.join(INCLUDE, "nacre"), "--out-file", record, library)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def compare(library):
    """Of two records, as abidiff would take types of which no place is recorded for private ones."""
    with tempfile.TemporaryDirectory() as folder:
        now = os.path.join(folder, "now.abi")
        write_record(library, now)
        done = run("abidiff", "--no-show-locs", RECORD, now)
    return done.returncode, done.stdout + done.stderr


def with_debugging(nacre):
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(nacre))), "lib", "libnacre.so")
    return [library] if ".debug_info" in run("readelf", "-S", "-W", library).stdout else []


def main():
    if not shutil.which("abidiff"):
        print("no abidiff")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        library = make_library(folder)
        answer, report = compare(library) if os.path.exists(RECORD) else (0, "")
        if "--update" in sys.argv and (not answer & INCOMPATIBLE or "--break" in sys.argv):
            write_record(library, RECORD)
            return 0
        libraries = with_debugging(sys.argv[1]) if answer == 0 else []
        for library in libraries:
            answer, report = compare(library)
        print(report, end="")
        if answer:
            print("If that is meant: abidiff_test.py NACRE --update")
    print("%d libraries compared, abidiff's answer is %d" % (1 + len(libraries), answer))
    return answer != 0


if __name__ == "__main__":
    sys.exit(main())
