# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The text being written and the names that may be used in it: what every part of the generator
shares.

A type is a string ('int', 'str', …) or a tuple ('list', T), ('tuple', T, U, …), ('dict', K, V),
('set', T). Expressions are (text, precedence) pairs, so that brackets appear where they must, and
now and then where they need not.
"""

from contextlib import contextmanager

SCALARS = ("int", "int", "int", "float", "float", "str", "str", "bool", "complex", "none")
KEYS = ("int", "str", "int", "str", "bool")

# Precedences, loosest first.
(
    P_WALRUS,
    P_LAMBDA,
    P_TERNARY,
    P_OR,
    P_AND,
    P_NOT,
    P_COMPARE,
    P_BITOR,
    P_XOR,
    P_BITAND,
    P_SHIFT,
    P_ADD,
    P_MUL,
    P_UNARY,
    P_POWER,
    P_ATOM,
) = range(16)


class Frame:
    """The names of a module, function or class body."""

    def __init__(self, kind):
        self.kind = kind
        self.names = {}  # expression text -> type; 'self.x' may be one too
        self.fixed = set()  # names that must not be assigned or changed
        self.loops = 0
        self.in_generator = False
        self.returns = None  # type to return, inside a function


class Function:
    """What is known of a function, for calls to it."""

    def __init__(self, name, params, returns):
        self.name, self.params, self.returns = name, params, returns
        self.varargs = None  # type of each extra positional argument
        self.kwargs = None
        self.costly = False  # loops or recursion inside: not called from loops


class Param:
    def __init__(self, name, type_, default=False, kind="normal"):
        self.name, self.type, self.default, self.kind = name, type_, default, kind


class Writer:
    """Collects the lines of a program."""

    def __init__(self):
        self.lines = []
        self.level = 0

    def line(self, text):
        self.lines.append("    " * self.level + text)

    @contextmanager
    def block(self, header):
        self.line(header)
        self.level += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.level -= 1

    def text(self):
        return "\n".join(self.lines) + "\n"


class Context:
    """Random choices, the frames in force, and the counters for fresh names."""

    def __init__(self, rng):
        self.rng = rng
        self.out = Writer()
        self.frames = [Frame("module")]
        self.functions = []
        self.classes = []
        self.exceptions = {}  # name -> whether it takes (code, text)
        self.wrong = 0.0  # chance that an expression has another type than asked for
        self.counter = 0
        self.imported = set()
        self.budget = 60  # statements left to write
        self.log = None  # the list that a generator function appends to
        self.own_names = 0  # depth of comprehensions, where a walrus could clash

    # --- chance ---

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[int(self.rng.random() * len(items))]

    def weighted(self, table):
        """One of the values of a list of (weight, value) pairs."""
        at = self.rng.random() * sum(weight for weight, _ in table)
        for weight, value in table:
            at -= weight
            if at < 0:
                return value
        return table[-1][1]

    def number(self, low, high):
        return low + int(self.rng.random() * (high - low + 1))

    # --- names ---

    @property
    def frame(self):
        return self.frames[-1]

    @property
    def looping(self):
        return self.frame.loops > 0

    def fresh(self, stem="v"):
        self.counter += 1
        return "%s%d" % (stem, self.counter)

    def declare(self, name, type_):
        self.frame.names[name] = type_

    def visible(self):
        """Frames whose names an expression can use: this one, enclosing functions, the module."""
        yield self.frames[-1]
        for frame in reversed(self.frames[:-1]):
            if frame.kind != "class":
                yield frame

    def variables(self, type_):
        found = []
        for frame in self.visible():
            found += [name for name, t in frame.names.items() if t == type_]
        return found

    def assignable(self, type_=None):
        frame = self.frame
        return [
            name
            for name, t in frame.names.items()
            if name not in frame.fixed and name.isidentifier() and (t == type_ or type_ is None)
        ]

    @contextmanager
    def inner_names(self):
        """Names declared inside are forgotten, mostly: a branch may not have run."""
        before = dict(self.frame.names)
        yield
        if not self.chance(0.02):
            self.frame.names = before

    # --- types ---

    def any_type(self, depth=2):
        if depth <= 0 or self.chance(0.62):
            return self.pick(SCALARS)
        kind = self.weighted([(5, "list"), (2, "tuple"), (3, "dict"), (2, "set")])
        if kind == "list":
            return ("list", self.plain_type(depth - 1) if self.chance(0.3) else self.element_type())
        if kind == "tuple":
            return ("tuple",) + tuple(self.any_type(0) for _ in range(self.number(1, 3)))
        if kind == "dict":
            return ("dict", self.pick(KEYS), self.element_type())
        return ("set", self.pick(("int", "str")))

    def element_type(self):
        return self.weighted(
            [
                (5, "int"),
                (2, "float"),
                (4, "str"),
                (1, "bool"),
                (1, ("tuple", "int", "str")),
                (0.6, ("list", "int")),
            ]
        )

    def plain_type(self, depth=2):
        """A type whose values print the same everywhere: no sets."""
        while True:
            type_ = self.any_type(depth)
            if "set" not in str(type_):
                return type_


def paren(expression, minimum, context=None):
    text, precedence = expression
    if precedence < minimum or (context is not None and context.chance(0.03)):
        return "(%s)" % text
    return text
