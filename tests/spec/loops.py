# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Random programs of loops over numbers and elements of arrays: what becomes machine code, and what it has to leave
to the interpreter (overflows, indexes out of range, warnings, changes of type, statements it has no words for)."""

import random

DTYPES = ("float64", "float64", "float32", "int64", "int32", "uint8", "bool")
INTS = (0, 1, 2, 3, 5, 7, -1, -2, 10, 100, 1 << 31, (1 << 62) + 1, -(1 << 63))
FLOATS = ("0.5", "1.0", "-2.25", "1e300", "1e-300", "3.0", "0.0", "-0.0")


class Loops:
    """One program: functions of nested loops, each called a few times."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["import numpy as np", ""]
        self.depth = 0
        self.helpers = 0
        self.boxes = []

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    # --- Expressions ---------------------------------------------------------------------------

    def index(self):
        kind = self.random.random()
        if kind < 0.3 and self.loops:
            return "%s %% 4" % self.pick(self.loops)
        if kind < 0.5 and self.loops:
            name = self.pick(self.loops)
            return self.pick((name, name, name + " - 1", name + " + 1", "-" + name, name + " // 2"))
        if kind < 0.6:
            return "(%s) %% 4" % self.pick(self.ints)
        return str(self.random.randint(-4, 3))

    def element(self):
        name, ndim = self.pick(self.arrays)
        if ndim > 1 and self.chance(15):
            return "%s[%s][%s]" % (name, self.index(), self.index())
        return "%s[%s]" % (name, ", ".join(self.index() for _ in range(ndim)))

    def number(self, level=0):
        kind = self.random.random()
        if self.helpers and level < 3 and self.chance(9):
            return self.help(level)
        if level > 2 or kind < 0.25:
            return self.pick(self.ints + self.floats + self.loops)
        if kind < 0.45:
            return self.element()
        if kind < 0.55:
            return str(self.pick(INTS[:9] if self.chance(90) else INTS)) if self.chance(50) else self.pick(FLOATS)
        if kind < 0.6:
            return "-" + self.number(level + 1) if self.chance(60) else "(not %s)" % self.number(level + 1)
        if kind < 0.65:
            return "%s(%s)" % (self.pick(("np.sqrt", "abs", "np.maximum", "float", "np.floor")), self.number(level + 1)) \
                if self.chance(50) else "(%s if %s else %s)" % (self.number(level + 1), self.test(), self.number(level + 1))
        op = self.pick("+ + + - - * * * / // % & | ^ << >> **".split())
        if op in "& | ^":
            return "(%s %s %s)" % (self.integer(), op, self.integer())
        if op in ("<<", ">>"):
            return "(%s %s %s)" % (self.integer(), op, self.pick((1, 2, 3, 40, 63, 64, -1)) if self.chance(20) else "2")
        right = str(self.random.randint(0, 3)) if op == "**" else self.number(level + 1)
        if op in ("/", "//", "%") and self.chance(80):
            right = self.pick(("2", "3.0", "-0.5", "7", "(%s * %s + 1.5)" % (self.pick(self.floats), self.pick(self.floats))))
        return "(%s %s %s)" % (self.number(level + 1), op, right)

    def help(self, level=1):
        """A call of a function of the program."""
        first = self.number(level + 1)
        rest = self.pick(("", ", " + self.number(level + 1), ", q=" + self.number(2), ", k=%s" % self.number(2)))
        return "h%d(%s%s)" % (self.random.randrange(self.helpers), first, rest)

    def integer(self, level=2):
        if level < 2 and self.chance(60):
            op = self.pick("+ + - - * * // % & | ^ >>".split())
            right = self.pick(("2", "3", "7", "-5")) if op in ("//", "%", ">>") and self.chance(90) else self.integer(level + 1)
            return "(%s %s %s)" % (self.integer(level + 1), op, right)
        if self.chance(70):
            return self.pick(self.ints + self.loops)
        return str(self.pick(INTS if self.chance(10) else INTS[:9]))

    def test(self):
        op = self.pick(("<", "<=", "==", "!=", ">", ">="))
        test = "%s %s %s" % (self.number(1), op, self.number(1))
        if self.chance(15):
            test += " %s %s < %s" % (self.pick(("and", "or")), self.number(2), self.number(2))
        return test

    # --- Rows ----------------------------------------------------------------------------------

    def slice(self, width):
        if self.chance(5):
            width += 1
        start = self.random.randint(0, 2)
        names = [name for name in self.loops if name[0] != "w"]
        if names and self.chance(30):
            name = self.pick(names)
            return self.pick(("%s:%s + %d" % (name, name, width), ":%s" % name, "%s:" % name, "%s - 1:%d" % (name, width)))
        if self.chance(10):
            return self.pick(("%d:-1" % start, "-%d:" % (30 - width), ":%d" % (20 + width), "-3:-1", "3:1", ":-9"))
        return self.pick(("%d:%d" % (start, start + width), ":%d" % width, "-%d:" % width))

    def place(self, width):
        name, ndim = self.pick(self.arrays)
        if ndim == 1:
            return "%s[%s]" % (name, self.slice(width))
        keys = [self.index() for _ in range(ndim)]
        if self.chance(90):
            keys[self.random.randrange(ndim)] = self.slice(width)
        else:
            keys.pop()
        return "%s[%s]" % (name, ", ".join(keys))

    def row(self, width, level=0):
        kind = self.random.random()
        if level > 2 or kind < 0.35:
            place = self.place(width)
            return self.pick((place, place, place + "[::-1]", "np.flip(%s)" % place))
        if kind < 0.45:
            return self.number(2)
        if kind < 0.55:
            return "%s(%s)" % (self.pick(("np.sqrt", "np.abs", "-", "np.square")), self.row(width, level + 1))
        if kind < 0.65:
            return "np.%s(%s, %s)" % (self.pick(("maximum", "minimum")), self.row(width, level + 1), self.row(width, level + 1))
        if kind < 0.7:
            return "(%s) ** 2" % self.row(width, level + 1)
        op = self.pick("+ + - - * * / < &".split())
        return "(%s %s %s)" % (self.row(width, level + 1), op, self.row(width, level + 1))

    def row_statement(self):
        width = self.random.randint(1, 2)
        if self.chance(65):
            self.put("%s %s %s" % (self.place(width), self.pick(("=", "=", "+=", "-=", "*=")), self.row(width)))
        else:
            product = self.pick(("np.dot(%s, %s)", "(%s @ %s)")) % (self.place(width), self.place(width))
            self.put("%s %s %s" % (self.pick(self.floats + [self.element()]), self.pick(("=", "+=")), product))

    # --- Boxes ---------------------------------------------------------------------------------

    def box_place(self, height, width):
        wide = [each for each in self.arrays if each[1] > 1]
        name, ndim = self.pick(wide)
        keys = [self.slice(height), self.slice(width)]
        if self.chance(10):
            keys = ["%d:%d:2" % (self.random.randint(0, 2), 2 * height + 1), ":%d" % width]
        if ndim == 3:
            keys.insert(self.random.randrange(3), self.index())
        place = "%s[%s]" % (name, ", ".join(keys))
        if self.chance(10):
            return "%s[%s].T" % (name, ", ".join(reversed(keys))) if ndim == 2 else place
        return place + self.pick(("", "", "", "[::-1]", "[:, ::-1]", ".copy()"))

    def box(self, height, width, level=0):
        kind = self.random.random()
        if self.boxes and kind < 0.25:
            return self.pick(self.boxes)
        if level > 2 or kind < 0.5:
            return self.box_place(height, width)
        if kind < 0.6:
            return self.row(width, 2) if self.chance(40) else self.number(2)
        if kind < 0.7:
            return "%s(%s)" % (self.pick(("np.sqrt", "np.abs", "-", "np.floor")), self.box(height, width, level + 1))
        if kind < 0.73:
            return "np.%s(%s, %s)" % (self.pick(("maximum", "minimum")), self.box(height, width, level + 1), self.box(height, width, level + 1))
        if kind < 0.75:
            return "np.where(%s > %s, %s, %s)" % tuple(self.box(height, width, level + 1) for _ in range(4))
        if kind < 0.77:
            return "np.%s(np.minimum(%s, 3.0))" % (self.pick(("exp", "sin", "tanh", "cos")), self.box(height, width, level + 1))
        if kind < 0.8:
            return "(%s) ** 2" % self.box(height, width, level + 1)
        op = self.pick("+ + - - * * / > &".split())
        return "(%s %s %s)" % (self.box(height, width, level + 1), op, self.box(height, width, level + 1))

    def box_statement(self):
        height, width = self.random.randint(1, 3), self.random.randint(1, 3)
        self.boxes = []
        for _ in range(self.random.randint(0, 2)):  # names of arrays, some of them views of what changes next
            name = self.pick(("t", "u"))
            self.put("%s = %s" % (name, self.box(height, width)))
            self.boxes.append(name)
        for _ in range(self.random.randint(1, 2)):
            target = self.box_place(height, width).replace(".copy()", "")
            self.put("%s %s %s" % (target, self.pick(("=", "=", "=", "+=", "*=", "-=")), self.box(height, width)))
        if self.chance(40):
            box = self.box(height, width)
            self.put("%s = %s" % (self.pick(("x", "y", "x", "a" if self.chance(5) else "y")), self.pick((
                "np.sum(%s)" % box, "np.max(%s)" % box, "(%s).min()" % box, "np.mean(%s)" % box, "(%s).sum() + 1" % box,
                "np.any(%s > 2)" % box, "(%s @ %s)[0, 0]" % (box, self.box(width, 2)),
                "np.dot(%s, %s)[-1]" % (box, self.row(width, 3))))))
        if self.boxes and self.chance(50):
            self.put("x = %s[0, 0] * %s" % (self.pick(self.boxes), self.number(2)) if self.chance(50)
                     else "%s[-1, 0] += %s" % (self.pick(self.boxes), self.number(2)))
        self.boxes = []

    # --- Statements ----------------------------------------------------------------------------

    def assign(self):
        kind = self.random.random()
        if kind < 0.4:
            target = self.element()
            self.put("%s %s %s" % (target, self.pick(("=", "=", "+=", "*=")), self.number()))
        elif kind < 0.5:
            name = self.pick(self.ints)
            self.put("%s, %s = %s, %s" % (name, self.pick(self.floats), self.integer(0), self.number()))
            self.bound(name)
        else:
            name = self.pick(self.ints + self.floats)
            value = self.integer(0) if name in self.ints and self.chance(97) else self.number()
            self.put("%s %s %s" % (name, self.pick(("=", "=", "+=", "-=")), value))
            self.bound(name)

    def bound(self, name):
        """Squares of squares of squares would fill the memory."""
        self.put("if %s > %d or %s < %d: %s = 3" % (name, 1 << 62, name, -(1 << 62), name))

    def statement(self, level):
        kind = self.random.random()
        if self.chance(20):
            self.row_statement()
            return
        if self.chance(10) and any(ndim > 1 for _, ndim in self.arrays):
            self.box_statement()
            return
        if kind < 0.55 or level > 3:
            self.assign()
        elif kind < 0.7:
            self.put("if %s:" % self.test())
            self.block(level + 1)
            if self.chance(40):
                self.put("else:")
                self.block(level + 1)
        elif kind < 0.75 and self.loops:
            self.put("if %s:" % self.test())
            self.depth += 1
            self.put(self.pick(("break", "continue")))
            self.depth -= 1
        elif kind < 0.8:
            self.put(self.pick(("log.append(%s)", "text = str(%s)", "pair = (%s, 1)", "log = log[-3:] + [%s]"))
                     % self.number())
        else:
            self.loop(level)

    def block(self, level):
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement(level)
        self.depth -= 1

    def loop(self, level):
        if self.chance(25):
            counter = "w%d" % len(self.loops)
            self.put("%s = 0" % counter)
            self.put("while %s < %d:" % (counter, self.random.randint(0, 12)))
            self.depth += 1
            self.put("%s += 1" % counter)
            self.depth -= 1
            self.loops.append(counter)
        else:
            name = "ijklmn"[len(self.loops) % 6] + str(len(self.loops))
            bounds = self.pick(("%d" % self.random.randint(0, 14), "1, 6", "5, -1, -1", "0, 12, 2", "n % 9", "n % 9, 0, -2", "3, 3"))
            self.put("for %s in range(%s):" % (name, bounds))
            self.loops.append(name)
        self.block(level + 1)
        self.loops.pop()

    # --- Functions that loops call -------------------------------------------------------------

    def helper(self, number):
        closure = self.chance(30)
        if closure:
            self.put("def make(c, d, H):")
            self.depth += 1
        self.put("def h%d(p, q=%s, k=2):" % (number, self.pick(("0.5", "1", "None", "-3"))))
        self.depth += 1
        self.arrays, self.ints, self.floats, self.loops = [("H", 1), ("M", 2)], ["k"], ["p"], []
        if closure:
            self.ints, self.floats = ["k", "c"], ["p", "d"]
        if self.chance(40):
            self.put("if q is None: return %s" % self.number(1))
            self.floats.append("q")
        elif self.chance(50):
            self.floats.append("q")
        for _ in range(self.random.randint(0, 2)):
            self.pick((self.assign, self.early, lambda: self.statement(3)))() if not closure else self.early()
        if self.chance(20):
            self.loop(3)
        if self.chance(85):
            self.put("return %s" % (self.number() if self.chance(90) else self.row(2)))
        self.depth -= 1
        if closure:
            self.put("return h%d" % number)
            self.depth -= 1
            self.put("h%d = make(%s, %s, np.arange(10.0))" % (number, self.pick(INTS[:6]), self.pick(FLOATS)))
        self.put("")

    def early(self):
        self.put("if %s: return %s" % (self.test(), self.number(1)))

    # --- All of it -----------------------------------------------------------------------------

    def function(self, number):
        self.arrays = [("A", 2), ("B", 2), ("v", 1), ("w", 1), ("T", 3)]
        self.ints, self.floats, self.loops = ["a", "b", "n"], ["x", "y"], []
        self.put("def f%d(A, B, v, w, T, n, a, b, x, y):" % number)
        self.depth = 1
        self.put("log = []")
        for _ in range(self.random.randint(1, 2)):
            if self.chance(30):
                self.put("try:")
                self.depth += 1
                self.loop(0)
                self.depth -= 1
                self.put("except (IndexError, ZeroDivisionError, TypeError, ValueError, OverflowError) as error:")
                self.put("    log.append(str(error))")
            else:
                self.loop(0)
        self.put("return a, b, x, y, log")
        self.depth = 0
        self.put("")

    def call(self, number):
        kinds = [self.pick(DTYPES) for _ in range(5)]
        shapes = ["(9, 8)", "(8, 9)", "10", "12", "(6, 5, 4)"]
        # In the midst of others, so that what is read beside them shows.
        makes = ["(np.arange(np.prod(%s) + 90) %% %d).astype('%s')[45:-45].reshape(%s)"
                 % (s, self.random.randint(2, 9), k, s) for s, k in zip(shapes, kinds)]
        views = ["", ".T", "[::-1]", "[::2]" if self.chance(30) else ""]
        arrays = [m + (self.pick(views) if "," in s else self.pick(("", "[::-1]", "[1::2]", ".copy()"))) for m, s in zip(makes, shapes)]
        numbers = [self.random.randint(0, 8), self.pick(INTS[:9]), self.random.randint(-3, 3)]
        floats = [self.pick(FLOATS), self.pick(("1", "0.25", "np.float32(1.5)", "2.5"))]
        self.put("args = [%s, %s, %s]" % (", ".join(arrays), ", ".join(map(str, numbers)), ", ".join(floats)))
        self.put("for times in range(%d):" % self.random.randint(2, 4))
        self.put("    try:")
        self.put("        print(f%d(*args))" % number)
        self.put("    except Exception as error:")
        self.put("        print(type(error).__name__, error)")
        self.put("    print(*[each.tolist() for each in args[:5]])")
        self.put("f%d(*args)" % number if self.chance(30) else "")

    def program(self):
        if self.chance(60):
            self.put("H = np.arange(12) %% 5 * %s" % self.pick(("1", "0.5", "1.0")))
            self.put("M = np.arange(20.0).reshape(4, 5)")
            self.put("log = []")
            self.put("G = 3")
            for number in range(self.random.randint(1, 3)):
                self.helper(number)
                self.helpers = number + 1
        for number in range(3):
            self.function(number)
        for number in range(3):
            self.call(number)
        if self.chance(50):  # loops of the module, whose variables are global
            self.arrays, self.ints, self.floats, self.loops = [("args[0]", 2), ("g", 1)], ["a", "b"], ["x", "y"], []
            self.put("g, a, b, x, y, n, log = np.arange(8) / 4, 1, 2, 0.5, 1.5, 5, []")
            self.loop(0)
            self.put("print(g.tolist(), a, b, x, y, log)")
        return "\n".join(self.lines) + "\n"


def make_program(seed):
    return Loops(seed).program()
