#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Whole numerical programs, ahead of time: CPython runs a script of tests/kernels/ and tells with what its main
program calls a function; with annotations of these types the function is compiled and called with the same.
Equal sizes of arguments get the same name. Results, and changed arguments, are those of NumPy.

usage: programs_test.py NACRE [NAME…]
"""

import ast
import contextlib
import copy
import io
import os
import sys
import tempfile

import numpy as np

import library

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = os.path.join(ROOT, "tests", "kernels")
# With the relative bound of what they compute. The other scripts of the folder use more of numpy.
PROGRAMS = {"arc_distance": 1e-12, "atax": 1e-12, "bicg": 1e-12, "cavity_flow": 1e-9, "compute": 0,
            "durbin": 1e-9, "fdtd_2d": 1e-12, "gemm": 1e-12, "gemver": 1e-12, "gesummv": 1e-12,
            "gramschmidt": 1e-9, "hdiff": 1e-12, "heat_3d": 1e-12, "jacobi_1d": 1e-12, "jacobi_2d": 1e-12, "conv2d_bias": 1e-5, "mlp": 1e-5, "softmax": 1e-5,
            "k2mm": 1e-12, "k3mm": 1e-12, "lu": 1e-9, "ludcmp": 1e-9, "mvt": 1e-12, "spmv": 1e-12, "symm": 1e-12,
            "trisolv": 1e-9, "trmm": 1e-12}


def annotation(v):
    if isinstance(v, np.ndarray):
        return "%s[%s]" % (v.dtype.name, ", ".join("S%d" % n if n > 1 else "1" for n in v.shape))
    return v.dtype.name if isinstance(v, np.generic) else type(v).__name__


class Calls:
    """Calls of a script's functions by its main program: arguments before, and what became of them."""

    def __init__(self, source):
        self.functions = {n.name: n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)}
        self.found = {}

    def hook(self, frame, event, result):
        name = frame.f_code.co_name
        if frame.f_code.co_filename != "kernel" or name not in self.functions or name.startswith("init"):
            return
        if not frame.f_back or frame.f_back.f_code.co_name != "<module>":
            return
        if event == "call" and name not in self.found:
            args = {a.arg: frame.f_locals[a.arg] for a in self.functions[name].args.args}
            self.found[name] = [copy.deepcopy(args), args, None]
        if event == "return" and name in self.found and self.found[name][2] is None:
            self.found[name][2] = (copy.deepcopy(result), copy.deepcopy(self.found[name][1]))


def observe(source):
    calls = Calls(source)
    sys.path.insert(0, KERNELS)
    sys.setprofile(calls.hook)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "kernel", "exec"), {"__name__": "__main__"})
    finally:
        sys.setprofile(None)
        sys.path.remove(KERNELS)
    return calls


def annotated(source, calls):
    """The script with annotations, in as many lines."""
    lines = source.split("\n")
    for name, (args, _, _) in calls.found.items():
        node = calls.functions[name]
        for line in range(node.lineno - 1, node.body[0].lineno - 1):
            lines[line] = ""
        lines[node.lineno - 1] = "def %s(%s):" % (
            name, ", ".join("%s: %s" % (a, annotation(v)) for a, v in args.items()))
    return "from __future__ import annotations\n" + "\n".join(lines)


def plain(v, like):
    if isinstance(v, tuple):
        return np.frombuffer(v[2], np.asarray(like).dtype).reshape(v[0])
    return v


def same(got, want, bound):
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    scale = np.max(np.abs(want), initial=0)
    return got.shape == want.shape and np.allclose(got, want, rtol=bound, atol=bound * scale, equal_nan=True)


def compare(made, name, call, bound):
    args, _, (result, after) = call
    given = {a: copy.deepcopy(v) for a, v in args.items()}
    results, _ = made.call(name, *given.values())
    wanted = [] if result is None else list(result) if isinstance(result, tuple) else [result]
    wrong = [] if len(results) == len(wanted) else ["%d results" % len(results)]
    wrong += ["result %d" % i for i, (got, want) in enumerate(zip(results, wanted))
              if not same(plain(got, want), want, bound)]
    return wrong + [a for a, v in given.items() if isinstance(v, np.ndarray) and not same(v, after[a], bound)]


def check(nacre, folder, name):
    with open(os.path.join(KERNELS, name + ".ncr"), encoding="utf-8") as file:
        source = file.read()
    calls = observe(source)
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(annotated(source, calls))
    status, told = library.build(nacre, path, folder)
    if status or not calls.found:
        return ["%s is not compiled\n%s" % (name, told)]
    made = library.Library(nacre, folder, name)
    wrong = ["%s.%s: %s" % (name, function, ", ".join(differs))
             for function, call in calls.found.items()
             for differs in [compare(made, function, call, PROGRAMS.get(name, 1e-9))] if differs]
    made.close()
    return wrong


def main():
    nacre = os.path.abspath(sys.argv[1])
    library.preload(nacre)
    names = sys.argv[2:] or PROGRAMS
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            wrong += check(nacre, folder, name)
    print("\n".join(wrong))
    print("%d programs, %d wrong" % (len(names), len(wrong)))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
