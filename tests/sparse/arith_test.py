#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs with sparse arrays: formats, types, arithmetic, products, reductions, indexing and assignment. Nacre
and SciPy run the same script; each line has to tell the same of a result: class, format, type, shape and values, or the
type of the exception.

    arith_test.py PATH-OF-NACRE [--programs N] [--seed S] [--show]
"""

import argparse
import random
import re
import sys

import programs

HEAD = programs.TOLD + """
def show(number, f):
    try:
        print(number, told(f()))
    except Exception as e:
        print(number, "!", type(e).__name__.replace("UFunc", ""))  # NumPy's own class of TypeError

def assign(a, key, x):
    a = a.copy()
    a[key] = x
    return a

def iadd(a, x):
    a = a.copy()
    a += x
    return a

def imul(a, x):
    a = a.copy()
    a *= x
    return a

def idiv(a, x):
    a = a.copy()
    a /= x
    return a
"""
TYPES = ["float64"] * 4 + ["float32", "int64", "int32", "int8", "uint8", "bool", "complex128", "complex64"]
FORMATS = ["csr"] * 4 + ["csc"] * 4 + ["coo", "coo", "dia", "bsr", "lil", "dok"]
METHODS = ["sin", "sqrt", "expm1", "sign", "trunc", "rint", "floor", "ceil", "deg2rad", "tanh", "arctan"]


class Program:
    """One line of operations, and the lines that make its operands."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed} {number}")
        self.number, self.lines = number, []
        self.rows, self.columns = self.random.choice([(1, 4), (4, 1), (3, 3), (4, 5), (5, 4), (2, 6), (0, 3), (6, 6), (1, 1)])

    def element(self, dtype):
        r = self.random
        if dtype == "bool":
            return r.random() < 0.5
        if dtype.startswith("complex"):
            return complex(r.randint(-3, 3), r.randint(-3, 3))
        if dtype.startswith("float"):
            return r.choice([-2.5, -1.0, 0.0, 0.5, 1.0, 2.0, 3.25, 7.0])
        return r.randint(0 if dtype[0] == "u" else -4, 9)

    def dense(self, rows, columns, dtype, density=0.45):
        table = [[self.element(dtype) if self.random.random() < density else 0 for _ in range(columns)] for _ in range(rows)]
        return f"np.array({table!r}, dtype='{dtype}').reshape({rows}, {columns})"

    def sparse(self, name, rows, columns, formats=FORMATS):
        r = self.random
        dtype, format, kind = r.choice(TYPES), r.choice(formats), r.choice(["array", "array", "matrix"])
        if name == "A":
            self.format = format
        text = f"sp.{format}_{kind}({self.dense(rows, columns, dtype)})"
        if r.random() < 0.25 and rows * columns and format in ("csr", "csc", "coo"):
            text = self.disordered(rows, columns, dtype, format, kind)
        self.lines.append(f"{name} = {text}")

    def disordered(self, rows, columns, dtype, format, kind):
        """With indices that are not sorted, explicit zeros, and places that have several entries."""
        r = self.random
        count = r.randint(1, 9)
        data = f"np.array({[self.element(dtype) for _ in range(count)]!r}, dtype='{dtype}')"
        at = [r.randrange(rows) for _ in range(count)], [r.randrange(columns) for _ in range(count)]
        if format == "coo":
            return f"sp.coo_{kind}(({data}, {at!r}), shape=({rows}, {columns}))"
        lines, across = (rows, columns) if format == "csr" else (columns, rows)
        ends = sorted(r.randint(0, count) for _ in range(lines - 1))
        indices = [r.randrange(across) for _ in range(count)]
        return f"sp.{format}_{kind}(({data}, {indices!r}, {[0, *ends, count]!r}), shape=({rows}, {columns}))"

    # --- What is done ---

    def other(self):
        """A second operand of element-wise operations."""
        r, rows, columns = self.random, self.rows, self.columns
        kind = r.choice(["sparse"] * 4 + ["dense", "row", "column", "scalar", "sparse row", "sparse column", "wrong"])
        if kind == "scalar":
            return r.choice(["2", "0", "-1.5", "np.float32(2)", "True", "1j", "np.int8(3)", "np.array(2)", "0.5"])
        if kind == "dense":
            return self.dense(rows, columns, r.choice(TYPES), 0.8)
        if kind == "row":
            return self.dense(1, columns, "float64", 0.8) + r.choice(["", ".ravel()"])
        if kind == "column":
            return self.dense(rows, 1, "int64", 0.8)
        shape = {"sparse": (rows, columns), "sparse row": (1, columns), "sparse column": (rows, 1)}.get(kind, (rows + 1, columns))
        self.sparse("B", *shape)
        return "B"

    def arithmetic(self):
        r, other = self.random, self.other()
        form = r.choice(["A + X", "A - X", "A.multiply(X)", "A * X", "X * A", "X + A", "X - A", "A / X", "A == X", "A != X", "A < X",
                         "A > X", "A <= X", "A >= X", "A.maximum(X)", "A.minimum(X)", "X < A", "iadd(A, X)", "imul(A, X)",
                         "idiv(A, X)"])
        if self.format in ("lil", "dok") and ("/" in form or form.startswith("i")):
            form = "A + X"  # SciPy keeps the type of whole numbers there, and puts others into it
        if self.format == "dia" and ("/" in form or form.startswith("idiv")):
            form = "A - X"  # SciPy divides what is stored of diagonals beyond the shape, too
        return form.replace("X", other)

    def product(self):
        r, inner = self.random, self.columns
        width = r.choice([1, 3, 5])
        if r.random() < 0.5:
            self.sparse("B", inner, width)
            return r.choice(["A @ B", "A.dot(B)", "B.T @ A.T"])
        made = self.dense(inner, width, r.choice(TYPES), 0.8)
        left = self.dense(width, self.rows, r.choice(TYPES), 0.8)
        return r.choice([f"A @ {made}", f"A @ {made}[:, 0]", f"{left} @ A", f"{left}[0] @ A", f"A @ {made}.tolist()", "A @ 3",
                         f"A @ {self.dense(inner + 1, 2, 'float64')}"])

    def reduction(self):
        r = self.random
        axis = r.choice(["", "axis=0", "axis=1", "axis=-1", "axis=-2", "axis=None", "axis=(0, 1)", "axis=2"])
        name = r.choice(["sum", "mean", "min", "max", "argmin", "argmax", "nanmin", "nanmax", "count_nonzero"])
        if name == "count_nonzero" and self.format == "lil":
            name = "sum"  # a number of SciPy's, an int of Nacre's
        if name == "count_nonzero":
            axis = r.choice(["", "axis=0", "axis=1"])
        more = ", explicit=True" if name[:3] in ("min", "max", "arg", "nan") and r.random() < 0.3 else ""
        if name in ("sum", "mean") and r.random() < 0.3:
            more = ", dtype='float32'"
        return f"A.{name}({axis}{more})".replace("(, ", "(")

    def elementwise(self):
        return self.random.choice([f"A.{self.random.choice(METHODS)}()", "-A", "abs(A)", "round(A)", "A.power(2)", "A.power(3, dtype='float64')",
                                   "A.power(0)", "A.astype('float32')", "A.nonzero()", "A.diagonal()", "A.diagonal(k=1)", "A.trace()",
                                   "A.conj()", "A.T"])

    def index(self, extent, alone):
        r = self.random
        kind = r.choice(["int", "slice", "slice", "array", "mask", "int", "none" if alone else "slice", "column", "bad", "np int"])
        if kind == "int" or extent == 0:
            return str(r.randint(-extent, max(extent - 1, 0)))
        if kind == "np int":
            return f"np.int32({r.randrange(extent)})"
        if kind == "slice":
            parts = [r.choice(["", str(r.randint(-extent - 1, extent + 1))]) for _ in range(2)]
            return ":".join(parts + r.choice([[], ["2"], ["-1"], ["-2"], ["1"]]))
        if kind == "mask":
            return f"np.array({[r.random() < 0.5 for _ in range(extent)]!r})"
        if kind == "bad" and self.format == "lil":
            return str(extent)  # SciPy raises ValueError for others
        if kind == "bad":
            return r.choice([str(extent), f"[0, {extent + 2}]", f"[{-extent - 1}]", "1.5", "'x'"])
        places = [r.randint(-extent, extent - 1) for _ in range(r.randint(1, 3))]
        if kind == "column":
            return repr([[n] for n in places])
        return r.choice([repr(places), f"np.array({places!r})"])

    def key(self):
        r = self.random
        kind = r.choice(["one", "two", "two", "two", "mask", "ellipsis"])
        if kind == "mask":
            return f"{self.dense(self.rows, self.columns, 'bool')}"
        if kind == "one":
            return self.index(self.rows, True).replace("none", "0")
        first, second = self.index(self.rows, False), self.index(self.columns, False)
        if ("[" in first and ":" in second) or ("[[" in second and ":" in first):
            second = second if "[" in second else ":"  # SciPy takes a slice with a step for an array there
            first = first if "[" in first else ":"
        if kind == "ellipsis" and self.format not in ("lil", "dok"):
            return r.choice([f"..., {second}", f"{first}, ...", "...", f"None, {0 if '[' in first else first}, 0"])
        return f"{first}, {second}"

    def indexing(self):
        return f"A[{self.key()}]"

    def assignment(self):
        r = self.random
        x = r.choice(["1", "0", "2.5", "[1, 2]", "[[1], [2]]", "sp.csr_array([[3, 0]])", "np.array([[4]])", "A[:1, :1]", "True"])
        key = self.key()
        if self.format == "coo" and x.startswith(("sp", "A")):
            x = "[3, 0]"  # SciPy's own assignment of sparse arrays to COO fails where these are to be broadcast
        if self.format == "lil" and not self.rows:
            x = "1"  # a sequence for one element is an error of another kind there
        return f"assign(A, np.s_[{key}], {x})"

    def text(self):
        self.sparse("A", self.rows, self.columns)
        form = self.random.choice([self.arithmetic] * 5 + [self.product] * 2 + [self.reduction] * 2 + [self.elementwise, self.assignment] +
                                  [self.indexing] * 3)()
        return "\n    ".join([f"\ndef program_{self.number}():", *self.lines, f"show({self.number}, lambda: {form})"]) + \
            f"\n\nprogram_{self.number}()"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nacre")
    parser.add_argument("--programs", type=int, default=1500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--show", action="store_true", help="every program that differs, whole")
    args = parser.parse_args()
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        print("SciPy is not there")
        return 77
    made = [Program(args.seed, number).text() for number in range(args.programs)]
    want, [(got, done)] = programs.all_answers(args.nacre, HEAD + "\n".join(made) + "\n")
    beyond = re.compile(r"\(\d+, \d+, \d+\)|^! (AttributeError|KeyError|RuntimeError)")  # COO of three dimensions; mistakes of SciPy's own
    differ = [n for n in range(args.programs)
              if n not in got or n not in want or not (beyond.search(want[n]) or programs.same(got[n], want[n]))]
    for n in differ[:None if args.show else 10]:
        print(made[n].strip(), "\n   got:     ", got.get(n), "\n   expected:", want.get(n))
    raised = sum(line.startswith("!") for line in want.values())
    print(f"{args.programs - len(differ)} of {args.programs} programs agree with SciPy; {raised} raise")
    if len(want) != args.programs or raised > 0.4 * args.programs:
        print("the programs are not what they are to be")
        return 1
    if differ and done.returncode:
        print(done.stderr[-2000:])
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
