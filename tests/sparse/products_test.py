#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of several statements with products of sparse arrays: products in loops and within array work, writes
to what was multiplied after a product was recorded and before anybody looked, slices and views of data, matrices whose
rows are alike and some where that is almost so, narrow and wide indices, rows enough for several threads. Each program
runs by Nacre and by SciPy, and what both tell is compared.

    products_test.py PATH-OF-NACRE [--programs N] [--seed S] [--show]
"""

import argparse
import random
import sys
from itertools import zip_longest

import programs

HEAD = programs.TOLD + '''
def digest(r):
    """Of many elements some, and sums in which each has its weight."""
    if isinstance(r, (np.ndarray, np.generic)) and np.asarray(r).size > 60:
        r = np.asarray(r)
        weights = np.arange(r.size).reshape(r.shape) % 7 + 1
        return told(r.ravel()[::max(1, r.size // 40)]), told(r.sum()), told((r * weights).sum()), r.shape
    return told(r)

def tell(number, *results):
    for r in results:
        print(number, digest(r))

def rows_of(kind, n, m, k, seed):
    """Rows and columns of the entries of a matrix, sorted by rows."""
    rng = np.random.default_rng(seed)
    if kind == "stencil":
        w = max(1, int(n ** 0.5))
        offsets = np.array([-w, -1, 0, 1, w])
    elif kind == "band":
        offsets = np.arange(-(k // 2), k - k // 2)
    elif kind == "injection":
        offsets = np.array([k])
    elif kind == "repeated":
        offsets = None
        columns = np.tile(np.sort(rng.integers(0, m, k)), n)
    elif kind == "blocks":
        offsets = None
        columns = ((np.arange(n) // k * k)[:, None] + np.arange(k)).ravel()
    else:
        offsets = None
        columns = rng.integers(0, m, n * k)
    if offsets is not None:
        columns = (np.arange(n)[:, None] + offsets).ravel()
        k = len(offsets)
    rows = np.repeat(np.arange(n), k)
    kept = (columns >= 0) & (columns < m)
    if kind == "uneven":
        kept &= (rows % 5 != 3) & ((rows % 11 == 0) | (np.arange(n * k) % k < 2))
    return rows[kept], columns[kept]

def matrix(kind, n, m, k, seed, dtype, break_it=None, constant=False):
    """data, indices, indptr of a matrix by rows. break_it: what is wrong with its regularity, at one place."""
    rows, columns = rows_of(kind, n, m, k, seed)
    values = np.arange(len(rows)) % 5 - 2 if not constant else columns - rows
    if dtype[0] in "ub":
        values = abs(values)
    data = values.astype(dtype)
    at = len(rows) // 2
    if break_it == "missing" and len(rows):
        kept = np.arange(len(rows)) != at
        rows, columns, data = rows[kept], columns[kept], data[kept]
    elif break_it == "twice" and len(rows):
        rows, columns, data = (np.insert(x, at, x[at]) for x in (rows, columns, data))
    elif break_it == "unsorted" and len(rows) > 1:
        first = np.flatnonzero(rows == rows[at])
        columns[first] = columns[first][::-1].copy()
    elif break_it == "value" and len(rows):
        data[at] = 1
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
    return data, columns, indptr

def swap_in_row(A, row):
    """Two places of a line change their order."""
    a, b = int(A.indptr[row]), int(A.indptr[row + 1])
    if b - a > 1:
        A.indices[a:b] = A.indices[a:b][::-1].copy()

def forget(A):
    """SciPy goes on believing what it knew of the order of entries when these are changed."""
    for name in ("_has_sorted_indices", "_has_canonical_format"):
        A.__dict__.pop(name, None)
    return A

def residual(A, x, b):
    return b - A @ x

def normed(x):
    return x / (1 + abs(x).max())

def run(number, program):
    try:
        program(number)
    except Exception as e:
        print(number, "!", type(e).__name__.replace("UFunc", ""))
'''
TYPES = ["float64"] * 8 + ["float32", "int64", "int32", "int8", "uint8", "bool", "complex128", "complex64"]
KINDS = ["stencil", "band", "injection", "repeated", "blocks", "random", "uneven"]
BROKEN = [None] * 4 + ["missing", "twice", "unsorted", "value"]
SMALL = [(1, 1), (1, 5), (5, 1), (4, 4), (7, 7), (9, 9), (16, 16), (25, 25), (12, 7), (7, 12), (64, 64), (150, 150),
         (1300, 1300), (1100, 40)]
LARGE = [(2500, 2500), (4900, 4900), (9000, 9000), (20000, 20000), (30000, 2000), (3000, 12000)]
# Work on a thousand elements is done at once by default; so the second run is the one in which small products wait.
ENVIRONMENTS = ({}, {"NACRE_DEPTH": "256"})


class Program:
    """Statements over A (a sparse array), x and b (vectors), and what they make."""

    def __init__(self, seed, number, large_share):
        self.random = random.Random(f"{seed} {number}")
        self.number, self.lines, self.depth, self.made = number, [], 1, 0
        self.large = self.random.random() < large_share
        self.n, self.m = self.random.choice(LARGE if self.large else SMALL)

    def add(self, line):
        self.lines.append("    " * self.depth + line)

    def number_in(self, n):
        return self.random.choice([0, 1, n // 2, n - 1, -1]) if n > 1 else 0

    def vector(self, n, dtype=None):
        """The text of a vector of small whole numbers."""
        r = self.random
        dtype = dtype or self.type_beside()
        text = f"(np.arange({n}) * {r.choice([1, 3, 7])} % {r.choice([2, 5, 9])})"
        if dtype[0] not in "ub":
            text = f"({text} - {r.choice([0, 2])})"
        return f"{text}.astype('{dtype}')"

    def type_beside(self):
        return self.dtype if self.random.random() < 0.75 else self.random.choice(TYPES)

    # --- Matrices ---

    def make_matrix(self):
        r = self.random
        self.dtype, kind, k = r.choice(TYPES), r.choice(KINDS), r.choice([1, 2, 3, 4, 5, 8])
        self.square = self.n == self.m
        self.add(f"parts = matrix('{kind}', {self.n}, {self.m}, {k}, {r.randrange(99)}, '{self.dtype}', "
                 f"{r.choice(BROKEN)!r}, {r.random() < 0.4})")
        if r.random() < 0.15:  # data that lies in a larger array
            self.add("room = np.zeros(3 * len(parts[0]) + 5, dtype=parts[0].dtype)")
            start, step = r.choice([(3, 1), (1, 2), (0, 3)])
            self.add(f"room[{start}:{start} + {step} * len(parts[0]):{step}] = parts[0]")
            self.add(f"parts = (room[{start}:{start} + {step} * len(parts[0]):{step}], parts[1], parts[2])")
        name = r.choice(["csr_array"] * 3 + ["csr_matrix"])
        self.add(f"A = sp.{name}(parts, shape=({self.n}, {self.m}))")
        self.matrix_class, self.format = name.split("_")[1] == "matrix", "csr"
        wide = r.choice(["", "", "", "", "indices", "indptr", "both"])
        self.mixed = wide in ("indices", "indptr")  # most of SciPy's methods refuse indices of two types
        for name in ("indices", "indptr"):
            if wide in (name, "both"):
                self.add(f"A.{name} = A.{name}.astype(np.int64)")
        if r.random() < 0.3 and not self.mixed:
            self.format = r.choice(["csc", "csc", "csc", "coo", "bsr", "dia"] if not self.large else ["csc", "csc", "coo"])
            self.add(f"A = A.to{self.format}()")
        elif r.random() < 0.15 and self.square:
            self.add("A = A.T")
            self.format = "csc"
        self.compressed = self.format in ("csr", "csc")
        self.add(f"x = {self.vector(self.m)}")
        self.add(f"b = {self.vector(self.n)}")

    # --- Expressions ---

    def product(self):
        """A product whose length is n."""
        r = self.random
        x = r.choice(["x"] * 6 + ["(x + 1)", "x[::-1]", "(x * x)", "-x", f"{self.vector(self.m)}"])
        if self.square and r.random() < 0.15:
            return r.choice([f"(A.T @ {x})", f"({x} @ A)", f"(A @ (A @ {x}))", f"(A @ residual(A, {x}, b))"])
        if self.compressed and r.random() < 0.08:
            return f"(A @ np.resize(A.data[1:], {self.m}))"
        return r.choice([f"(A @ {x})"] * 3 + [f"A.dot({x})"])

    def wide_product(self):
        r = self.random
        width = r.choice([1, 2, 4, 5])
        made = f"np.stack([x * j for j in range({width})], axis=1)"
        return r.choice([f"(A @ {made})", f"(b @ A)", f"(A.T @ b)", f"(A @ {made}).sum(axis={r.choice([0, 1])})",
                         f"(np.stack([b, b + 1]) @ A)", f"(A @ {made})[:, {self.number_in(width)}] - b"])

    def expression(self):
        """One with a product in it, whose length is n."""
        r, p = self.random, self.product()
        c = r.choice(["2", "0.5", "-1"])
        return r.choice([p, p, f"b - {p}", f"{p} - b", f"{c} * {p} + b", f"abs({p})", f"{p} * {self.product()}",
                         f"{p} + {self.product()}", f"np.where({p} > 0, {p}, b)", f"np.sqrt(abs({p}))", f"residual(A, x, b)",
                         f"{p}.astype('float32')", f"np.cumsum({p})", f"{p} * b + {c}", f"np.maximum({p}.real, b.real)",
                         f"np.exp(-abs({p}))", f"({p} > b.real) & ({p} != 0)", f"-{p}", f"np.sign({p})", f"{p}[::-1]",
                         f"({p} + b)[::-1]", f"np.roll({p}, 1)", f"np.clip({p}.real, -3, 3)", f"{p} ** 2"])

    def reduction(self):
        r, e = self.random, self.expression()
        return r.choice([f"({e}).sum()", f"abs({e}).max()", f"({e}).real.min()", f"({e}).mean()", f"np.dot(b, {self.product()})",
                         f"(b * {self.product()}).sum()", f"abs({e}).argmax()", f"({e}).any()", f"np.count_nonzero({e})",
                         f"np.linalg.norm({e})", f"({e}).prod() * 0", f"({e})[{self.number_in(self.n)}]",
                         f"({e})[1:{self.n // 2 + 1}].sum()"])

    # --- Statements ---

    def record(self):
        """A name for something that nobody looks at yet."""
        self.made += 1
        self.add(f"y{self.made} = {self.expression() if self.random.random() < 0.8 else self.wide_product()}")

    def look(self):
        r = self.random
        known = [f"y{k}" for k in range(1, self.made + 1)]
        self.add(f"tell(number, {r.choice([self.expression(), self.reduction(), self.reduction(), *known, *known])})")

    def add_if(self, condition, *body):
        self.add(f"if {condition}:")
        self.depth += 1
        for line in body:
            self.add(line)
        self.depth -= 1

    def write_data(self):
        r = self.random
        whole = ["A.data[:] = A.data[::-1].copy()", "A.data = A.data + A.data", "A.data = A.data[:].copy()", "A.data.sort()",
                 "A.data[:] = np.resize(x, A.data.shape).astype(A.data.dtype)", "np.multiply(A.data, A.data, out=A.data)",
                 "A.data.fill(1)"]
        part = ["A.data[0]", "A.data[-1]", "A.data[len(A.data) // 2]", "A.data[1:4]", "A.data[::2]", "A.data[:]", "A.data[::-1]"]
        if self.compressed and r.random() < 0.2:
            self.add(r.choice(whole))
        elif self.compressed and r.random() < 0.1:
            self.add_if("A.data.size", "view = A.data[A.data.size // 3:]", "view += view.dtype.type(1)")
        elif self.format in ("bsr", "dia"):
            self.add(f"A.data[:] = A.data * A.dtype.type({r.randint(0, 3)})")
        else:
            self.add_if("A.data.size", f"{r.choice(part)} = {r.randint(0, 3)}")

    def write_indices(self):
        r = self.random
        if not self.compressed:
            return self.write_data()
        lines, across = (self.n, self.m) if self.format == "csr" else (self.m, self.n)
        row = r.randrange(lines)
        forms = [f"swap_in_row(A, {row})", f"A.indices[:] = {across - 1} - A.indices", f"A.indices[1:3] = {across // 2}",
                 f"A.indices[:] = (A.indices + 1) % {across}", "A.indices = A.indices.copy()", "A.indices[:1] = 0",
                 "A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)"]
        if row:
            forms.append(f"A.indptr[{row}] = A.indptr[{row + 1}]")
        self.add(r.choice(forms))
        self.add("forget(A)")

    def write_vector(self):
        r = self.random
        x = r.choice(["x", "b"])
        length = self.m if x == "x" else self.n
        self.add(r.choice([f"{x}[{self.number_in(length)}] = 1", f"{x}[::2] = 0", f"{x}[:] = {self.vector(length)}", f"{x} = {x} + 1",
                           f"{x}[1:] = {x}[:-1].copy()", f"{x} = {x}[::-1]", f"{x} = {x}.astype('{self.type_beside()}')",
                           f"{x}.fill(1)", f"{x} = np.repeat({x}, 2)[::2]"]))

    def update(self):
        """A vector is overwritten by what a product of it makes."""
        r = self.random
        forms = [f"b = {self.expression()}", "b -= (A @ x).astype(b.dtype)", f"b[:] = {self.product()}.astype(b.dtype)",
                 f"b[::2] = {self.product()}[::2].astype(b.dtype)", f"b = b + {self.product()}"]
        if self.square:
            forms += ["x = normed(A @ x)", "x[:] = (A @ x).astype(x.dtype)", "x -= (A @ x).astype(x.dtype)", "x, b = b, A @ x",
                      "x = x + (A @ x)", "x[1:] = (A @ x)[:-1].astype(x.dtype)"]
        self.add(r.choice(forms))

    def change(self):
        """Another matrix."""
        r = self.random
        if self.format not in ("csr", "csc") or self.mixed:
            return self.write_data()
        self.add("forget(A)")
        self.add("A.sum_duplicates()")  # the order of a sum's entries differs where those of its operands are in disorder
        made = r.choice(["2 * A", "A + A", "-A", "A.copy()", "A.multiply(A)", "abs(A)", "A * 1.5"])
        forms = [f"A = {made}", "A.sort_indices()", "A.eliminate_zeros()", "A.T.data[:1] = 3",
                 "A = A.__class__((A.data, A.indices, A.indptr), shape=A.shape)"]
        if self.dtype != "bool" and not self.matrix_class:
            forms.append("A *= 2")
        if not self.large:
            forms.append(f"A.setdiag({r.randint(0, 2)})")
        elif self.format == "csr":
            forms.append("A = A.tocsc().tocsr()")
        self.add(r.choice(forms))

    def loop(self):
        r = self.random
        rounds = r.choice([2, 3, 5]) if self.large else r.choice([2, 3, 7, 40])
        self.add(f"for i in range({rounds}):")
        self.depth += 1
        for _ in range(r.randint(1, 3)):
            choice = r.choice([self.write_data, self.write_vector, self.write_indices, self.record, self.update])
            choice() if rounds < 40 or choice is not self.update else self.record()
        if self.square and rounds < 40:
            self.add("x = normed(A @ x)")
        if r.random() < 0.3 and not self.dtype.startswith("complex"):
            self.add_if(f"{self.reduction()} > 2", "b = b + 1")
        if rounds < 10 and r.random() < 0.4:
            self.look()
        self.depth -= 1

    def text(self):
        r = self.random
        self.lines = [f"\ndef program_{self.number}(number):"]
        self.make_matrix()
        for _ in range(r.randint(2, 7)):
            r.choice([self.record] * 4 + [self.look] * 2 + [self.write_data] * 2 +
                     [self.write_indices, self.write_vector, self.update, self.change, self.loop])()
        names = ["b", "x"] + [f"y{k}" for k in range(1, self.made + 1)]
        self.add(f"tell(number, {', '.join(names)}, A @ x)")
        return "\n".join(self.lines) + f"\n\nrun({self.number}, program_{self.number})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nacre")
    parser.add_argument("--programs", type=int, default=400)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--large", type=float, default=0.06, help="the share of programs with thousands of rows")
    parser.add_argument("--show", action="store_true", help="every program that differs, whole")
    args = parser.parse_args()
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        print("SciPy is not there")
        return 77
    made = [Program(args.seed, number, args.large).text() for number in range(args.programs)]
    want, runs = programs.all_answers(args.nacre, HEAD + "\n".join(made) + "\n", ENVIRONMENTS)
    raised = sum("\n!" in f"\n{told}" for told in want.values())
    if len(want) != args.programs or raised > 0.2 * args.programs:
        print(f"the programs are not what they are to be: SciPy runs {len(want)}, of which {raised} raise")
        return 1
    wrong = False
    for more, (got, done) in zip(ENVIRONMENTS, runs):
        differ = [n for n in want if not agrees(got.get(n, ""), want[n])]
        for n in differ[:None if args.show else 5]:
            print(made[n].strip())
            show_difference(got.get(n, ""), want[n])
        print(f"{args.programs - len(differ)} of {args.programs} programs agree with SciPy {more or ''}; {raised} raise")
        if differ and done.returncode:
            print(done.stderr[-2000:])
        wrong |= bool(differ)
    return 1 if wrong else 0


def agrees(got, want):
    return programs.same(got, want, of_largest=True)


def show_difference(got, want):
    for line, other in zip_longest(got.split("\n"), want.split("\n"), fillvalue=""):
        if not agrees(line, other):
            print("   got:     ", line[:1500], "\n   expected:", other[:1500])
            return


if __name__ == "__main__":
    sys.exit(main())
