#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The loops of libnacre.so in plug-ins: nacre_info says which are used, and which are missing where the library
stands alone; what is the same on all processors is the same with them and without.

usage: loops_test.py NACRE
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
PROGRAM = b"""
import numpy as np
x = (np.arange(30011) * 7919 % 30011 - 9000).astype(float)
y = x[::-1] / 7 + 0.1
seen = [(x * y - x / (y * y + 1)).sum(), np.sqrt(abs(x)).mean(), np.sort(x % y)[777], (x > y).sum()]
for kind in ("int8", "uint16", "int32", "uint64", "float32", "float16"):
    a = abs(x).astype(kind)
    seen += [(a + a).max(), (a * a).sum(), (a // (a % 5 + 1)).min()]
raise ValueError(' '.join(str(v.tobytes().hex()) for v in seen))
"""


def ask(path):
    """What a process says that has opened this library: two lines, of the engine and of the program."""
    library = ctypes.CDLL(path)
    library.nacre_new.restype = ctypes.c_void_p
    library.nacre_error_message.restype = ctypes.c_char_p
    said = []
    write = WRITE(lambda ctx, stream, text, length: said.append(text[:length]) or 0)
    library.nacre_info(write, None)
    vm = ctypes.c_void_p(library.nacre_new(None))
    library.nacre_run(vm, PROGRAM, ctypes.c_size_t(len(PROGRAM)), b"<loops>", 0)
    lines = b"".join(said).decode().split("\n")
    print(" | ".join(line for line in lines if "loops" in line))
    print(library.nacre_error_message(vm).decode())


def answer(path):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--ask", path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout.split("\n")[:2]


def main():
    if sys.argv[1] == "--ask":
        return ask(sys.argv[2])
    build = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
    library = os.path.join(build, "lib", "libnacre.so")
    linked = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
    if not os.path.exists(os.path.join(build, "lib", "nacre", "nacre-loops-avx2.so")) or "san.so" in linked:
        print("no loops in plug-ins")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        alone = os.path.join(folder, "libnacre.so")
        shutil.copy(library, alone)
        info, results = answer(library)
        info_alone, results_alone = answer(alone)
    with open("/proc/cpuinfo") as file:
        has_avx2 = " avx2 " in file.read()
    wrong = results != results_alone or not results
    wrong |= has_avx2 and not ("plug-in: loops for avx" in info and "is missing" in info_alone)
    if wrong:
        print("%s\n%s\nand alone\n%s\n%s" % (info, results, info_alone, results_alone))
    print("2 libraries, %d wrong" % wrong)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
