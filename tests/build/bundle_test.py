#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The archive of cmake/Bundle.cmake, unpacked in a folder that becomes the root of a file system with nothing
else than the C library: the program runs there, with its libraries and without FFTW.

usage: bundle_test.py NACRE
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77

PROGRAM = """
import numpy as np
rng = np.random.default_rng(1)
a = rng.random((300, 300))
s = a @ a.T + np.eye(300)
print(np.allclose(np.linalg.inv(s) @ s, np.eye(300)), np.allclose(np.linalg.eigh(s)[0].sum(), np.trace(s)))
print(np.allclose(np.exp(np.log(a + 1)), a + 1), np.allclose(np.sort(a, axis=None)[0], a.min()))
print((2 ** 200) // 3, len(range(10)))
f = [np.allclose(np.fft.irfft(np.fft.rfft(a[0, :n]), n), a[0, :n]) for n in range(2, 300)]
print(all(f), np.allclose(np.fft.fft(a[0])[1], (a[0] * np.exp(-2j * np.pi * np.arange(300) / 300)).sum()))
"""
EXPECTED = "True True\nTrue True\n%d 10\nTrue True\n" % (2 ** 200 // 3)


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, **more)


def c_library(program):
    """What the system itself has to bring: the C library's parts, and the loader."""
    listing = run("ldd", program).stdout
    paths = re.findall(r"(/\S+/(?:lib(?:c|m|dl|pthread|rt)\.so\S*|ld-linux\S+))", listing)
    folder = os.path.dirname(next(path for path in paths if "libc.so" in path))
    return set(paths) | {os.path.join(folder, name) for name in os.listdir(folder)
                         if re.match(r"lib(m|mvec|dl|pthread|rt)\.so\.\d+$", name)}


def make_root(root, archive, program):
    for path in c_library(program):
        place = root + path
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(os.path.realpath(path), place)
    for name in ("proc", "tmp", "opt"):
        os.mkdir(os.path.join(root, name))
    with tarfile.open(archive) as tar:
        tar.extractall(os.path.join(root, "opt"))
    return "/opt/" + os.listdir(os.path.join(root, "opt"))[0]


def within(root, words, environment):
    """Runs a command in a mount namespace of its own, where the root has /proc, which tells a program its place."""
    return run("unshare", "-m", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', root, *words,
               env=environment)


def main():
    nacre = os.path.abspath(sys.argv[1])
    build = os.path.dirname(os.path.dirname(nacre))
    linked = run("ldd", nacre).stdout
    if os.geteuid() != 0 or run("unshare", "-m", "true").returncode or "libasan" in linked or "libtsan" in linked:
        print("only who may mount can change the root folder, and sanitizers are not shipped")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        archive, root = os.path.join(folder, "nacre.tar.gz"), os.path.join(folder, "root")
        made = run("cmake", "-DBUILD=" + build, "-DOUTPUT=" + archive, "-P",
                   os.path.join(ROOT, "cmake", "Bundle.cmake"))
        if made.returncode:
            sys.exit(made.stdout + made.stderr)
        os.mkdir(root)
        bare = {"HOME": "/tmp", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
        prefix = make_root(root, archive, nacre)
        done = within(root, (prefix + "/bin/nacre", "-c", PROGRAM), bare)
        passed = ""
        if "lua: none" not in run(nacre, "info").stdout:
            with open(root + "/tmp/pass.lua", "w", encoding="utf-8") as file:
                file.write("print(nacre.arange(5):sum())\n")
            passed = within(root, (prefix + "/bin/nacre", "--pass", "/tmp/pass.lua", "-c", ""), bare)
            passed = passed.stdout + passed.stderr
        info = within(root, (prefix + "/bin/nacre", "info"), bare).stdout
    shipped = [line.split()[1] for line in info.split("\n") if re.match("SLEEF|BLIS|LAPACK", line)]
    wrong = not all(path.startswith("/opt/") for path in shipped)
    wrong |= "FFTW: not there" not in info
    wrong |= passed not in ("", "10\n")
    wrong |= done.stdout != EXPECTED or done.returncode != 0
    if wrong:
        print("%s%s%s\ninstead of\n%s\n%s" % (done.stdout, done.stderr, passed, EXPECTED, info))
    print("1 root, %d wrong" % wrong)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
