# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: ops.py SIZE: the seconds of one call for each operation on arrays of so many elements.
import sys

import numpy as np

from clock import measured

n = int(sys.argv[1])
side = int(n ** 0.5)
names = """abs add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor cbrt ceil
copysign cos cosh deg2rad divide equal exp exp2 expm1 fabs floor floor_divide fmax fmin fmod greater greater_equal
hypot invert isfinite isinf isnan left_shift less less_equal log log10 log1p log2 logaddexp logical_and logical_not
logical_or logical_xor maximum minimum multiply negative not_equal positive power rad2deg reciprocal remainder
right_shift rint sign signbit sin sinh sqrt square subtract tan tanh trunc""".split()
pairs = """add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal floor_divide fmax fmin fmod greater
greater_equal hypot left_shift less less_equal logaddexp logical_and logical_or logical_xor maximum minimum multiply
not_equal power remainder right_shift subtract""".split()
integer = "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift".split()

x = (np.arange(n) % 1000 + 0.5) / 1001
y = (np.arange(n) % 77 + 1.0) / 78
i = np.arange(n) % 50
j = np.arange(n) % 7 + 1
f = x.astype(np.float32)
mask = i > 20
places = (np.arange(n) * 7919) % n
square = x[:side * side].reshape(side, side)
above = x + 1.5
few, none = i > 48, i > 50
square_mask = mask[:side * side].reshape(side, side)
selected, w, counts = x[mask], x.copy(), i.copy()
z = x + 1j * y


def put_by_mask():
    w[mask] = selected


def put_number():
    w[mask] = 0.5


def add_by_mask():
    counts[mask] += 1


def put_by_places():
    w[places] = x


def ufunc(name):
    function = getattr(np, name)
    if name in integer:
        measured(name + " int64", (lambda: function(i, j)) if name in pairs else lambda: function(i))
    elif name in pairs:
        measured(name + " float64", lambda: function(x, y))
    else:
        a = above if name == "arccosh" else x
        measured(name + " float64", lambda: function(a))


for name in names:
    ufunc(name)
for name in "add multiply divide sqrt exp sin less maximum".split():
    function = getattr(np, name)
    measured(name + " float32", (lambda: function(f, f)) if name in pairs else lambda: function(f))
for name in "add multiply floor_divide remainder less maximum".split():
    function = getattr(np, name)
    measured(name + " int64", lambda: function(i, j))
for name in "sum prod max min mean std var any all argmax argmin cumsum cumprod".split():
    function = getattr(np, name)
    measured(name + " float64", lambda: function(x))
measured("sum int64", lambda: i.sum())
for name in "abs add multiply divide".split():
    function = getattr(np, name)
    measured(name + " complex128", (lambda: function(z, z)) if name in pairs else lambda: function(z))
measured("cumsum int64", lambda: np.cumsum(i))
measured("cumsum along rows", lambda: np.cumsum(square, axis=1))
measured("cumsum along columns", lambda: np.cumsum(square, axis=0))
measured("sum of a mask", lambda: mask.sum())
measured("count_nonzero", lambda: np.count_nonzero(mask))
measured("any of a mask", lambda: mask.any())
measured("any of none", lambda: none.any())
measured("all of a mask", lambda: mask.all())
measured("sum along rows", lambda: square.sum(axis=1))
measured("sum along columns", lambda: square.sum(axis=0))
measured("a number added", lambda: x + 2.5)
measured("a row added", lambda: square + x[:side])
measured("every second", lambda: x[::2] + y[::2])
measured("in place", lambda: np.add(y, 0.0, out=y))
measured("astype int64 to float64", lambda: i.astype(float))
measured("astype float64 to float32", lambda: x.astype(np.float32))
measured("copy", lambda: x.copy())
measured("copy transposed", lambda: square.T.copy())
measured("where", lambda: np.where(mask, x, y))
measured("x[mask]", lambda: x[mask])
measured("x[few]", lambda: x[few])
measured("x[mask] of complex128", lambda: z[mask])
measured("x[mask] of a matrix", lambda: square[square_mask])
measured("x[mask] = values", put_by_mask)
measured("x[mask] = number", put_number)
measured("x[mask] += 1", add_by_mask)
measured("compress", lambda: np.compress(mask, x))
measured("x[places]", lambda: x[places])
measured("x[places] = values", put_by_places)
measured("take", lambda: np.take(x, places))
measured("put", lambda: np.put(w, places, x))
measured("nonzero", lambda: np.nonzero(mask))
measured("nonzero of a matrix", lambda: np.nonzero(square_mask))
measured("flatnonzero of few", lambda: np.flatnonzero(few))
measured("concatenate", lambda: np.concatenate((x, y)))
measured("arange", lambda: np.arange(n))
measured("zeros", lambda: np.zeros(n))
measured("ones", lambda: np.ones(n))
measured("linspace", lambda: np.linspace(0, 1, n))
measured("clip", lambda: np.clip(x, 0.2, 0.8))
measured("round", lambda: np.round(x, 2))
measured("dot", lambda: np.dot(x, y))
measured("outer", lambda: np.outer(x[:side], y[:side]))
measured("matmul", lambda: square @ square)
