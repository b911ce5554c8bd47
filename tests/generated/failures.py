# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Statements that fail, and those that deal with it: try in all its shapes, raise, with."""

from statements import Statements

ERRORS = (
    "ValueError",
    "TypeError",
    "KeyError",
    "IndexError",
    "ZeroDivisionError",
    "RuntimeError",
    "LookupError",
    "ArithmeticError",
    "AttributeError",
    "NotImplementedError",
    "AssertionError",
    "StopIteration",
    "OverflowError",
    "NameError",
    "UnboundLocalError",
    "OSError",
    "Exception",
)
BASES = ("Exception", "ValueError", "LookupError", "KeyError", "RuntimeError", "ArithmeticError")

# Statements that fail in one known way, or nearly always.
CERTAIN = (
    "1 / 0",
    "1 // 0",
    "1 % 0",
    "1.0 / 0",
    "divmod(1, 0)",
    "0 ** -1",
    "[][0]",
    "[1, 2][5]",
    "(1,)[2]",
    "'abc'[9]",
    "{}['missing']",
    "{1: 2}[3]",
    "{'a': 1}[('b', 2)]",
    "int('x')",
    "int('1.5')",
    "float('abc')",
    "int(None)",
    "'a' + 1",
    "1 + 'a'",
    "[1] + (2,)",
    "None + 1",
    "'a' - 'b'",
    "-'a'",
    "~1.5",
    "1 < 'a'",
    "[1] < [None]",
    "len(5)",
    "None.attr",
    "'a'.nope",
    "(5).nope",
    "[].nope()",
    "5()",
    "'x'()",
    "None[0]",
    "5[0]",
    "for_each_missing",
    "{[]: 1}",
    "{}[[]]",
    "hash([])",
    "set([[]])",
    "a, b = 1, 2, 3",
    "a, b, c = 'xy'",
    "a, *b, c = [1]",
    "a, b = 5",
    "(a, b), c = 1, 2",
    "raise ValueError",
    "raise KeyError('k')",
    "raise ValueError('message')",
    "raise RuntimeError('a', 1)",
    "raise 5",
    "assert False",
    "assert 0, 'why'",
    "assert [], {'k': 1}",
    "next(iter([]))",
    "[].pop()",
    "{}.pop('q')",
    "set().pop()",
    "[1].remove(2)",
    "[1].index(3)",
    "'abc'.index('z')",
    "'a'.join([1])",
    "max([])",
    "min()",
    "sum(['a'])",
    "chr(-1)",
    "ord('ab')",
    "range(1, 2, 0)",
    "[1, 2][::0]",
    "sorted([1, 'a'])",
    "'%d' % 'x'",
    "'%s %s' % 1",
    "'{}'.format()",
    "format(1, 's')",
    "f'{1:q}'",
    "for i in 5: pass",
    "x = [*5]",
    "print(**{'zz': 1})",
    "(lambda x: x)()",
    "(lambda: 0)(1)",
    "(lambda a, b: 0)(1)",
    "1 in 5",
    "1 << -1",
    "round('a')",
    "abs('a')",
    "pow(2, -1, 4)",
    "isinstance(1, 2)",
    "'abc'[1] = 'x'",
    "(1, 2)[0] = 5",
    "del (1, 2)[0]",
    "(5).attr = 1",
    "iter(3)",
    "dict([1])",
    "dict(5)",
    "{**5}",
    "import missing_module_q",
    "from math import missing_name_q",
    "complex('x')",
    "2.0 ** 10000",
    "float(10 ** 400)",
    "int(float('inf'))",
    "int(float('nan'))",
    "[1, 2, 3].sort(key=5)",
    "'a' * 'b'",
    "[1] * 1.5",
    "1j < 2j",
    "1j // 2",
    "int(1j)",
    "''.split('')",
    "list(zip([1], [1, 2], strict=True))",
    "exec_missing()",
    "getattr(5, 'nope')",
    "str.upper(5)",
    "'x'.center('y')",
)


class Failures(Statements):
    """A part of the generator."""

    def error_class(self):
        own = [c for c in self.exceptions if self.chance(0.8)]
        if own and self.chance(0.35):
            return self.pick(own)
        return self.pick(ERRORS)

    def error_value(self):
        """An expression that makes an exception."""
        name = self.error_class()
        if name in self.exceptions and self.exceptions[name]:
            return "%s(%s, %s)" % (name, self.text("int", 1), self.text("str", 1))
        count = self.weighted([(1, 0), (6, 1), (1, 2)])
        values = [
            self.text(self.pick(("str", "str", "int", ("tuple", "int", "str"))), 1)
            for _ in range(count)
        ]
        return "%s(%s)" % (name, ", ".join(values)) if values or self.chance(0.5) else name

    def failing(self):
        """A statement that very likely raises."""
        roll = self.rng.random()
        if roll < 0.45:
            self.out.line(self.pick(CERTAIN))
        elif roll < 0.7:
            self.out.line("raise %s" % self.error_value())
        elif roll < 0.75:
            self.out.line(
                "raise %s from %s" % (self.error_value(), self.pick(("None", self.error_value())))
            )
        else:
            self.risky()

    def risky(self):
        """A statement among whose expressions many have the wrong type."""
        before, self.wrong = self.wrong, 0.12
        self.pick(
            (
                self.assign,
                self.print_statement,
                self.augmented,
                self.mutate,
                self.unpack,
                self.print_statement,
            )
        )()
        self.wrong = before

    def report(self, name):
        """Prints a caught exception; the runner counts lines that start with `caught`."""
        extra = self.weighted(
            [
                (8, ""),
                (1, ", %s.args" % name),
                (1, ", repr(%s)" % name),
                (0.7, ", repr(%s.__context__)" % name),
                (0.7, ", repr(%s.__cause__)" % name),
                (0.3, ", %s.__suppress_context__" % name),
            ]
        )
        self.out.line("print('caught', type(%s).__name__, %s%s)" % (name, name, extra))

    def guarded(self):
        """try around something that may fail."""
        with self.out.block("try:"):
            with self.inner_names():
                if self.chance(0.3):
                    self.statement()
                self.pick((self.risky, self.failing))()
                if self.chance(0.25):
                    self.statement()
        self.handlers()
        if self.chance(0.2):
            with self.out.block("else:"):
                self.body(1, 1)
        if self.chance(0.2):
            with self.out.block("finally:"):
                self.body(1, 1)

    def handlers(self):
        for _ in range(self.weighted([(5, 0), (3, 1), (1, 2)])):
            kind = self.error_class()
            if self.chance(0.25):
                kind = "(%s, %s)" % (kind, self.error_class())
            self.handler(kind)
        if self.chance(0.04):
            with self.out.block("except:"):
                self.out.line("print('caught something')")
        else:
            self.handler("Exception")

    def handler(self, kind):
        name = self.fresh("e")
        with self.out.block("except %s as %s:" % (kind, name)):
            self.report(name)
            roll = self.rng.random()
            if roll < 0.2:
                self.body(1, 1)
            elif roll < 0.24:
                self.out.line(self.pick(("raise", "raise %s" % name)))
            elif roll < 0.28:
                self.out.line(
                    "raise %s%s"
                    % (self.error_value(), self.pick(("", " from " + name, " from None")))
                )

    # --- larger scenes ---

    def define_exception(self):
        name = self.fresh("Error")
        base = self.pick(list(self.exceptions) or BASES) if self.chance(0.4) else self.pick(BASES)
        if self.exceptions.get(base):
            base = "Exception"
        if self.chance(0.5):
            with self.out.block("class %s(%s):" % (name, base)):
                self.out.line("pass")
            self.exceptions[name] = False
            return
        with self.out.block("class %s(%s):" % (name, base)):
            with self.out.block("def __init__(self, code, text):"):
                self.out.line(
                    self.pick(("super().__init__(code, text)", "super().__init__(text)", "pass"))
                )
                self.out.line("self.code = code")
            if self.chance(0.5):
                with self.out.block("def __str__(self):"):
                    self.out.line("return 'E%s:%r' % (self.code, self.args)")
        self.exceptions[name] = True

    def leaving_try(self):
        """A function that leaves try, except and finally in every way."""
        name = self.fresh("leave")
        loop = self.chance(0.5)
        with self.out.block("def %s(k):" % name):
            self.out.line("log = []")
            if loop:
                self.out.line("for r in range(3):")
                self.out.level += 1
            with self.out.block("try:"):
                self.out.line("log.append('try')")
                for i in range(self.number(1, 3)):
                    self.out.line("if k == %d: %s" % (i, self.leave_text(loop)))
                self.out.line("log.append('end')")
            if self.chance(0.8):
                with self.out.block(
                    "except %s as e:"
                    % self.pick(
                        ("Exception", "ValueError", "(KeyError, ZeroDivisionError)", "LookupError")
                    )
                ):
                    self.out.line("log.append('except ' + type(e).__name__)")
                    if self.chance(0.5):
                        self.out.line("if k % 2: " + self.leave_text(loop))
                if self.chance(0.5):
                    with self.out.block("else:"):
                        self.out.line("log.append('else')")
                        if self.chance(0.4):
                            self.out.line("if k == 4: " + self.leave_text(loop))
            with self.out.block("finally:"):
                self.out.line("log.append('finally')")
                if self.chance(0.35):
                    self.out.line("if k == %d: %s" % (self.number(0, 4), self.leave_text(loop)))
            if loop:
                self.out.line("log.append(r)")
                self.out.level -= 1
                if self.chance(0.4):
                    self.out.line("else: log.append('loop else')")
            self.out.line("return log")
        with self.out.block("for k in range(5):"):
            with self.out.block("try:"):
                self.out.line("print(k, %s(k))" % name)
            with self.out.block("except Exception as e:"):
                self.out.line("print('caught', k, type(e).__name__, e, repr(e.__context__))")

    def leave_text(self, loop):
        ways = [
            "return 'r%d', log" % self.number(0, 9),
            "raise ValueError('v')",
            "raise KeyError(k)",
            "1 / 0",
            "[][k]",
            "return log + [%d]" % self.number(0, 9),
            "log.append(int('x'))",
        ]
        return self.pick(ways + ["break", "continue", "break"] if loop else ways)

    def manager(self):
        """A context manager class and a use or two of it."""
        name = self.fresh("Manager")
        with self.out.block("class %s:" % name):
            with self.out.block("def __init__(self, tag, swallow=False):"):
                self.out.line("self.tag, self.swallow = tag, swallow")
            with self.out.block("def __enter__(self):"):
                self.out.line("print('enter', self.tag)")
                if self.chance(0.08):
                    self.failing()
                self.out.line(
                    "return %s" % self.pick(("self", "self.tag", "(self.tag, [1, 2])", "None"))
                )
            with self.out.block("def __exit__(self, kind, value, trace):"):
                self.out.line("print('exit', self.tag, kind and kind.__name__, value)")
                if self.chance(0.08):
                    self.failing()
                self.out.line("return self.swallow" if self.chance(0.8) else "pass")
        for _ in range(self.number(1, 2)):
            self.with_statement(name)

    def with_statement(self, name):
        count = self.weighted([(5, 1), (3, 2), (1, 3)])
        items = []
        for _ in range(count):
            item = "%s(%s, %s)" % (
                name,
                self.text("str", 0),
                self.pick(("True", "False", "swallow=True", "'yes'")),
            )
            items.append(item + (" as " + self.fresh("m") if self.chance(0.5) else ""))
        text = ", ".join(items)
        if self.chance(0.15):
            text = "(%s)" % text
        with self.out.block("try:"):
            with self.out.block("with %s:" % text):
                with self.inner_names():
                    self.statement()
                    if self.chance(0.6):
                        self.failing()
                        if self.chance(0.3):
                            self.statement()
            if self.chance(0.5):
                self.out.line("print('after with')")
        self.handlers()

    def chain(self):
        """Exceptions that follow from one another, told apart afterwards."""
        first, second = self.error_value(), self.error_value()
        cause = self.pick(("", " from e", " from None", " from ValueError('other')"))
        with self.out.block("try:"):
            with self.out.block("try:"):
                self.out.line(self.pick(("raise " + first, self.pick(CERTAIN))))
            with self.out.block("except Exception as e:"):
                self.out.line("raise %s%s" % (second, cause))
            if self.chance(0.3):
                with self.out.block("finally:"):
                    self.body(1, 1)
        with self.out.block("except Exception as e:"):
            self.out.line(
                "print('caught', type(e).__name__, e, repr(e.__cause__), repr(e.__context__),"
                " e.__suppress_context__)"
            )
            with self.out.block("while e:"):
                self.out.line("print(repr(e))")
                self.out.line("e = e.__cause__ or e.__context__")

    def conditional_raise(self):
        """A function that raises for some arguments, called in a loop."""
        name = self.fresh("check")
        with self.out.block("def %s(x):" % name):
            for _ in range(self.number(1, 3)):
                self.out.line(
                    "if x %s %d: raise %s"
                    % (
                        self.pick(("==", "<", ">", "!=")),
                        self.number(0, 4),
                        self.error_value_constant(),
                    )
                )
            self.out.line("return x * 2")
        with self.out.block("for x in range(%d):" % self.number(2, 5)):
            with self.out.block("try:"):
                self.out.line("print(%s(x))" % name)
            self.handler(self.error_class())
            self.handler("Exception")

    def error_value_constant(self):
        name = self.pick(ERRORS)
        return "%s(%s)" % (
            name,
            self.pick(("", "x", "'bad %s' % x", "f'no {x}'", "'text'", "x, 'two'")),
        )

    def reraise(self):
        with self.out.block("try:"):
            with self.out.block("try:"):
                self.failing()
            with self.out.block(
                "except %s:" % self.pick(("Exception", "ValueError", "(TypeError, LookupError)"))
            ):
                self.out.line("print('caught once')")
                self.out.line("raise")
        self.handler("Exception")
