#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""libnacre.so of a release build, without what strip takes away, has less than 3 MB.

usage: size_test.py NACRE
"""

import os
import shutil
import subprocess
import sys
import tempfile

MOST = 3000000
SKIPPED = 77
# What the bound was set for; others make other code, and without zlib nothing is compressed.
FOR = {"NACRE_BUILD_TYPE": '"Release"', "NACRE_SANITIZE": '""', "NACRE_HAVE_ZLIB": "1"}


def configured(build):
    with open(os.path.join(build, "generated", "nacre_config.h")) as file:
        lines = [line.split(None, 2) for line in file if line.startswith("#define")]
    return {words[1]: words[2].strip() for words in lines if len(words) == 3}


def main():
    build = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
    config = configured(build)
    library = os.path.join(build, "lib", "libnacre.so")
    if any(config.get(name) != value for name, value in FOR.items()) or "GNU" not in config["NACRE_COMPILER"] or \
            not os.path.exists(library) or not shutil.which("strip") or os.uname().machine != "x86_64":
        print("another kind of build")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "libnacre.so")
        subprocess.run(["strip", "-o", stripped, library], check=True)
        size = os.path.getsize(stripped)
    print("%d bytes, %d are allowed" % (size, MOST))
    return int(size >= MOST)


if __name__ == "__main__":
    sys.exit(main())
