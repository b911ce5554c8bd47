#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random chains of conversions and changes of sparse arrays, by Nacre and by SciPy: after each step all that is stored
has to be the same, types of indices and order of entries included.

usage: formats_test.py NACRE [SEED [CHAINS]]
"""

import os
import random
import subprocess
import sys
import tempfile

# Runs on both. A chain is (kind, format, how it is made, steps); what it prints is compared line by line.
PROGRAM = '''
import sys, warnings
import numpy as np
import scipy.sparse as sp

warnings.simplefilter("ignore")


def show(*things):
    print(*[str(t).replace("\\n", "|") for t in things])


def plain(x):
    return x.tolist() if isinstance(x, np.ndarray) else x


def stored(A):
    f = A.format
    if f in ("csr", "csc", "bsr"):
        flags = (A.has_sorted_indices, A.has_canonical_format) if f != "bsr" else A.blocksize
        return A.indptr.dtype, A.indices.dtype, plain(A.indptr), plain(A.indices), plain(A.data), flags
    if f == "coo":
        return [c.dtype for c in A.coords], [plain(c) for c in A.coords], plain(A.data)
    if f == "dia":
        return A.offsets.dtype, plain(A.offsets), A.data.shape, plain(np.where(A._data_mask(), A.data, 0))
    if f == "lil":
        return [list(row) for row in A.rows], [[getattr(v, "item", lambda: v)() for v in row] for row in A.data]
    return [(tuple(int(i) for i in k) if A.ndim > 1 else int(k), v.item()) for k, v in A.items()]


def tried(function):
    try:
        return function()
    except (ValueError, TypeError, IndexError, NotImplementedError, AttributeError) as e:
        return type(e).__name__, str(e) if not isinstance(e, AttributeError) else ""


def asked(A):
    yield "dense", plain(A.toarray())
    yield "fortran", plain(A.toarray(order="F")), A.toarray(order="F").flags.f_contiguous
    yield "nnz", A.nnz, A.count_nonzero(), [plain(tried(lambda: A._getnnz(axis))) for axis in (0, 1, -1, 2)]
    yield "along", [plain(tried(lambda: A.count_nonzero(axis))) for axis in (0, 1, -1)]
    for k in (0, 1, -2, 9):
        yield "diagonal", k, plain(tried(lambda: A.diagonal(k)))
    yield "trace", tried(lambda: A.trace())
    yield "text", str(A)


def forget(A):
    """SciPy's arrays go on believing what they knew of the order of their entries, when these are changed."""
    for name in ("_has_sorted_indices", "_has_canonical_format"):
        A.__dict__.pop(name, None)
    return A


def step(A, name, args, kwargs):
    if name == "new":
        return getattr(sp, args[0])(A, **kwargs)
    if name == "write":
        if hasattr(A, "indices") and len(A.indices) > 1 and A.ndim == 2:
            A.indices[:] = A.indices[::-1].copy()
        return forget(A)
    if name == "setdiag" and A.format == "bsr":
        return A  # SciPy's looks for blocks where it should look for elements
    got = getattr(A, name)(*args, **kwargs)
    return forget(A) if got is None else got


def run(number, made, steps):
    made = [np.array(m, dtype=t) if t else m for m, t in made[:-1]] + [made[-1]]
    how, keywords = made[-1]
    source = made[0] if how == "dense" else tuple(made[0:1] + [tuple(made[1:-1])]) if how == "entries" else tuple(made[:-1])
    A = getattr(sp, keywords.pop("name"))(source, **keywords)
    show(number, "made", repr(A), stored(A))
    for name, args, kwargs in steps:
        new = tried(lambda: step(A, name, args, kwargs))
        if isinstance(new, tuple):
            show(number, name, args, kwargs, new)
            continue
        A = new
        show(number, name, args, kwargs, repr(A), A.dtype, stored(A))
    for line in asked(A):
        show(number, *line)


for number, (made, steps) in enumerate(CHAINS):
    run(number, made, steps)
'''

FORMATS = ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
          "complex64", "complex128")


def random_start(rng):
    rows, columns = rng.choice(((3, 4), (4, 4), (6, 6), (5, 2), (1, 7), (7, 1), (0, 3), (3, 0), (12, 12), (4, 6)))
    kind, dtype = rng.choice(("array", "array", "matrix")), rng.choice(DTYPES)
    low = 0 if dtype[0] in "ub" else -2
    if rng.random() < 0.4:
        dense = [[rng.randint(low, 3) if rng.random() < 0.4 else 0 for _ in range(columns)] for _ in range(rows)]
        keywords = {"name": "%s_%s" % (rng.choice(FORMATS), kind)}
        dense = dense if rows else [[]] * 0
        if rows == 0:
            return [((rows, columns), None)] + [("dense", dict(keywords, dtype=dtype))]
        return [(dense, dtype), ("dense", keywords)]
    # With more in a line the order in which SciPy leaves entries of one place is its sorting's.
    count = rng.randint(0, min(2 * rows * columns, 16))
    row, column = [rng.randrange(rows) for _ in range(count)], [rng.randrange(columns) for _ in range(count)]
    data = [rng.randint(low, 3) for _ in range(count)]
    index = rng.choice(("int32", "int64"))
    keywords = {"shape": (rows, columns)}
    if rng.random() < 0.5:
        keywords["name"] = "%s_%s" % (rng.choice(("csr", "csc", "coo", "bsr")), kind)
        return [(data, dtype), (row, index), (column, index), ("entries", keywords)]
    # compressed by rows, unsorted and with entries twice
    order = sorted(range(count), key=lambda k: row[k])
    indptr = [sum(r < i for r in row) for i in range(rows + 1)]
    keywords["name"] = "csr_" + kind
    return [([data[k] for k in order], dtype), ([column[k] for k in order], index), (indptr, index), ("parts", keywords)]


def random_step(rng):
    pick = rng.randrange(14)
    if pick < 5:
        name = rng.choice(FORMATS)
        kwargs = {"copy": rng.random() < 0.5} if rng.random() < 0.5 else {}
        if name == "bsr" and rng.random() < 0.5:
            kwargs["blocksize"] = rng.choice(((1, 1), (2, 2), (1, 2), (3, 3), (2, 1), (0, 1)))
        return "to" + name, (), kwargs
    if pick == 5:
        return rng.choice(("transpose", "copy", "conj", "conjugate")), (), {}
    if pick == 6:
        return rng.choice(("sum_duplicates", "sort_indices", "sorted_indices", "eliminate_zeros", "prune", "check_format")), (), {}
    if pick == 7:
        return "reshape", (rng.choice(((2, -1), (-1, 3), (6, 2), (-1, 1), (36, 1), (3, 4), (-1, -1))),), {"order": rng.choice("CFK")}
    if pick == 8:
        return "resize", (rng.choice(((2, 2), (5, 5), (3, 8), (6, 1), (4, 4))),), {}
    if pick == 9:
        return "setdiag", (rng.choice((0, 7, [1, 2], [3, 0, 1, 2, 1, 1, 1])), rng.randint(-3, 3)), {}
    if pick == 10:
        return "astype", (rng.choice(DTYPES),), {"copy": rng.random() < 0.5}
    if pick == 11:
        return "asformat", (rng.choice(FORMATS + ("none",)),), {}
    if pick == 12:
        return "write", (), {}
    return "new", ("%s_%s" % (rng.choice(FORMATS), rng.choice(("array", "array", "matrix"))),), {"copy": rng.random() < 0.5}


def answers(command, path):
    done = subprocess.run(command + [path], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit("%s failed (%d):\n%s%s" % (command[0], done.returncode, done.stdout[-2000:], done.stderr[-3000:]))
    return done.stdout.replace("np.", "").splitlines()


def main():
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        print("SciPy is not there")
        sys.exit(77)
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = random.Random(seed)
    chains = [(random_start(rng), [random_step(rng) for _ in range(rng.randint(1, 6))]) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chains.ncr")
        with open(path, "w", encoding="utf-8") as file:
            file.write("CHAINS = [\n" + "".join("    %r,\n" % (chain,) for chain in chains) + "]\n" + PROGRAM)
        mine, theirs = answers([os.path.abspath(sys.argv[1])], path), answers([sys.executable], path)
    wrong = 0
    for number in range(count):
        mark = "%d " % number
        for a, b in zip([line for line in mine if line.startswith(mark)], [line for line in theirs if line.startswith(mark)]):
            if a == b:
                continue
            wrong += 1
            if wrong <= 8:
                print("%s\nNacre: %s\nSciPy: %s" % (chains[number], a[:1500], b[:1500]))
            break
    if wrong or len(mine) != len(theirs):
        sys.exit("seed %d: %d of %d chains differ" % (seed, wrong, count))
    print("%d chains, %d lines" % (count, len(mine)))


main()
