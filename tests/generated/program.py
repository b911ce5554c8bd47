# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""A random program: a row of scenes with common names, and an end that may be an exception.

The same (seed, number) gives the same text everywhere: random.Random is seeded with a string.
"""

import random

from classes import Classes
from failures import CERTAIN


class Program(Classes):
    """The whole generator."""

    def scene(self):
        if self.budget <= 0:
            return None
        if self.chance(0.4):
            return self.guarded_scene()
        return self.open_scene()

    def guarded_scene(self):
        """A scene whose failure does not end the program."""
        known = len(self.functions)
        with self.out.block("try:"):
            with self.inner_names():
                self.open_scene()
        del self.functions[known:]
        self.handler(self.error_class())
        self.handler("Exception")

    def open_scene(self):
        self.weighted(
            [
                (7, self.some_statements),
                (3, self.function),
                (1.6, self.closure),
                (1.2, self.decorated),
                (0.8, self.recursion),
                (2.5, self.generator),
                (3.5, self.class_scene),
                (1, self.define_exception),
                (1.5, self.leaving_try),
                (1.5, self.manager),
                (1.3, self.chain),
                (1.5, self.conditional_raise),
                (1, self.reraise),
                (2, self.guarded_row),
                (1, self.scoped_names),
                (1, self.rare),
                (1.5, self.formatting),
                (1, self.loops),
            ]
        )()

    def some_statements(self):
        for _ in range(self.number(2, 5)):
            self.statement()

    def guarded_row(self):
        for _ in range(self.number(1, 3)):
            self.guarded()

    def loops(self):
        self.pick((self.for_loop, self.while_loop))()
        self.for_loop()

    def formatting(self):
        for _ in range(self.number(1, 3)):
            form = self.pick((self.fstring, self.percent, self.format_method, self.format_function))
            self.out.line("print(%s)" % ", ".join(form(2)[0] for _ in range(self.number(1, 2))))

    def scoped_names(self):
        """global, shadowed and unbound names."""
        name, f = self.fresh("g"), self.fresh("f")
        self.out.line("%s = %s" % (name, self.text("int", 1)))
        with self.out.block("def %s():" % f):
            kind = self.pick(
                ("read", "global", "shadow", "unbound", "delete", "conditional", "nested")
            )
            if kind == "read":
                self.out.line("return %s + 1" % name)
            elif kind == "global":
                self.out.line("global %s, %s_new" % (name, name))
                self.out.line("%s %s 5" % (name, self.pick(("+=", "-=", "="))))
                self.out.line("%s_new = [%s]" % (name, name))
                self.out.line("return %s_new" % name)
            elif kind == "shadow":
                self.out.line("%s = 'local'" % name)
                self.out.line("return %s, [%s for %s in range(2)], %s" % (name, name, name, name))
            elif kind == "unbound":
                self.out.line("%s += 1" % name)
                self.out.line("return %s" % name)
            elif kind == "delete":
                self.out.line("global %s" % name if self.chance(0.5) else "%s = 1" % name)
                self.out.line("del %s" % name)
                self.out.line("return %s" % name)
            elif kind == "conditional":
                self.out.line("if %s: value = 1" % self.pick(("False", "0", "len('')", "True")))
                self.out.line("return value")
            else:
                with self.out.block("def inner():"):
                    self.out.line("return %s" % name)
                self.out.line("%s = 'enclosing'" % name if self.chance(0.5) else "pass")
                self.out.line("return inner()")
        with self.out.block("try:"):
            self.out.line("print(%s(), %s)" % (f, name))
        self.handler("Exception")

    def rare(self):
        """Constructs that the other scenes meet seldom."""
        self.pick(
            (
                self.rare_calls,
                self.rare_imports,
                self.rare_with,
                self.rare_names,
                self.rare_slices,
                self.rare_deletes,
                self.rare_matrix,
            )
        )()

    def rare_calls(self):
        f = self.fresh("f")
        self.out.line("def %s(*args, **kw): return args, sorted(kw.items())" % f)
        with self.out.block("try:"):
            self.out.line(
                "print(%s)"
                % self.pick(
                    (
                        "{f}(*[1, 2], 3, *'ab', k=1, **{{'z': 2}})",
                        "{f}(**{{'a': 1}}, **{{'b': 2}})",
                        "{f}(**{{'a': 1}}, **{{'a': 2}})",
                        "{f}(a=1, **{{'a': 2}})",
                        "{f}(*5)",
                        "{f}(**5)",
                        "{f}(**{{1: 2}})",
                        "{f}(*(i for i in range(3)))",
                        "{f}(1, *[], **{{}})",
                        "{f}(*{{'k': 1}}, **dict(q=[1]))",
                        "str.join('-', *[['a', 'b']])",
                        "'{{}} {{a}}'.format(*[1], **{{'a': 2}})",
                        "[].append(*[1])",
                        "'a,b'.split(*[','], **{{'maxsplit': 1}})",
                        "print(*[1, 2], **{{'sep': '/'}})",
                    )
                ).format(f=f)
            )
        self.handler("Exception")

    def rare_imports(self):
        with self.out.block("try:"):
            self.out.line(
                self.pick(
                    (
                        "import math as m; print(m.floor(2.5), m.pi)",
                        "from math import sqrt, floor as fl; print(sqrt(16), fl(-1.5))",
                        "import missing_q.part",
                        "from math import nothing_q",
                        "import math; math.nothing_q",
                        "import math; print(math.gcd(12, 18), math.factorial(20), math.inf)",
                    )
                )
            )
        self.handler("Exception")
        if self.frame.kind == "module" and self.out.level == 0:
            if self.chance(0.3):
                self.out.line("from math import *")
                self.out.line("print(floor(2.7), ceil(2.1))")
            self.out.line("import math")
            self.imported.add("math")

    def rare_with(self):
        name = self.fresh("W")
        with self.out.block("class %s:" % name):
            self.out.line("def __enter__(self): return 1, (2, [3])")
            self.out.line(
                "def __exit__(self, *a): print(len(a), a[0])%s"
                % self.pick(("; return True", "", "; return 0"))
            )
        with self.out.block("try:"):
            with self.out.block("with %s() as (a, (b, c)), %s() as d:" % (name, name)):
                self.out.line("print(a, b, c, d)")
                self.out.line(self.pick(("pass", "1 / 0", "[][1]", "raise KeyError('with')")))
            self.out.line(self.pick(("with 5: pass", "with %s: pass" % name, "print('done')")))
        self.handler("Exception")

    def rare_names(self):
        f = self.fresh("f")
        with self.out.block("def %s(x):" % f):
            self.out.line("y: int = x")
            self.out.line("def inner(): return x, z")
            self.out.line("z = %s" % self.pick(("y", "y + 1", "[x]")))
            self.out.line("r = inner()")
            self.out.line(self.pick(("del z", "del x", "del y", "del r", "pass")))
            self.out.line("return r, %s" % self.pick(("x", "y", "inner()", "1")))
        with self.out.block("try:"):
            self.out.line("print(%s(%d))" % (f, self.number(0, 9)))
        self.handler("Exception")
        if self.frame.kind == "module" and self.out.level == 0 and self.chance(0.5):
            name = self.fresh("v")
            self.out.line("%s: %s = %s" % (name, self.pick(("int", "'x'")), self.text("int", 1)))
            self.out.line("print(%s, __name__ is not None)" % name)
            self.declare(name, "int")

    def rare_slices(self):
        v = self.fresh("v")
        self.out.line("%s = list(range(%d))" % (v, self.number(3, 9)))
        for _ in range(self.number(1, 3)):
            with self.out.block("try:"):
                self.out.line(
                    self.pick(
                        (
                            "%s[%s] = [7, 8]",
                            "%s[%s] = ()",
                            "del %s[%s]",
                            "%s[%s] = 5",
                            "print(%s[%s])",
                            "%s[%s] += [1]",
                        )
                    )
                    % (v, self.slice_text())
                )
                self.out.line("print(%s)" % v)
            self.handler("Exception")

    def rare_deletes(self):
        v = self.fresh("v")
        self.out.line("%s = {'a': [1, 2, 3], (1, 2): {'b': 0}}" % v)
        with self.out.block("try:"):
            self.out.line("del %s['a'][%d], %s[1, 2]['b']" % (v, self.number(-3, 3), v))
            self.out.line("print(%s)" % v)
            self.out.line("del %s[%s]" % (v, self.pick(("'a'", "'z'", "1, 2", "[]"))))
            self.out.line("print(%s)" % v)
            self.out.line("del (%s)" % v)
            self.out.line("print(%s)" % v)
        self.handler("Exception")

    def rare_matrix(self):
        name = self.fresh("M")
        with self.out.block("class %s:" % name):
            self.out.line("def __init__(self, *rows): self.rows = rows")
            self.out.line(
                "def __matmul__(self, o): return "
                "[[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows]"
            )
            self.out.line(
                "def __getitem__(self, ij): return "
                "self.rows[ij[0]][ij[1]] if isinstance(ij, tuple) else self.rows[ij]"
            )
        a = self.fresh("m")
        self.out.line(
            "%s = %s([%s, 2], [3, %s])" % (a, name, self.text("int", 0), self.text("int", 0))
        )
        with self.out.block("try:"):
            self.out.line(
                "print(%s @ %s, %s[0, 1], %s[1], %s)"
                % (
                    a,
                    a,
                    a,
                    a,
                    self.pick(("%s[5, 5]", "%s @ 3", "%s[0, ...]", "%s[1:]", "%s[0][0]")) % a,
                )
            )
        self.handler("Exception")

    # --- the end ---

    def uncaught(self):
        """An exception that ends the program, some frames deep."""
        depth = self.number(0, 3)
        call = None
        for _ in range(depth):
            call = self.failing_function(call)
        if call is None:
            return self.failing_end()
        if self.chance(0.15):
            call = "[%s for i in range(2)]" % call
        return self.out.line(self.pick(("%s", "print(%s)", "r = %s", "print(1, %s, 2)")) % call)

    def failing_function(self, inner):
        name = self.fresh("fail")
        kind = self.pick(
            ("plain", "plain", "method", "generator", "lambda", "try", "recursive", "key")
        )
        body = inner or "%s"
        if kind == "lambda":
            self.out.line(
                "%s = lambda x=0: %s"
                % (
                    name,
                    inner or self.pick(("1 / x", "[][x]", "x.nope", "int('q%s' % x)", "{}[x]")),
                )
            )
            return "%s()" % name
        header = {"method": "class %s_class:", "generator": "def %s(n=2):"}.get(
            kind, "def %s(n=2):"
        ) % name
        with self.out.block(header):
            if kind == "method":
                self.out.line("def __init__(self, n=1): self.n = n")
                with self.out.block("def run(self):"):
                    self.failing_line(inner)
                return_text = "%s_class().run()" % name
            elif kind == "generator":
                self.out.line("yield n")
                self.failing_line(inner)
                return_text = "list(%s())" % name
            elif kind == "try":
                with self.out.block("try:"):
                    self.failing_line(inner)
                with self.out.block(
                    self.pick(("finally:", "except ZeroDivisionError as e:", "except MemoryError:"))
                ):
                    self.out.line(
                        self.pick(
                            (
                                "print('cleanup')",
                                "raise RuntimeError('on the way')",
                                "raise ValueError('chained') from None",
                            )
                        )
                    )
                return_text = "%s()" % name
            elif kind == "recursive":
                self.out.line("if n > 0: return %s(n - 1)" % name)
                self.failing_line(inner)
                return_text = "%s()" % name
            elif kind == "key":
                self.out.line("def key(v):")
                self.out.level += 1
                self.failing_line(inner)
                self.out.level -= 1
                self.out.line("return sorted([1, 2], key=key)")
                return_text = "%s()" % name
            else:
                self.some_lines()
                self.failing_line(inner)
                return_text = "%s()" % name
        return return_text if body else None

    def some_lines(self):
        for _ in range(self.number(0, 2)):
            self.out.line("q = %s" % self.pick(("n + 1", "[n]", "str(n)", "n * 2")))

    def failing_line(self, inner):
        if inner is None:
            return self.failing_end()
        return self.out.line(
            self.pick(("return %s", "x = %s", "%s", "return [1, %s]")) % inner
            if "yield" not in self.out.lines[-1]
            else inner
        )

    def failing_end(self):
        roll = self.rng.random()
        if roll < 0.6:
            self.out.line(self.pick(CERTAIN))
        elif roll < 0.75 or self.frame.kind != "module" or self.out.level:
            self.out.line(
                "raise %s('%s')"
                % (
                    self.pick(("ValueError", "RuntimeError", "KeyError", "LookupError")),
                    self.pick(("end', 'two", "end", "")),
                )
            )
        elif roll < 0.85:
            with self.out.block("try:"):
                self.out.line(self.pick(("1 / 0", "{}['k']", "int('z')")))
            with self.out.block("except Exception as e:"):
                self.out.line(
                    "raise RuntimeError('last')%s" % self.pick(("", " from e", " from None"))
                )
        else:
            self.out.line(self.text("bool", 1) + " and " + "undefined_at_end")

    def final_print(self):
        names = [
            n
            for n, t in self.frame.names.items()
            if n.isidentifier() and not (isinstance(t, tuple) and t[0] == "set")
        ]
        self.rng.shuffle(names)
        if names:
            self.out.line("print(%s)" % ", ".join(names[:4]))

    def write(self):
        self.budget = self.number(15, 60)
        self.wrong = self.pick((0.0, 0.0, 0.001, 0.004))
        if self.chance(0.25):
            self.out.line("import math")
            self.imported.add("math")
        for _ in range(self.number(3, 8)):
            self.scene()
        self.wrong = 0.0
        self.final_print()
        if self.chance(0.25):
            self.uncaught()
        return self.out.text()


def make_program(seed, number):
    """The text of program `number` of the run with `seed`."""
    return Program(random.Random("%s/%s" % (seed, number))).write()


def make_with(rng):
    """The text of a program whose choices come from `rng`, for instance Hypothesis's."""
    return Program(rng).write()
