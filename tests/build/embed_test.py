#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""examples/embed: built by CMake and by pkg-config's flags against an installation, not the build tree, and run;
the examples in Lua with the installed module.

usage: embed_test.py NACRE
"""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples", "embed")
SKIPPED = 77

PLATE = "mean inside 14.3800, in the middle 2.3081\n"
SENSORS = """\
sensor 0: 12.000 from sample 48 on
sensor 1: 24.000 from sample 88 on
sensor 2: 36.000 from sample 128 on
sensor 3: 48.000 from sample 168 on
caught: there is no such sensor
"""
MEDIAN = "5.000 0.012\n[2. 8. 3. 8. 3.]\n"
STATISTICS = "mean 1.73\nstd 0.0761577\nmedian 1.75\nIndexError: list index out of range\n"


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **more)
    if done.returncode:
        sys.exit("%s\n%s%s" % (" ".join(words), done.stdout, done.stderr))
    return done.stdout


def folder_of(prefix, file):
    return next(place for place, _, files in os.walk(prefix) if file in files)


def by_cmake(prefix, folder):
    run("cmake", "-S", EXAMPLES, "-B", folder, "-DNacre_DIR=" + folder_of(prefix, "NacreConfig.cmake"))
    run("cmake", "--build", folder)
    return [("plate", run(os.path.join(folder, "plate"), os.path.join(EXAMPLES, "plate.ncr")), PLATE),
            ("median", run(os.path.join(folder, "median")), MEDIAN),
            ("sensors", run(os.path.join(folder, "sensors")), SENSORS),
            ("statistics", run(os.path.join(folder, "statistics")), STATISTICS)]


def by_pkg_config(prefix, folder):
    lib = folder_of(prefix, "libnacre.so")
    flags = run("pkg-config", "--cflags", "--libs", "nacre",
                env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))).split()
    program = os.path.join(folder, "plate_by_flags")
    run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", os.path.join(EXAMPLES, "plate.c"), "-o", program,
        *flags, "-Wl,-rpath," + lib)
    return [("plate by pkg-config", run(program, os.path.join(EXAMPLES, "plate.ncr")), PLATE)]


def by_lua(prefix, program, version):
    """orbits.lua prints the same under both; the picture of mandelbrot_jit.lua begins with its figures."""
    share = os.path.join(prefix, "share", "lua", version)
    lib = folder_of(prefix, "libnacre.so")
    environment = dict(os.environ, LUA_PATH=share + "/?.lua", LUA_CPATH=os.path.join(lib, "lua", version, "?.so"))
    found = [("orbits by " + program, run(program, os.path.join(EXAMPLES, "orbits.lua"), env=environment),
              "step 10:")]
    if program == "luajit":
        found.append(("mandelbrot", run(program, os.path.join(EXAMPLES, "mandelbrot_jit.lua"), env=environment),
                      "inside:\t1994\tmean:\t16.214\n"))
    return found


def main():
    nacre = os.path.abspath(sys.argv[1])
    build = os.path.dirname(os.path.dirname(nacre))
    linked = subprocess.run(["ldd", nacre], capture_output=True, text=True).stdout
    if "libasan" in linked or "libtsan" in linked:
        print("sanitizers are not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "installed")
        run("cmake", "--install", build, "--prefix", prefix)
        found = by_cmake(prefix, os.path.join(folder, "build"))
        if shutil.which("pkg-config"):
            found += by_pkg_config(prefix, folder)
        for program, version in (("lua5.4", "5.4"), ("luajit", "5.1")):
            if shutil.which(program) and os.path.isdir(os.path.join(prefix, "share", "lua", version)):
                found += by_lua(prefix, program, version)
    wrong = [row for row in found if not row[1].startswith(row[2])]
    for name, got, expected in wrong:
        print("%s:\n%s\nexpected:\n%s" % (name, got, expected))
    print("%d examples, %d wrong" % (len(found), len(wrong)))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
