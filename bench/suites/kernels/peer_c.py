# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A kernel of bench/c, compiled by gcc and called through ctypes."""

import ctypes
import hashlib
import os
import re
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SOURCES = os.path.join(ROOT, "bench", "c")
BUILD = os.path.join(ROOT, "build", "suites", "c")
FLAGS = ["-std=gnu17", "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math"]
LIBRARIES = ["-lblas", "-lm"]
sys.path.append(SOURCES)


def read(name):
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def built(name, kind=("-shared", "-fPIC"), suffix=".so"):
    """The path of what a source of bench/c was compiled to, in this state of it."""
    headers = sorted(one for one in os.listdir(SOURCES) if one.endswith(".h"))
    text = "".join(read(one) for one in [name + ".c"] + headers)
    key = hashlib.sha256((text + " ".join(FLAGS)).encode()).hexdigest()[:16]
    target = os.path.join(BUILD, "%s_%s%s" % (name, key, suffix))
    if not os.path.exists(target):
        os.makedirs(BUILD, exist_ok=True)
        part = "%s.%d" % (target, os.getpid())
        command = ["gcc", *FLAGS, "-Wall", "-Wextra", *kind, os.path.join(SOURCES, name + ".c"),
                   "-o", part, *LIBRARIES]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit("not compiled: " + done.stderr.strip().split("\n")[-1][:160])
        os.replace(part, target)
    return target


def passed(value):
    """An argument as C takes it: arrays by address, ints of 64 bits, doubles."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise ValueError("an array with gaps")
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, (int, np.integer)):
        return ctypes.c_int64(value)
    return ctypes.c_double(value)


def call_of(name, given):
    """(what C is given, the result), as bench/c/calls.py has it."""
    import calls
    return getattr(calls, name)(*given)


def compiled(name, given):
    """The kernel's function for these arguments, which are where they are for good."""
    arguments, result = call_of(name, given)
    function = getattr(ctypes.CDLL(built(name)), name)
    function.restype = None
    ready = [passed(value) for value in arguments]

    def run(*_, held=arguments):
        function(*ready)
        return result

    return run


def floor_of(name, given):
    """What the kernel cannot do without, by the comment `Floor:` of its source: a dictionary of
    bytes, flops and span, the bytes that it goes over again and again."""
    text = read(name + ".c")
    prototype = re.search(r"void %s\(([^)]*)\)" % name, text).group(1)
    names = [part.split()[-1].lstrip("*") for part in re.sub(r"\[[^,]*", "", prototype).split(",")]
    scalars = {n: v for n, v in zip(names, call_of(name, given)[0]) if np.ndim(v) == 0}
    lines = re.search(r"^// Floor: (.*?)\.$", text, re.M).group(1)
    return {key.strip(): float(eval(value, {"__builtins__": {}}, scalars))
            for key, value in (part.split("=") for part in lines.split(";"))}
