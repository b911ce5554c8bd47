#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""More than there is: requests beyond any memory, programs that grow until a limit, and that they
can be handled.

usage: memory_test.py NACRE
"""

from harness import expect, finish, refuse, run, short, start

MEMORY = "MemoryError"
TOO_BIG = ("ValueError: array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
           "maximum possible size.")
ARRAY = "import numpy as np\n"

# At once, whatever the machine has. «…»: the place.
HUGE = [
    ("«[0] * (1 << 60)»", MEMORY),
    ("«(0,) * (1 << 60)»", MEMORY),
    ("«'a' * (1 << 50)»", MEMORY),
    ("«'ab' * (1 << 62)»", "OverflowError: repeated string is too long"),
    ("«b'a' * (1 << 50)»", MEMORY),
    ("«b'ab' * (1 << 62)»", "OverflowError: repeated bytes are too long"),
    ("«bytes(1 << 50)»", MEMORY),
    ("«bytes(1 << 70)»", "OverflowError: cannot fit 'int' into an index-sized integer"),
    ("«b'a'.ljust(1 << 50)»", MEMORY),
    ("«b'1'.zfill((1 << 63) - 1)»", MEMORY),
    ("«(b'a' * 10 ** 6).replace(b'a', b'b' * 10 ** 9)»", MEMORY),
    ("«(b'a' * 10 ** 8).join([b''] * 10 ** 7)»", MEMORY),
    ("«(1).to_bytes(1 << 50, 'big')»", MEMORY),
    ("«list(range(10 ** 18))»", MEMORY),
    ("x = «1 << 10 ** 15»", MEMORY),
    ("x = 1\n«x << (1 << 62)»", MEMORY),
    ("x = 1\n«x << (1 << 70)»", "OverflowError: too many digits in integer"),
    ("x = 10\n«x ** x ** x»", MEMORY),
    ("«'%*d' % (1 << 40, 1)»", "…"),
    ("x = 1 << 40\nf'{«1»:{x}}'", MEMORY),
    ("f'{«1»:99999999999999999999}'", "ValueError: Too many decimal digits in format string"),
    ("«'a'.center(1 << 50)»", MEMORY),
    ("«'1'.zfill(1 << 50)»", MEMORY),
    ("«('a' * 10 ** 6).replace('a', 'b' * 10 ** 8)»", MEMORY),
    ("«('a' * 10 ** 7).join([''] * 10 ** 7)»", MEMORY),
    ("import math\n«math.factorial(10 ** 12)»", "…"),
    ("import math\n«math.comb(10 ** 12, 5 * 10 ** 11)»", "…"),
    (ARRAY + "«np.zeros(1 << 60)»", TOO_BIG),
    (ARRAY + "«np.zeros((1 << 32, 1 << 32))»", TOO_BIG),
    (ARRAY + "«np.arange(1 << 62)»", TOO_BIG),
    (ARRAY + "x = np.zeros(1 << 40)\n«x[0]» = 1", "MemoryError: Unable to allocate 8.00 TiB for an array with "
     "shape (1099511627776,) and data type float64"),
    (ARRAY + "«np.zeros(1 << 62, dtype=np.int8)»", "MemoryError: Unable to allocate 4.00 EiB for "
     "an array with shape (4611686018427387904,) and data type int8"),
    (ARRAY + "x = np.ones(1 << 20)\ny = «x[:, None] + x»", "MemoryError: Unable to allocate 8.00 "
     "TiB for an array with shape (1048576, 1048576) and data type float64"),
    (ARRAY + "«np.concatenate([np.broadcast_to(1.0, (1 << 40,))] * 2)»", "MemoryError: …"),
]

# More than the limit, but never stored; or stored after all, because that is seen.
PROMISED = ARRAY + """
x = np.arange(20000) / 20000
def distances():
    d = x[:, None] - x[None, :]
    r = np.sqrt(d * d)
    return r.sum(axis=1) + (r * d).max(axis=1)
all_rows = distances()
for i in range(0, 20000, 5000):
    d = x[i] - x
    r = np.sqrt(d * d)
    assert abs(all_rows[i] - r.sum() - (r * d).max()) < 1e-9
def caught():
    try:
        d = x[:, None] - x[None, :]
    except MemoryError:
        return "as Python has it"
print(caught())
"""
PROMISED_SEEN = PROMISED + """
def observed():
    d = «x[:, None] - x[None, :]»
    e = d + 1
    return e[5, 5], d
observed()"""

# Until the limit.
GROWING = [
    "x = [0]\nwhile True: x += x",
    "x = []\nwhile True: x.append([])",
    "x = 'a'\nwhile True: x += x",
    "x = set()\nwhile True: x.add(len(x))",
    "x = {}\nwhile True: x[len(x)] = x",
    "x = 1\nwhile True: x <<= 1000000",
    "x = [i for i in iter(int, 1)]",
    "x = list(iter(int, 1))",
    "x = ''.join('abc' for i in iter(int, 1))",
    "def f(*a): return f(*a, *a)\nf(1)",
    "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): return f() + 1\nf()",
    "import sys\nsys.setrecursionlimit(10 ** 9)\ndef g():\n    yield from g()\nlist(g())",
    "import itertools\nx = list(itertools.count())",
    "class A: pass\na = first = A()\nwhile True:\n    a.next = A()\n    a.next.back = a\n"
    "    a = a.next",
    ARRAY + "x = np.ones(1)\nwhile True: x = np.concatenate([x, x])",
    ARRAY + "x = []\nwhile True: x.append(np.ones(1000))",
    "e = None\nwhile True:\n    n = ValueError('x' * 1000)\n    n.__cause__ = e\n    e = n",
]

# Cycles of a few objects that hold most of the limit are collected before memory is refused: while a loop runs, and
# where an array is made.
CYCLES = ARRAY + """
class Held: pass
def hold(make, times):
    for i in range(times):
        held = Held()
        held.itself = held
        held.data = make(i)
    return held
print(hold(lambda i: np.zeros(10 ** 5) + i, 200).data[:2])
print(len(hold(lambda i: [i] * 10 ** 5, 200).data), len(hold(lambda i: 'x' * 10 ** 6, 200).data))
def make():
    held = Held()
    held.itself = held
    held.data = np.full(10 ** 5, 1.5)
    return held.data[3]
print(make(), make() + make() + make() + make() + make() + make() + make() + make() + make() + make() + make()
      + make() + make() + make() + make() + make() + make() + make() + make() + make() + make() + make() + make()
      + make() + make() + make() + make() + make() + make() + make() + make() + make() + make() + make() + make())
"""

GOES_ON = """caught = 0
def attempt(f):
    global caught
    try:
        f()
    except MemoryError:
        caught += 1
def grow(x):
    while True:
        x = x + x
for i in range(20):
    attempt(lambda: grow([0]))
    attempt(lambda: grow('a'))
    attempt(lambda: [0] * (1 << 60))
    attempt(lambda: {i: [i] for i in iter(int, 1) for i in range(10 ** 9)})
print(caught, sum(range(100)), len(str(2 ** 1000)))
"""


def main():
    start(__doc__, grows=True)
    for source, error in HUGE:
        refuse(short(source.split("\n")[-1], 60), source, error)
    for source in GROWING:
        what = "with a limit: " + short(source.replace("\n", " "), 60)
        done = run(what, ["--memory-limit", "30M", "-c", source])
        expect(what, done, error=MEMORY + "…")
    expect("goes on", run("goes on", ["--memory-limit", "20M", "-c", GOES_ON]),
           out="80 4950 302\n")
    expect("cycles", run("cycles", ["--memory-limit", "60M", "-c", CYCLES]),
           out="[199. 199.]\n100000 1000000\n1.5 52.5\n")
    done = run("promised", ["--memory-limit", "30M", "-c", PROMISED])
    expect("promised", done, out="as Python has it\n")
    refuse("promised and seen", PROMISED_SEEN, "MemoryError: Unable to allocate 2.98 GiB for an array with "
           "shape (20000, 20000) and data type float64", ["--memory-limit", "30M"])
    done = run("not enough to start", ["--memory-limit", "1000", "-c", "1"])
    expect("not enough to start", done, status=1)
    finish()


main()
