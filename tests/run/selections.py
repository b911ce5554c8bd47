# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of operations that select, sort, count and scan, for tests of backends for devices: arrays of every type,
of many shapes and strides, with equal elements, NaN and zeros of both signs.

`program(rng)` returns the program. What it prints is the same to the last bit on every backend, but for lines that begin
with "about", whose numbers may differ a little.
"""

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
         "complex64", "complex128")
SHAPES = ("0,", "1,", "2,", "17,", "300,", "2048,", "2049,", "70001,", "40, 50", "3, 4, 5", "2, 3000", "3000, 2", "0, 3", "3, 0",
          "5, 300, 3", "2, 1, 700")

HEAD = """
import numpy as np
def show(*results):
    for r in results:
        r = np.asarray(r)
        print(r.dtype, r.shape, hash(r.tobytes()), r.ravel()[:4].tolist(), r.ravel()[-2:].tolist())
def about(r):
    print("about", r.dtype, r.shape, r.ravel()[:4].tolist(), r.ravel()[-2:].tolist(), r.ravel()[r.size // 2 :][:1].tolist())
rng = np.random.default_rng(%d)
def made(type, shape, large):
    n = int(np.prod(shape))
    x = rng.integers(-50, 50, n)
    if large:
        x = x * 123456789 + rng.integers(-10**6, 10**6, n)
    if type.startswith("int") or type.startswith("uint") or type == "bool":
        return (x // 3 if type == "bool" else x).astype(type).reshape(shape)
    y = (x / 16 if type != "float16" else x %% 512 / 16).astype(type)
    if type.startswith("complex"):
        y = y + 1j * rng.integers(-2, 2, n).astype(type)
    y = y.astype(type)
    if %d:
        y[n // 3 :: 13] = -0.0
        y[n // 2 :: 1000] = np.nan
        y[n // 2 + 1 :: 1000] = np.inf
    return y.reshape(shape)
"""

# Views of x, which has a copy behind it in every case.
VIEWS = ("x", "x", "x[::-1]", "x.T", "x[..., ::-1]", "x[::2]", "x[..., ::3]")

# Each with the types that it takes: any, i(ntegers and bool), n(umbers but complex), f(loats).
EXACT = (
    ("any", "show(np.sort(v, axis=a), np.argsort(v, axis=a, kind='stable'))"),
    ("any", "y = v.copy(); y.sort(axis=a); show(y)"),
    ("any", "if v.shape[a]: show(np.argmax(v, axis=a), np.argmin(v, axis=a))"),
    ("any", "if v.size: show(np.argmax(v), np.argmin(v))"),
    ("any", "m = v > 1; show(v[m], np.nonzero(m)[0], np.count_nonzero(m), m.any(), m.all())"),
    ("any", "y = v.copy(); y[y > 1] = 1; y[v != v] = np.arange(np.count_nonzero(v != v)); show(y)"),
    ("any", "m = v != 1; y = v.copy(); y[m] = y[m][::-1]; show(y)"),
    ("any", "s = np.sort(v.ravel()); show(np.searchsorted(s, v), np.searchsorted(s[::2], v, side='right'))"),
    ("any", "y = v.copy(); i = rng.integers(-len(y), len(y), 500 if len(y) else 0); y[i] = y[i][::-1]; show(y)"),
    ("any", "y = v.copy(); k = y.shape[-1]; i = rng.integers(0, k, 90 if k else 0); y[..., i] = y[..., i[::-1]]; show(y)"),
    ("any", "y = v.copy().ravel(); i = rng.integers(0, len(y), 900 if len(y) else 0); np.add.at(y, i, y[i]); show(y)"),
    ("n", "y = v.copy(); i = rng.integers(0, len(y), 90 if len(y) else 0); np.maximum.at(y, i, y[i]); show(y)"),
    ("i", "y = v.ravel().astype('int8' if v.dtype == bool else v.dtype); i = rng.integers(0, len(y), 90 if len(y) else 0); np.power.at(y, i, y[i] % 4); show(y)"),
    ("i", "show(np.cumsum(v, axis=a), np.cumprod(v, axis=a), np.cumsum(v))"),
    ("n", "show(np.maximum.accumulate(v, axis=a), np.minimum.accumulate(v, axis=a))"),
    ("i", "show(np.logical_xor.accumulate(v > 1, axis=a), np.bitwise_xor.accumulate(v, axis=a))"),
    ("f", "show(np.subtract.accumulate(v, axis=a))"),
    ("n", "k = v.shape[a]\nif k: show(np.maximum.reduceat(v, [0, k // 2, k // 3, k - 1], axis=a))"),
    ("i", "k = v.shape[a]\nif k: show(np.add.reduceat(v, np.arange(0, k, 7), axis=a))"),
    ("n", "y = v.ravel()[:4000]\nif len(y): show(np.convolve(y, y[:5]), np.convolve(y, y[:3], mode='same'), np.convolve(y[:9], y, mode='valid'))"),
    ("any", "y = v.ravel() != 1; show(np.packbits(y), np.packbits(v != 1, axis=a, bitorder='little'))"),
    ("any", "y = np.packbits(v.ravel() != 1); show(np.unpackbits(y), np.unpackbits(y, count=5, bitorder='little'))"),
    ("n", "i = np.abs(np.nan_to_num(v).ravel().astype(np.int64)) % 300; show(np.bincount(i), np.bincount(i * 70), "
          "np.bincount(i, weights=i / 7))"),
    ("n", "y = np.nan_to_num(v.ravel().astype(np.float64), posinf=3)\nif len(y): show(np.histogram(y, bins=9)[0], "
          "np.histogram(y, bins=6000, range=(-2, 3))[0], np.histogram(y, bins=5, weights=y[::-1])[0])"),
    ("n", "p = np.linspace(-3, 3, 50)\nshow(np.interp(v.ravel(), p, p ** 2), np.interp(v.ravel(), p[::7], np.floor(p[::7])))"),
    ("any", "show(np.arange(v.size, dtype=np.float16 if v.dtype == np.float16 else np.int32), np.arange(0.5, v.size, 0.7))"),
    ("n", "y = np.partition(v, v.shape[a] // 2, axis=a) if v.shape[a] else v; show(np.sort(y, axis=a) + 0)"),
)
ABOUT = (
    ("f", "about(np.cumsum(v, axis=a))\nabout(np.cumsum(v))"),
    ("f", "about(np.cumprod(1 + v / 1000, axis=a))"),
    ("f", "k = v.shape[a]\nif k: about(np.add.reduceat(v, [0, k // 2, k // 3, k - 1], axis=a))"),
)
# What the device does in any case.
NAMES = ("sort", "argsort", "argmax", "argmin", "compress", "expand", "nonzero", "count_nonzero", "searchsorted", "put", "take",
         "add.accumulate", "multiply.accumulate", "accumulate", "reduceat", "convolve", "pack_bits", "unpack_bits", "bincount",
         "histogram", "interpolate", "arange")


def takes(kinds, type):
    kind = "c" if type.startswith("complex") else "f" if type.startswith("float") else "i"
    return kinds == "any" or kinds == kind or (kinds == "n" and kind != "c") or (kinds == "f" and kind == "c")


def program(rng):
    has_odd = rng.randrange(2)
    lines = [HEAD % (rng.randrange(10**6), has_odd)]
    for _ in range(3):
        type, shape = rng.choice(TYPES), rng.choice(SHAPES)
        lines.append("x = made(%r, (%s), %d)" % (type, shape, rng.randrange(2)))
        # sums of what is not finite come to it in an order that a device does not keep
        ops = [op for kinds, op in EXACT + (() if has_odd else ABOUT) if takes(kinds, type)]
        for op in rng.sample(ops, 5):
            lines.append("v = %s\na = %s" % (rng.choice(VIEWS), rng.choice(("-1", "0"))))
            lines.append(op)
    return "\n".join(lines) + "\n"
