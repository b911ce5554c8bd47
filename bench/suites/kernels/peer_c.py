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


class Kernel:
    """The kernel's function for these arguments, which are where they are for good."""

    def __init__(self, name, given):
        self.name = name
        self.arguments, self.result = call_of(name, given)
        self.function = getattr(ctypes.CDLL(built(name)), name)
        self.function.restype = None
        self.passed = [passed(value) for value in self.arguments]

    def __call__(self, *_):
        self.function(*self.passed)
        return self.result

    def floor(self):
        """What the kernel cannot do without, by the line `Floor:` of its source: words
        `bytes=NUMBER`, flops and span, as kernel.h explains them. It is in terms of the extents,
        and of single numbers among the results."""
        self()
        text = read(self.name + ".c")
        prototype = re.search(r"^void %s\(([^)]*)\)" % self.name, text, re.M).group(1)
        names = [re.search(r"(\w+)$", re.sub(r"\[.*", "", part).strip()).group(1)
                 for part in prototype.split(",")]
        numbers = {name: int(np.ravel(value)[0]) for name, value in zip(names, self.arguments)
                   if np.size(value) == 1}
        found = re.search(r"^// Floor: ([^\n]*(?:\n// [^\n]*)*?)\.\n", text, re.M).group(1)
        terms = [term.split("=") for term in found.replace("\n//", "").split(";")]
        return ["%s=%.6g" % (key.strip(), eval(value, {"__builtins__": {}}, numbers))
                for key, value in terms]


def compiled(name, given):
    return Kernel(name, given)


def rates():
    """What rates.c found of this machine: {"triad": {bytes: bytes a second}, "peak": flops}."""
    said = subprocess.run([built("rates", (), "")], capture_output=True, text=True, check=True)
    found = {"triad": {}}
    for line in said.stdout.splitlines():
        what, size, value = line.split()
        if what == "peak":
            found["peak"] = float(value)
        else:
            found["triad"][int(size)] = float(value)
    return found
