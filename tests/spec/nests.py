# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of nested counted loops with affine indexes: some of the loops may run in parallel, some only look like
it. Rounds meet by a row, a column or a diagonal; arrays are the same or overlap; indexes are out of range, or count from
the end; a float condition or an exception comes up in one round in the middle; names keep what the last round made."""

import random

SIZE = 120
RANGES = ("2, n - 2",) * 12 + ("n", "1, n - 1", "1, n", "n - 1", "2, n - 2, 2", "n - 3, 1, -1", "n - 2, 0, -1", "3, n - 2, 3")
INNER = RANGES + ("2, {0}", "{0}, n - 2", "{0} + 1, n", "2, {0}", "{0} // 2 + 2, {0}", "2, n - {0}")
SHORT = ("2, 14", "4", "{0} - 2, {0}", "2, n - 2, 11", "{0}, n - 2, 9")
OFFSETS = ("", "", "", "", "", " - 1", " + 1", " - 2", " + 2")
HEAD = """import numpy as np

n = {size}
rng = np.random.default_rng({seed})
A = rng.random((n, n)) - 0.5
B = rng.random((n, n)) - 0.5
C = np.zeros((n, n))
D = {alias}
K = rng.integers(-4, 5, (n, n))
y = np.zeros(n)
z = rng.random(n) + 0.25
p = rng.permutation(n)
k = np.arange(n)
"""
TAIL = """
def tell(name, a):
    bits = np.ascontiguousarray(a).view(np.int64).ravel()
    print(name, np.bitwise_xor.reduce(bits), (bits >> 7).sum())

for name, a in (('A', A), ('B', B), ('C', C), ('D', D), ('K', K), ('y', y), ('z', z), ('k', k)):
    tell(name, a)
"""


class Nests:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.lines = []
        self.depth = 0
        self.names = []

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    # --- Expressions ---------------------------------------------------------------------------

    def index(self):
        name = self.pick(self.names)
        return self.pick((name + self.pick(OFFSETS),) * 9 + ("0", "-1", "n - 1 - " + name, "2 * %s - %s" % (name, name),
                                                            "p[%s]" % name, "w", name + " - w"))

    def row_index(self):
        """Mostly the outermost loop's, so that rounds keep apart."""
        return self.names[0] + self.pick(OFFSETS[:6]) if self.chance(80) else self.index()

    def column(self):
        return self.names[-1] + self.pick(OFFSETS) if self.chance(75) else self.index()

    def place(self):
        return "[%s, %s]" % (self.row_index(), self.column())

    def number(self, level=0):
        kind = self.random.random()
        if level > 2 or kind < 0.5:
            return self.pick("AABBDK") + self.place()
        if kind < 0.6:
            return "%s[%s]" % (self.pick("yz"), self.row_index())
        if kind < 0.7:
            return self.pick(("0.5", "t", "2", "x", "0.25"))
        if kind < 0.95:
            return "(%s %s %s)" % (self.number(level + 1), self.pick("+-*+-*+-*/"), self.number(level + 1))
        return self.pick(("abs(%s)", "-%s")) % self.number(level + 1)

    # --- Statements ----------------------------------------------------------------------------

    def row(self):
        """A row, a column, or a part of one, all of one length."""
        part = self.pick(("2:-2", "1:-3", "3:-1", "2:-2", "4:"))
        return self.pick("AABBCDK") + self.pick(("[%s, %s]", "[%s, %s]", "[%s, %s]", "[%s][%s]")) % (self.row_index(), part) \
            if self.chance(85) else "%s[%s, %s]" % (self.pick("ABD"), part, self.names[0])

    def row_statement(self):
        value = self.pick(("{} * 0.5", "{} + {}", "{} - x", "np.abs({})", "{} * {} + t", "{} / {}", "np.maximum({}, {})"))
        value = value.replace("{}", "%s") % tuple(self.row() for _ in range(value.count("{}")))
        self.put("%s[%s, 2:-2] %s %s" % (self.pick("CCCABD"), self.row_index(), self.pick(("=", "=", "+=", "-=")), value))

    def statement(self):
        if len(self.names) < 3 and self.chance(12):
            self.row_statement()
            return
        kind = self.random.random()
        target = self.pick(("C", "C", "C", "C", "A", "B", "D")) + self.place()
        if kind < 0.35:
            self.put("%s = %s" % (target, self.number()))
        elif kind < 0.55:
            self.put("%s %s= %s" % (target, self.pick("+-+*"), self.number()))
        elif kind < 0.65:
            self.put("y[%s] += %s" % (self.names[0] if self.chance(85) else self.index(), self.number()))
        elif kind < 0.72:
            self.put("K%s = %s" % (self.place(), self.pick(("%s %% 7", "(%s * 3 + 1) // 2", "%s", "%s * %s" % (self.names[0], "%s")))
                                   % self.pick(self.names)))
        elif kind < 0.80:
            self.put("x = %s" % self.number())
            self.put("%s = x * 0.5" % target)
        elif kind < 0.86:
            self.put("if %s > %s:" % (self.number(), self.pick(("0", "0.25", "t"))))
            self.depth += 1
            self.put("%s = %s" % (target, self.number()))
            self.depth -= 1
        elif kind < 0.90:
            self.put("if %s == %d and %s == %d:" % (self.names[0], self.random.randrange(SIZE), self.names[-1], self.random.randrange(SIZE)))
            self.depth += 1
            self.put(self.pick(("raise ValueError(%s)" % self.names[0], "%s = np.float64(1e308) * 1e10" % target,
                                "%s = 1 / (%s - %s)" % (target, self.names[0], self.names[0]), "break", "continue",
                                "k[%s] = 5" % self.names[-1])))
            self.depth -= 1
        else:
            self.put("k[%s] += %s" % (self.index(), self.pick(("1", self.names[0], "K%s" % self.place()))))

    def nest(self, depth):
        name = "ijl"[len(self.names)]
        inner = self.pick(SHORT if len(self.names) == 2 else INNER).format(self.pick(self.names)) if self.names else self.pick(RANGES)
        self.put("for %s in range(%s):" % (name, inner))
        self.names.append(name)
        self.depth += 1
        if depth > 1:
            accumulates = self.chance(40)
            if accumulates:
                self.put("t = %s" % self.pick(("0.0", "0", "0.5")))
            elif self.chance(30):
                self.statement()
            self.nest(depth - 1)
            if accumulates:
                self.put("%s[%s] = t" % (self.pick("yz"), self.row_index()) if self.chance(60) else "C%s = t" % self.place())
        else:
            if len(self.names) > 1 and self.chance(50):
                self.put("t += %s" % self.number())
            for _ in range(self.random.randrange(1, 3)):
                self.statement()
        self.depth -= 1
        self.names.pop()

    def part(self, number):
        """A nest, within a function or not, with what it raises."""
        within = self.chance(60)
        if within:
            self.put("def part%d(A, B, C, D, K, y, z, p, k, n, w):" % number)
            self.depth += 1
            self.put("t = x = 0.5")
        else:
            self.put("w = %d" % self.random.randrange(-1, 4))
            self.put("t = x = 0.5")
        self.put("try:")
        self.depth += 1
        depth = self.pick((2, 2, 3, 3))
        self.nest(depth)
        self.depth -= 1
        self.put("except (ValueError, IndexError, ZeroDivisionError) as error:")
        self.put("    print(type(error).__name__, error)")
        if not within:
            self.put("print(%s)" % ", ".join(("t", "x", "i", "j", "l")[:2 + depth]))
            return
        self.depth -= 1
        self.put("for turn in range(2):")
        self.put("    part%d(A, B, C, D, K, y, z, p, k, n, %d)" % (number, self.random.randrange(-1, 4)))

    def text(self):
        alias = self.pick(("rng.random((n, n))",) * 4 + ("A", "B.T", "A[::-1]"))
        self.lines = HEAD.format(size=SIZE, seed=self.seed, alias=alias).splitlines()
        self.put("i = j = l = 0")
        for number in range(3):
            self.part(number)
        return "\n".join(self.lines) + TAIL


def make_program(seed):
    return Nests(seed).text()
