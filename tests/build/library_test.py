#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Functions of kernels.py, compiled ahead of time: the same results, errors and changed arguments as
interpreted.

usage: library_test.py NACRE
"""

import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import library

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Function, and arguments as both sides evaluate them.
CASES = [
    ("numbers", "np.float64(1.5), 2.0"),
    ("weighted", "np.float64(2.0), np.arange(100.0), np.arange(100.0) / 7"),
    ("weighted", "np.float64(2.0), np.arange(100.0)[::2], np.arange(100.0)[::-2] / 7"),
    ("weighted", "np.float64(2.0), np.zeros(0), np.zeros(0)"),
    ("heat", "np.arange(30.0).reshape(5, 6) ** 2, np.float64(0.2)"),
    ("heat", "(np.arange(30.0).reshape(5, 6) ** 2).T, np.float64(0.2)"),
    ("heat", "np.zeros((2, 2)), np.float64(0.2)"),
    ("heat", "np.ones((600, 500)), np.float64(0.2)"),
    ("shift", "np.arange(12.0).reshape(3, 4), np.float64(0.5)"),
    ("shift", "np.arange(120000.0).reshape(300, 400), np.float64(0.5)"),
    ("shift", "np.arange(12.0).reshape(4, 3).T, np.float64(0.5)"),
    ("reverse", "np.arange(7.0)"),
    ("reverse", "np.arange(100000.0)[1::2]"),
    ("both", "np.arange(1000.0) / 3"),
    ("both", "np.zeros(0)"),
    ("same_twice", "np.arange(3.0)"),
    ("product", "np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)"),
    ("product", "np.arange(90000.0).reshape(300, 300) / 7e4, np.arange(90000.0).reshape(300, 300).T / 9e4"),
    ("product", "np.zeros((2, 0)), np.zeros((0, 3))"),
    ("waves", "np.linspace(-3, 9, 1001)"),
    ("waves", "np.linspace(-3, 9, 200001)[::-1]"),
    ("element", "np.arange(12.0).reshape(3, 4), 2, np.int64(-1)"),
    ("element", "np.arange(12.0).reshape(3, 4), -4, np.int64(0)"),
    ("element", "np.arange(12.0).reshape(3, 4), 2, np.int64(4)"),
    ("row", "np.arange(12.0).reshape(3, 4), -2"),
    ("row", "np.arange(12.0).reshape(3, 4), 3"),
    ("chosen", "np.arange(5.0), np.array([4, -1, 0])"),
    ("divided", "7, 2"), ("divided", "-7, 2"), ("divided", "7, -2"), ("divided", "-7, -2"),
    ("divided", "6, -2"), ("divided", "-9223372036854775808, 1"), ("divided", "5, 0"),
    ("quotient", "1.0, 3.0"), ("quotient", "1.0, 0.0"),
    ("numpy_quotient", "np.float64(1.0), np.float64(0.0)"),
    ("numpy_quotient", "np.float64(0.0), np.float64(0.0)"),
    ("factorial", "20"), ("factorial", "-1"),
    ("known", "2"), ("known", "5"), ("known", "0"),
    ("three", "np.arange(9.0).reshape(3, 3), np.arange(3.0)"),
    ("square", "np.arange(25.0).reshape(5, 5), np.arange(5.0)"),
    ("square", "np.arange(25.0).reshape(5, 5).T, np.arange(10.0)[::2]"),
    ("escape", "np.float64(-0.5), np.float64(0.5), np.int64(200)"),
    ("escape", "np.float64(0.4), np.float64(0.4), np.int64(200)"),
    ("collatz", "97"),
    ("logarithm", "2.0"), ("logarithm", "0.0"), ("logarithm", "-1.0"), ("logarithm", "math.inf"),
    ("exponential", "1000.0"), ("exponential", "-1000.0"), ("exponential", "math.inf"),
    ("exponential", "math.nan"),
    ("power", "2.0, 0.5"), ("power", "0.0, -1.0"), ("power", "10.0, 400.0"),
    ("numpy_power", "np.float64(0.0), np.float64(-1.0)"),
    ("wrapped", "np.int32(100000), np.int32(100000)"),
    ("wrapped_quotient", "np.int64(-7), np.int64(2)"),
    ("wrapped_quotient", "np.int64(-7), np.int64(0)"),
    ("shifted", "3, 5"), ("shifted", "3, -5"),
    ("to_int", "-3.9"), ("to_int", "math.nan"), ("to_int", "math.inf"),
    ("rounded", "2.5, 0"), ("rounded", "-2.5, 1"), ("rounded", "0.5, 3"), ("rounded", "math.nan, 0"), ("rounded", "-math.inf, 0"),
    ("outermost", "3.0, 1.0, 2.0"), ("outermost", "math.nan, 1.0, 2.0"), ("outermost", "1.0, math.nan, 2.0"),
    ("stored", "np.zeros(3, np.uint8), 200"), ("stored", "np.zeros(3, np.uint8), 300"),
    ("stored", "np.zeros(0, np.uint8), 3"),
    ("largest", "np.array([1.5, -2.0, 7.25], np.float32)"), ("largest", "np.zeros(0, np.float32)"),
    ("sums", "np.arange(3.0), np.arange(3.0)"), ("sums", "np.arange(3.0), np.arange(4.0)"),
    ("assigned", "np.zeros((3, 4)), np.arange(5.0)"), ("assigned", "np.zeros((3, 4)), np.arange(4.0)"),
    ("multiplied", "np.zeros((3, 4)), np.zeros((5, 2))"), ("combined", "np.zeros(3), np.zeros((4, 2))"),
    ("combined", "np.arange(3.0), np.arange(6.0).reshape(3, 2)"),
    ("dotted", "np.zeros((3, 4)), np.zeros((5, 2))"),
    ("clipped", "np.linspace(-3, 3, 11), np.float64(-1), np.float64(2)"),
    ("flipped", "np.arange(4.0)"), ("alike", "np.arange(6.0).reshape(2, 3)"),
    ("softmax", "np.linspace(-3, 9, 120).reshape(8, 15)"),
    ("softmax", "np.linspace(-3, 9, 120000).reshape(8, 15000)"), ("softmax", "np.zeros((3, 0))"),
    ("softmax", "np.linspace(-3, 9, 120).reshape(15, 8).T"),
    ("rows", "np.arange(60.0).reshape(3, 4, 5) / 7"), ("rows", "np.zeros((0, 4, 5))"),
    ("whole_rows", "np.arange(60).reshape(6, 10)[:, ::2]"),
    ("total", "(np.arange(12) * 7919 % 1009 / 1009).reshape(3, 4).T"), ("total", "(np.arange(12) * 7919 % 1009 / 1009).reshape(3, 4)"),
    ("total", "(np.arange(350000) * 7919 % 1009 / 1009).reshape(500, 700).T"),
    ("total", "(np.arange(350000) * 7919 % 1009 / 1009).reshape(500, 700)[::2, ::-3]"),
    ("bounded", "3, np.int64(5)"), ("bounded", "7, np.int64(5)"),
    ("masked", "np.arange(6.0).reshape(2, 3), np.full((2, 3), 2.5)"),
    ("outer", "np.arange(3.0), np.arange(4.0)"),
    ("truth", "True, np.bool_(False)"),
    ("unused", "np.zeros(3), np.zeros(3), 5"),
    ("strided", "10, 3"), ("strided", "10, 0"),
    ("many", "7"), ("many", "300"),
]

# What C alone can do wrong, or is told otherwise.
REFUSED = [
    ("weighted", "np.float64(2.0), np.zeros(3), np.zeros(4)", 1, "ValueError: N is 3 in x and 4 in y"),
    ("three", "np.zeros((3, 4)), np.zeros(3)", 1,
     "ValueError: a dimension of m has 4 elements, and not 3"),
    ("square", "np.zeros((3, 4)), np.zeros(3)", 1, "ValueError: N is 3 in m and 4 in m"),
    ("factorial", "21", 4, "OverflowError: an int of more than 64 bits"),
    ("chosen", "np.arange(5.0), np.array([0, 5])", 2,
     "IndexError: an index is out of bounds for axis 0 with size 5"),
]

SCRIPT = """
import math
import numpy as np
import kernels

np.seterr(all='ignore')

def shown(v):
    if isinstance(v, np.ndarray):
        return f'{v.shape} {v.dtype} {v.tolist()}'
    return repr(v.item() if isinstance(v, np.generic) else v)

def call(name, args):
    try:
        result = getattr(kernels, name)(*args)
        results = result if isinstance(result, tuple) else (result,)
        print(*[shown(r) for r in results if r is not None], end=' ')
    except Exception as e:
        text = str(e)
        print(type(e).__name__ + (': ' + text if text else ''), end=' ')
    print('|', *[shown(a) for a in args if isinstance(a, np.ndarray)])
"""


def interpreted(nacre, folder, threads):
    script = SCRIPT + "".join("call(%r, [%s])\n" % case for case in CASES)
    path = os.path.join(folder, "interpreted.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    # BLIS's products differ in the last bits with the threads that share them.
    done = subprocess.run([nacre, "--threads", str(threads), path], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout.splitlines()


def evaluated(text):
    return list(eval("(%s,)" % text, {"np": np, "math": __import__("math")}))


def shown(v, dtype):
    if isinstance(v, tuple):
        shape, _, data = v
        array = np.frombuffer(data, dtype).reshape(shape)
        return "%s %s %s" % (tuple(shape), array.dtype, array.tolist())
    return repr(v)


def compiled(made, name, text):
    args = evaluated(text)
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    dtype = arrays[0].dtype if arrays else np.dtype(float)
    try:
        results, _ = made.call(name, *args)
        answer = " ".join(shown(r, dtype) for r in results)
    except library.Failed as failed:
        answer = failed.args[1]
    return answer + " | " + " ".join("%s %s %s" % (a.shape, a.dtype, a.tolist()) for a in arrays)


def differences(made, expected):
    wrong = []
    for (name, text), want in zip(CASES, expected):
        got = compiled(made, name, text)
        if got.strip() != want.strip():
            wrong.append("%s(%s)\n  interpreted: %.300s\n  compiled:    %.300s" % (name, text, want, got))
    for name, text, status, message in REFUSED:
        try:
            got = (0, str(made.call(name, *evaluated(text))))
        except library.Failed as failed:
            got = failed.args[:2]
        if got != (status, message):
            wrong.append("%s(%s): %r" % (name, text, got))
    return wrong


def lines(made):
    """Where an exception comes from."""
    with open(os.path.join(HERE, "kernels.py"), encoding="utf-8") as file:
        text = file.read().split("\n")
    try:
        made.call("factorial", -1)
    except library.Failed as failed:
        _, _, path, function, line = failed.args
        if (os.path.basename(path), function) == ("kernels.py", "factorial") and "raise" in text[line - 1]:
            return []
        return ["factorial(-1) is said to fail in %s, %s, line %d" % (path, function, line)]
    return ["factorial(-1) does not fail"]


def main():
    nacre = os.path.abspath(sys.argv[1])
    library.preload(nacre)
    with tempfile.TemporaryDirectory() as folder:
        module = shutil.copy(os.path.join(HERE, "kernels.py"), folder)
        status, told = library.build(nacre, module, folder)
        if status:
            sys.exit(told)
        wrong = []
        for threads in (1, 2):
            expected = interpreted(nacre, folder, threads)
            made = library.Library(nacre, folder, "kernels", threads)
            wrong += differences(made, expected) + lines(made)
            made.close()
    print("\n".join(wrong))
    print("%d calls, %d wrong" % (2 * len(CASES), len(wrong)))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
