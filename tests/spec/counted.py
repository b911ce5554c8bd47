# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of long counted loops: what their fast copies take for granted holds, or ceases to somewhere. A
NaN, a zero to divide by, an integer near 2**63 or a bad index comes up in the first, the last, or some round in the
middle of a chunk; arrays overlap; rounds step by more than one, or backwards, or are none."""

import random

LENGTH = 5000
PLACES = (0, 1, 2, 1022, 1023, 1024, 1025, 2047, 2500, 4094, 4095, 4096, 4097, 4900, LENGTH - 2, LENGTH - 1)
ODD_FLOATS = ("np.nan", "np.inf", "-np.inf", "1e308", "-1e308", "0.0", "-0.0", "5e-324", "1e-308")
ODD_INTS = ("2**63 - 1", "-2**63", "2**62", "-2**62", "-1", str(LENGTH), str(-LENGTH), str(LENGTH - 1), str(-LENGTH - 1))
RANGES = ("n", "n", "n", "1, n", "1, n - 1", "2, n - 2", "n - 1, -1, -1", "n - 2, 0, -1", "0, n, 2", "0, n, 7", "3, n - 3, 5",
          "n - 1, 0, -3", "n + 1", "n, n", "n, 0", "-n, 0", "-n, -1", "-3, n - 3", "0, n, step", "n - 1, 3, step", "n // 2",
          "n // 2, n", "start, start + n // 3", "0, 2**62, 2**50", "2**62, 2**62 + n", "2**63 - 1 - n, 2**63 - 1",
          "2**63 - 1 - n, 2**63 + 5", "0, -n, -1", "-2**63, -2**63 + n // 4", "7")
WHILES = (("0", "{} < n", "+= 1"), ("0", "{} <= n - 1", "+= 1"), ("n - 1", "{} >= 0", "-= 1"), ("n - 1", "{} > 0", "-= 2"),
          ("0", "{} != n", "+= 1"), ("n", "{} != 1", "-= 1"), ("0", "n > {}", "+= 3"), ("1", "not {} >= n", "+= 1"),
          ("0", "{} < n", "+= abs(step) + 1"), ("n // 2", "{}", "-= 1"), ("start", "{} + 2 < n", "+= 1"), ("0", "{} < 10 * n", "+= 11"))


class Counted:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["import numpy as np", ""]
        self.depth = 0
        self.names = []
        self.ending = "continue"  # what may end a round

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    # --- Expressions ---------------------------------------------------------------------------

    def index(self):
        i = self.pick(self.names)
        return self.pick((i, i, i, i, i, i + " - 1", i + " + 1", "-" + i, "-" + i + " - 1", "n - 1 - " + i, i + " % n", i + " // 2",
                          "2 * " + i, i + " & 1023", "k[%s %% n] %% n" % i, i + " + start", "start - " + i, "0", "-1", "start",
                          i + " * step", "(%s * 3 + 1) %% n" % i, i + " >> 1", "min(%s, n - 1)" % i, "abs(%s) %% 100" % i))

    def plain_index(self):
        return self.index() if self.chance(35) else self.names[-1]

    def element(self):
        if self.square and self.chance(40):
            return "%s[%s, %s]" % (self.pick("MN"), self.pick(self.square), self.pick(self.square))
        return "%s[%s]" % (self.pick("aabbcde"), self.plain_index())

    def number(self, level=0):
        kind = self.random.random()
        if level > 2 or kind < 0.4:
            return self.element()
        if kind < 0.5:
            return self.pick(("x", "y", "s", "t", "0.5", "2.0", "3", "x", "y"))
        if kind < 0.55:
            return self.pick(self.names + ["q", "k[%s]" % self.plain_index()])
        if kind < 0.62:
            return "%s(%s)" % (self.pick(("np.sqrt", "abs", "-", "np.exp", "float", "np.floor")), self.number(level + 1))
        if kind < 0.66:
            return "(%s if %s else %s)" % (self.number(level + 1), self.test(), self.number(level + 1))
        if kind < 0.68:
            return "%s(%s, %s)" % (self.pick(("max", "min", "np.maximum")), self.number(level + 1), self.number(level + 1))
        op = self.pick("+ + + - - * * * /".split())
        right = self.pick(("2.0", "x", "(y + 1.5)", "3")) if op == "/" and self.chance(60) else self.number(level + 1)
        return "(%s %s %s)" % (self.number(level + 1), op, right)

    def integer(self, level=0):
        kind = self.random.random()
        if level > 2 or kind < 0.35:
            return self.pick(self.names)
        if kind < 0.5:
            return self.pick(("k[%s]" % self.plain_index(), "e[%s]" % self.plain_index(), "q", "start", "step", "big"))
        if kind < 0.6:
            return self.pick(("1", "2", "3", "-1", "7", "1000003"))
        op = self.pick("+ + - - * * % // & >> | ^".split())
        right = self.pick(("2", "3", "7", "n")) if op in ("%", "//", ">>") else self.integer(level + 1)
        return "(%s %s %s)" % (self.integer(level + 1), op, right)

    def test(self):
        if self.chance(50):
            return "%s %s %s" % (self.integer(1), self.pick(("<", ">", "==", "!=", ">=")), self.integer(2))
        return "%s %s %s" % (self.number(2), self.pick(("<", ">", "<=", ">=", "==", "!=")), self.number(2))

    # --- Statements ----------------------------------------------------------------------------

    def statement(self, level):
        kind = self.random.random()
        if kind < 0.4:
            target = self.element()
            self.put("%s %s %s" % (target, self.pick(("=", "=", "=", "+=", "-=", "*=")), self.number()))
        elif kind < 0.5:
            self.put("k[%s] %s %s" % (self.plain_index(), self.pick(("=", "+=")), self.integer()))
        elif kind < 0.65:
            self.put("%s %s %s" % (self.pick("st"), self.pick(("+=", "+=", "-=", "=", "*=")), self.number()))
        elif kind < 0.8:
            self.put("q %s %s" % (self.pick(("+=", "+=", "-=", "=")), self.integer()))
            if self.chance(60):
                self.put("if q > 2**62 or q < -2**62: q = 1")
        elif kind < 0.9 and level < 2:
            self.put("if %s:" % self.test())
            self.block(level + 1)
            if self.chance(40):
                self.put("else:")
                self.block(level + 1)
        elif kind < 0.95:
            self.put("if %s: %s" % (self.test(), self.pick(("break", self.ending))))
        elif self.chance(20):
            self.put("log.append(str(%s))" % self.pick(("s", "q", self.names[-1])))

    def block(self, level):
        self.depth += 1
        self.put("pass")
        for _ in range(self.random.randint(1, 3 - (level > 0))):
            self.statement(level)
        self.depth -= 1

    def simple_loop(self):
        """What the fast copies are made for."""
        i = "i"
        self.names = [i]
        self.put("for i in range(%s):" % self.pick(RANGES))
        self.depth += 1
        for _ in range(self.random.randint(1, 2)):
            self.put(self.pick(("a[i] = b[i] * x + c[i]", "s += a[i] * b[i]", "q += i * step", "q += k[i]", "a[i] = a[i] * y - x",
                                "a[i] = a[i - 1] + b[i]", "e[k[i] % 100] += 1", "c[i] = a[i] / b[i]", "s = max(s, a[i])",
                                "k[i] = k[i] + e[i]", "e[i] = i", "d[i] = d[i] * x", "if a[i] > s: s = a[i]", "t = b[i] - s",
                                "b[n - 1 - i] = a[i]", "c[i] -= x * c[i - 1]", "q += i * i * i", "a[i], b[i] = b[i], a[i]",
                                "if k[i] > 3: q += 1", "d[i] = i * 0.5", "t += x / y", "b[i] = s; s = a[i]")))
        self.depth -= 1

    def loop(self):
        i = "ij"[len(self.names)]
        if self.chance(35):
            begin, test, step = self.pick(WHILES)
            self.put("%s = %s" % (i, begin))
            self.put("while %s:" % test.format(i))
            self.names.append(i)
            self.depth += 1
            if self.chance(50):
                self.put("rounds += 1")
                self.put("if rounds > 20000: break")
                self.put("if rounds % 3 == 1 and rounds < 10: continue" if self.chance(20) else "pass")
            first = self.chance(50)
            if first:
                self.put("%s %s" % (i, step))
            self.ending = "break"
            self.statement(0)
            self.statement(0)
            self.ending = "continue"
            if not first:
                self.put("%s %s" % (i, step))
            self.put("if %s > 20000 or %s < -20000: break" % (i, i))
            self.depth -= 1
        elif self.chance(15):
            self.put("for %s in range(start, %s):" % (i, self.pick(("n", "n - 1"))))
            self.put("    pass")
            self.put("for v in %s:" % self.pick("abcdek"))
            self.names.append(i)
            self.depth += 1
            self.put("%s %s v%s" % (self.pick("stq"), self.pick(("+=", "=", "-=")), self.pick(("", " * 2", " + x"))))
            self.depth -= 1
            self.block(0)
        else:
            self.put("for %s in range(%s):" % (i, self.pick(RANGES)))
            self.names.append(i)
            self.block(0)

    def nest(self):
        """Rows and columns of two arrays."""
        rows = self.pick(("40", "1, 39", "39, -1, -1", "0, 40, 3", "41"))
        columns = self.pick(("30", "1, 29", "i", "i, 30", "29, -1, -1", "30", "-30, 0", "i % 30"))
        self.names, self.square = ["i", "j"], ["i", "j", "i - 1", "j - 1", "j + 1", "i % 30", "j", "i", "0", "-1"]
        self.put("for i in range(%s):" % rows)
        self.put("    for j in range(%s):" % columns)
        self.depth += 1
        self.block(1)
        self.depth -= 1

    # --- All of it -----------------------------------------------------------------------------

    def function(self, number):
        self.names, self.square = [], []
        self.put("def f%d(a, b, c, d, e, k, M, N, n, start, step, big, s, t, q, x, y):" % number)
        self.depth = 1
        self.put("log, rounds, i, j = [], 0, 0, 0")
        guarded = self.chance(50)
        if guarded:
            self.put("try:")
            self.depth += 1
        self.pick((self.simple_loop, self.simple_loop, self.loop, self.loop, self.nest))()
        if guarded:
            self.depth -= 1
            self.put("except (IndexError, ZeroDivisionError, FloatingPointError, OverflowError, ValueError) as error:")
            self.put("    log.append(str(error))")
        self.put("return s, t, q, %slog[:5]" % self.pick(("", "i, ")))
        self.depth = 0
        self.put("")

    def arrays(self):
        base = "base"
        self.put("base = np.arange(3 * %d) %% 97 / 7" % LENGTH)
        views = ["base[:n].copy()", "base[:n].copy()", "base[n:2 * n]", "base[n + %d:2 * n + %d]" % ((self.pick((1, 2, 5, 1000)),) * 2),
                 "base[2 * n - 1:n - 1:-1]", "base[:2 * n:2]", "base[1:2 * n:2]", "base[:n]", "base[2 * n:]", "base[:n].astype('float32')",
                 "np.lib.stride_tricks.as_strided(base[:n].copy(), (n,), (0,))"]
        weights = [12, 12, 3, 3, 2, 2, 2, 3, 3, 2, 0.3]
        for name in "abcd":
            self.put("%s = %s" % (name, self.random.choices(views, weights)[0]))
        self.put("e = (np.arange(n) %% 50).astype('%s')" % self.pick(("int64", "int32", "uint8", "float32", "int16")))
        self.put("k = np.arange(n) * 7919 % 1000")
        self.put("M, N = np.arange(1200.).reshape(40, 30) / 3, np.arange(1200.).reshape(30, 40).T")
        for name in "abcd":
            if self.chance(25):
                self.put("%s[%d] = %s" % (name, self.pick(PLACES), self.pick(ODD_FLOATS)))
        if self.chance(30):
            self.put("k[%d] = %s" % (self.pick(PLACES), self.pick(ODD_INTS)))
        if self.chance(15):
            self.put("M[%d, %d] = %s" % (self.random.randint(0, 39), self.random.randint(0, 29), self.pick(ODD_FLOATS)))

    def call(self, number):
        start, step = self.pick((0, 1, 2, 5, 40, -1, -5)), self.pick((1, 1, 2, 3, -1, 7, 0))
        big = self.pick(("2**62", "-2**62", "2**50", "3", "2**63 - 5000", "2**63 - 10"))
        s, t = (self.pick(("0", "0.0", "1.5", "np.float64(2.0)", "np.float64(0)", "np.float32(1)", "1e308")) for _ in "st")
        q = self.pick(("0", "0", "1", "2**63 - 1", "2**63 - 3000000", "-2**63 + 100", "np.int64(5)", "np.int64(2**63 - 100)"))
        x, y = (self.pick(("0.5", "np.float64(1.25)", "np.float64(0.0)", "2.0", "1e200", "np.float64(1e300)", "np.float64(-3.0)"))
                for _ in "xy")
        self.put("args = a, b, c, d, e, k, M, N, n, %d, %d, %s, %s, %s, %s, %s, %s" % (start, step, big, s, t, q, x, y))
        state = self.pick(("", "", "", "with np.errstate(all='ignore'):", "with np.errstate(over='raise', divide='raise', invalid='raise'):",
                           "with np.errstate(over='raise', divide='ignore'):", "with np.errstate(invalid='raise'):"))
        for _ in range(self.random.randint(1, 3)):
            self.put("try:")
            self.depth += 1
            if state:
                self.put(state)
                self.depth += 1
            self.put("print(f%d(*args))" % number)
            if state:
                self.depth -= 1
            self.depth -= 1
            self.put("except Exception as error:")
            self.put("    print(type(error).__name__, error)")
            self.put("show(a, b, c, d, e, k, M, N)")

    def program(self):
        self.put("n = %d" % LENGTH)
        self.put("")
        self.put("def show(*arrays):")
        self.put("    for each in arrays:")
        self.put("        bits = each.copy().reshape(-1).view('uint8')")
        self.put("        print((bits * (np.arange(bits.size) % 251 + 1)).sum(), each[:2].tolist(), each[-2:].tolist())")
        self.put("")
        for number in range(2):
            self.function(number)
        for number in range(2):
            self.arrays()
            self.call(number)
        return "\n".join(self.lines) + "\n"


def make_program(seed):
    return Counted(seed).program()
