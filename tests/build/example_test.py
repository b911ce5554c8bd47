#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""examples/aot: built by CMake, against the build tree and an installation, and with pkg-config's
flags where that is there; it prints what main.ncr does.

usage: example_test.py NACRE
"""

import os
import shutil
import subprocess
import sys
import tempfile

import library

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "examples", "aot")


def output_of(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **more)
    if done.returncode:
        sys.exit("%s\n%s%s" % (" ".join(words), done.stdout, done.stderr))
    return done.stdout


def by_cmake(folder, package, nacre):
    output_of("cmake", "-S", EXAMPLE, "-B", folder, "-DNacre_DIR=" + package)
    output_of("cmake", "--build", folder)
    return output_of(os.path.join(folder, "main"), env=library.sanitized(nacre))


def package_in(prefix):
    """Where an installation, whose library folder is the system's choice, has its package."""
    return next(place for place, _, files in os.walk(prefix) if "NacreConfig.cmake" in files)


def by_pkg_config(folder, nacre):
    os.mkdir(folder)
    output_of(nacre, "build", os.path.join(EXAMPLE, "kernels.ncr"), "-o", os.path.join(folder, "libkernels.so"))
    lib = os.path.join(os.path.dirname(os.path.dirname(nacre)), "lib")
    places = os.pathsep.join((folder, os.path.join(lib, "pkgconfig")))
    flags = output_of("pkg-config", "--cflags", "--libs", "kernels",
                      env=dict(os.environ, PKG_CONFIG_PATH=places)).split()
    program = os.path.join(folder, "main")
    output_of("cc", os.path.join(EXAMPLE, "main.c"), "-o", program, *flags,
              "-Wl,-rpath,%s:%s" % (folder, lib))
    return output_of(program, env=library.sanitized(nacre))


def main():
    nacre = os.path.abspath(sys.argv[1])
    build = os.path.dirname(os.path.dirname(nacre))
    expected = output_of(nacre, os.path.join(EXAMPLE, "main.ncr"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "installed")
        output_of("cmake", "--install", build, "--prefix", prefix)
        ways = {"build tree": by_cmake(os.path.join(folder, "a"), os.path.join(build, "lib", "cmake", "Nacre"), nacre),
                "installation": by_cmake(os.path.join(folder, "b"), package_in(prefix), nacre)}
        if shutil.which("pkg-config"):
            ways["pkg-config"] = by_pkg_config(os.path.join(folder, "c"), nacre)
    for name, got in ways.items():
        if got != expected:
            wrong += 1
            print("%s:\n%s\nexpected:\n%s" % (name, got, expected))
    print("%d ways, %d wrong" % (len(ways), wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
