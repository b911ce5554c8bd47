#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Modules of the standard library in a plug-in: without nacre-modules.so, or with one of another build, libnacre.so still
imports its own modules and numpy's, says that the others are missing, and nacre_info tells it.

usage: modules_plugin_test.py NACRE
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
OWN = ("collections contextlib copy functools io itertools math operator os os.path time traceback types "
       "warnings numpy numpy.fft numpy.linalg numpy.random numpy.lib.stride_tricks").split()
OTHERS = "argparse csv dataclasses datetime numpy.ma numpy.polynomial numpy.testing pickle re unittest".split()
PROGRAM = """
missing = []
for name in %r:
    try:
        __import__(name)
    except ModuleNotFoundError as e:
        missing.append(e.name)
import numpy
numpy.median([1.0, 2.0]), numpy.unique_all([1]), str(numpy.arange(3.0))
raise ValueError(' '.join(missing))
""" % (OWN + OTHERS,)


def ask(path):
    """What a process says that has opened this library: of its standard library, and which modules are missing."""
    library = ctypes.CDLL(path)
    library.nacre_new.restype = ctypes.c_void_p
    library.nacre_error_message.restype = ctypes.c_char_p
    said = []
    write = WRITE(lambda ctx, stream, text, length: said.append(text[:length]) or 0)
    library.nacre_info(write, None)
    vm = ctypes.c_void_p(library.nacre_new(None))
    text = PROGRAM.encode()
    library.nacre_run(vm, text, ctypes.c_size_t(len(text)), b"<modules>", 0)
    lines = b"".join(said).decode().split("\n")
    print(next(line for line in lines if line.startswith("standard library")))
    print(library.nacre_error_message(vm).decode())


def answer(path):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "--ask", path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout.split("\n")[:2]


def of_another_build(plugin, copy):
    """A copy whose hash is another one: the first 8 bytes of the table that nacre_modules() gives."""
    library = ctypes.CDLL(plugin)
    library.nacre_modules.restype = ctypes.POINTER(ctypes.c_uint64)
    made_with = int(library.nacre_modules()[0]).to_bytes(8, "little")
    with open(plugin, "rb") as file:
        data = file.read()
    if data.count(made_with) != 1:
        sys.exit("the hash stands %d times in %s" % (data.count(made_with), plugin))
    with open(copy, "wb") as file:
        file.write(data.replace(made_with, bytes(b ^ 0x55 for b in made_with)))


def main():
    if sys.argv[1] == "--ask":
        return ask(sys.argv[2])
    build = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
    library, plugin = os.path.join(build, "lib", "libnacre.so"), os.path.join(build, "lib", "nacre", "nacre-modules.so")
    linked = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
    if not os.path.exists(plugin) or "san.so" in linked:
        print("no modules in a plug-in")
        return SKIPPED
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        alone = os.path.join(folder, "libnacre.so")
        shutil.copy(library, alone)
        os.mkdir(os.path.join(folder, "nacre"))
        copy = os.path.join(folder, "nacre", "nacre-modules.so")
        lacking = ["standard library: not whole; nacre-modules.so is missing, or of another build", " ".join(OTHERS)]
        whole = ["standard library: whole", ""]
        for how, make, wanted in (("alone", lambda: None, lacking), ("of another build", lambda: of_another_build(plugin, copy), lacking),
                                  ("its own", lambda: shutil.copy(plugin, copy), whole)):
            make()
            found = answer(alone)
            if found != wanted:
                wrong += 1
                print("%s: %r, not %r" % (how, found, wanted))
    print("3 libraries, %d wrong" % wrong)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
