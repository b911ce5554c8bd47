#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Warnings of arithmetic: one script run by Nacre and by NumPy gives the same ones, in order.

usage: warnings_test.py NACRE
"""

import os
import re
import subprocess
import sys
import tempfile

BINARY = "+ - * / // % **".split()
SCALARS = ("0.0 -0.0 1.5 -2.0 1e308 float('inf') float('nan') np.float64(0) np.float64(1e308) np.float64(-1.5) "
           "np.float64('nan') np.int64(0) np.int64(7) np.int64(2**62) np.int64(-2**63) 0 5 2**40").split()
ARRAYS = ("np.array([0.0,1.0])|np.array([1e308,-1e308])|np.array([float('nan'),1.0])|np.array([float('inf'),-1.0])|"
          "np.array([0,3])|np.array([2**62,-2**63])|np.float64(0)|np.float64(3e200)|np.array([3e38],np.float32)|"
          "np.array([0],np.int8)").split("|")
UNARY = """sqrt log log2 log10 log1p exp exp2 expm1 arcsin arccos arccosh arctanh reciprocal square sin tan sinh cosh
mean std var sum prod cumsum cumprod max argmin rint absolute negative floor""".split()
NARROW = ("np.int8(100) np.int8(-128) np.uint8(3) np.uint8(200) np.int16(-30000) np.uint64(2**63) np.int64(-2**63) "
          "np.int32(70000)").split()
# Powers by other functions' names, casts of operands and results, what an operation itself says nothing of.
NAMED = """np.array([1e300])**2|np.array([-1.0])**0.5|np.array([0.0])**-1|np.array([1e300])**np.float64(2)
np.array([-1.0])**np.array(0.5)|np.array([1e300])**2.5|np.array([3e38],np.float32)**np.int8(2)
np.minimum(np.array([2**62]),2**62,out=np.zeros(1,np.float16))|np.positive(np.array([1e300]),out=np.zeros(1,np.float32))
np.trunc(np.array([1e300,1]),out=np.zeros(2,np.float32),where=np.array([True,False]))
np.maximum(np.array([float('nan'),1.0]),np.array([1.0,float('nan')]),out=np.zeros(2,np.float32))
np.maximum.accumulate(np.array([float('nan'),1.0]))|np.fmin.accumulate(np.array([float('nan'),1.0]),dtype=np.float16)
np.fmax.reduce(np.array([float('nan'),1.0]))|np.heaviside(np.array([float('nan'),1.0],np.float16),1.0)
np.sign(np.array([float('nan'),1.0]))|np.sign(np.array([3e38+3e38j],np.complex64))
np.logaddexp2(np.array([3e38],np.float32),np.array([-3e38],np.float32))|np.log(np.array(-1.0),out=np.zeros(()),where=np.array(False))
np.logical_or(np.array([1],np.float32),1e300)|np.ldexp(np.array([True]),2**40)
np.array([-2.0]*20,np.float32).astype(np.uint64)
np.remainder.reduce(np.zeros((),np.int8))|np.power.reduce(np.array([0.0,-1.0]))
1e10*(np.full((3,3),1e200)@np.full((3,3),1e100))+np.full((3,3),1e308)|np.full((3,3),1e308)-(np.full((3,3),1e200)@-np.ones((3,3)))*1e108
1e150*(np.full((3,3),1e100)@np.full((3,3),1e100))-np.ones((3,3))|np.full((3,3),1e200)@np.full((3,3),1e200)-np.ones(3)
np.full((3,3),float('inf'))-(np.full((3,3),float('inf'))@np.ones((3,3)))|np.full((3,3),1e300)*1e10+np.ones((3,3))@np.ones((3,3))
0*(np.full((3,3),float('inf'))@np.ones((3,3)))+np.ones((3,3))|np.full((3,3),1.7e308)+(np.full((3,3),1e300)@np.full((3,3),1e7))""".replace("\n", "|").split("|")
CASTS = "int8 uint8 int64 float32 bool".split()


def statements():
    yield from NAMED
    for op in BINARY:
        for a in SCALARS:
            for b in SCALARS:
                if "np" in a + b and not (op == "**" and ("2**" in a + b or "int64" in a + b)):
                    yield "%s %s %s" % (a, op, b)
        for a in ARRAYS:
            for b in ARRAYS:
                if op != "**" or not re.search(r"2\*\*|int8|inf|np.array\(\[0,", a + b):
                    yield "%s %s %s" % (a, op, b)
    for name in UNARY:
        for a in ARRAYS + ["np.zeros(0)", "np.array([-2.0,800.0])", "np.array([1.0,-1.0])"]:
            if "int8" not in a or name in ("reciprocal", "absolute", "negative", "square"):
                yield "np.%s(%s)" % (name, a)
    for a in NARROW:
        yield "-" + a
        yield "abs(%s)" % a
        for b in NARROW + ["7", "-3"]:
            for op in "+-*":
                yield "%s %s %s" % (a, op, b)
                yield "%s %s %s" % (b, op, a)
    for a in "np.float64(1) np.int64(5) np.array([2.5,-3.0])".split():
        for name in CASTS:
            yield "%s.astype('%s')" % (a, name)


# A BLAS may multiply infinities by the zeros that fill its panels up.
FREE = "RuntimeWarning: invalid value encountered in matmul"


def warnings_of(command, path):
    """{statement: its warnings}; the script says on standard error which one comes next."""
    done = subprocess.run(command + [path], capture_output=True, text=True, timeout=60)
    if done.returncode:
        sys.exit("%s fails:\n%s" % (command[0], done.stderr[-2000:]))
    parts = done.stderr.split("<<")[1:]
    return {part.split(">>")[0]: [text for text in re.findall("RuntimeWarning: .*", part.replace("scalar ", ""))
                                  if text != FREE] for part in parts}


# Overflow in the last rows and elements only: the part of the last thread. Infinities times no zeros but
# those of the operands, in products of any width.
LATE = """import numpy as np
a = np.ones((400, 400)); a[399] = 1e308
a @ np.full((400, 400), 1e308)
d = np.zeros(10 ** 6); d[-9:] = 1e200
d @ d
np.ones((400, 400)) @ np.ones((400, 400))
d * 0 @ d
i = np.full((5, 3), np.inf)
for kind in (np.float64, np.float32):
    for n in range(1, 40):
        i.astype(kind) @ np.ones((3, n), kind)
        3 * (i @ np.ones((3, n))) + np.ones((5, n))
i @ np.zeros((3, 5))
"""


def late_ones(nacre):
    """What is wrong with the warnings of products by one thread and by several."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "late.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(LATE)
        for threads in ("1", "2", "3"):
            done = subprocess.run([nacre, "--threads", threads, path], capture_output=True,
                                  text=True, timeout=60)
            found = re.findall(r":(\d+): RuntimeWarning: (\w+)", done.stderr)
            if sorted(found) != [("13", "invalid"), ("3", "overflow"), ("5", "overflow")]:
                wrong.append("products by %s threads: %s" % (threads, found))
    return wrong


def main():
    lines = list(statements())
    text = "import sys\nimport numpy as np\n" + "".join(
        "sys.stderr.write(%r)\ntry: %s\nexcept (ZeroDivisionError, OverflowError, ValueError, TypeError): pass\n"
        % ("<<%s>>\n" % line, line) for line in lines)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        got = warnings_of([os.path.abspath(sys.argv[1])], path)
        wanted = warnings_of([sys.executable, "-W", "always"], path)
    wrong = [line for line in lines if got[line] != wanted[line]]
    for line in wrong[:120]:
        print("%s: got %s, wanted %s" % (line, got[line], wanted[line]))
    count = sum(map(len, wanted.values()))
    late = late_ones(os.path.abspath(sys.argv[1]))
    print("\n".join(late))
    print("%d statements, %d warnings, %d wrong" % (len(lines), count, len(wrong)))
    return bool(wrong or late or not count)


if __name__ == "__main__":
    sys.exit(main())
