# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Class definitions with attributes, methods, properties and operator methods, subclasses with
super(), and uses of their instances."""

from functions import Functions

BINARY = (
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("truediv", "/"),
    ("floordiv", "//"),
    ("mod", "%"),
    ("pow", "**"),
    ("and", "&"),
    ("or", "|"),
    ("xor", "^"),
    ("lshift", "<<"),
    ("rshift", ">>"),
    ("matmul", "@"),
)
COMPARE = (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
UNARY = (
    ("neg", "-%s"),
    ("pos", "+%s"),
    ("invert", "~%s"),
    ("abs", "abs(%s)"),
    ("len", "len(%s)"),
    ("bool", "bool(%s)"),
    ("int", "int(%s)"),
    ("float", "float(%s)"),
    ("str", "str(%s)"),
    ("hash", "hash(%s)"),
    ("iter", "list(%s)"),
    ("reversed", "list(reversed(%s))"),
    ("call", "%s(2, k=3)"),
    ("index", "[0, 1, 2][%s]"),
    ("round", "round(%s)"),
    ("contains", "3 in %s"),
    ("getitem", "%s[1]"),
    ("format", "f'{%s:spec}'"),
    ("complex", "complex(%s)"),
    ("divmod", "divmod(%s, 2)"),
)


class Classes(Functions):
    """A part of the generator."""

    def class_scene(self):
        self.pick(
            (
                self.class_with_methods,
                self.class_with_methods,
                self.class_with_operators,
                self.class_with_operators,
                self.class_with_properties,
                self.class_with_getattr,
                self.iterator_class,
                self.class_body,
                self.builtin_subclass,
            )
        )()

    # --- methods and inheritance ---

    def class_with_methods(self):
        name = self.fresh("C")
        attributes = {
            self.fresh("x"): self.pick(("int", "int", "str", "float", ("list", "int")))
            for _ in range(self.number(1, 3))
        }
        methods = {}
        with self.out.block("class %s%s:" % (name, self.pick(("", "", "()", "(object)")))):
            if self.chance(0.3):
                self.out.line("'''Docstring of %s.'''" % name)
            self.out.line("shared = %s" % self.text("int", 1))
            self.initializer(attributes)
            for _ in range(self.number(1, 3)):
                self.method(attributes, methods)
            if self.chance(0.4):
                with self.out.block("def __repr__(self):"):
                    self.out.line(
                        "return f'{type(self).__name__}(%s)'"
                        % ", ".join("{self.%s!r}" % a for a in attributes)
                    )
                methods["__repr__"] = None
        self.use_instance(name, attributes, methods)
        if self.chance(0.65):
            self.subclass(name, attributes, methods)

    def initializer(self, attributes):
        params = ", ".join(attributes)
        with self.out.block("def __init__(self, %s):" % params):
            for a in attributes:
                self.out.line("self.%s = %s" % (a, a))

    def method(self, attributes, methods):
        name, returns = self.fresh("m"), self.pick(("int", "str", "float", ("list", "int")))
        kind = self.weighted([(6, "plain"), (1, "class"), (1, "static")])
        if kind == "static":
            self.out.line("@staticmethod")
        elif kind == "class":
            self.out.line("@classmethod")
        first = {"plain": "self, ", "class": "cls, ", "static": ""}[kind]
        extra = self.fresh("a")
        with self.out.block("def %s(%s%s):" % (name, first, extra)):
            with self.function_frame() as frame:
                frame.returns = returns
                frame.names[extra] = "int"
                if kind == "plain":
                    frame.names.update({"self." + a: t for a, t in attributes.items()})
                    frame.names["self.shared"] = "int"
                elif kind == "class":
                    frame.names["cls.shared"] = "int"
                for _ in range(self.number(0, 2)):
                    self.statement()
                if kind == "plain" and self.chance(0.3):
                    self.change_attribute(attributes)
                self.out.line("return %s" % self.text(returns, 2))
        methods[name] = returns

    def change_attribute(self, attributes):
        name, type_ = self.pick(list(attributes.items()))
        if type_ == "int":
            self.out.line(
                "self.%s %s %s" % (name, self.pick(("+=", "-=", "^=")), self.text("int", 1))
            )
        else:
            self.out.line("self.%s = %s" % (name, self.text(type_, 1)))

    def use_instance(self, name, attributes, methods):
        o = self.fresh("o")
        self.out.line(
            "%s = %s(%s)" % (o, name, ", ".join(self.text(t, 1) for t in attributes.values()))
        )
        calls = [
            "%s.%s(%s)" % (o, m, self.text("int", 1)) for m, returns in methods.items() if returns
        ]
        calls += ["%s.%s" % (o, a) for a in attributes if self.chance(0.6)]
        if "__repr__" in methods:
            calls.append(self.pick((o, "[%s]" % o, "f'{%s}'" % o, "str(%s)" % o)))
        calls += self.some(
            [
                "%s.shared" % name,
                "%s.shared" % o,
                "hasattr(%s, 'shared')" % o,
                "getattr(%s, 'nope', 'none')" % o,
                "isinstance(%s, %s)" % (o, name),
                "type(%s).__name__" % o,
                "sorted(vars(%s))" % o,
                "%s.__class__ is %s" % (o, name),
                "%s == %s" % (o, o),
            ],
            2,
        )
        self.rng.shuffle(calls)
        with self.out.block("try:"):
            self.out.line("print(%s)" % ", ".join(calls[:5]))
            if self.chance(0.3):
                self.out.line("%s.shared = %s" % (self.pick((o, name)), self.text("int", 1)))
                self.out.line("print(%s.shared, %s.shared)" % (o, name))
            if self.chance(0.2):
                self.out.line("del %s.%s" % (o, self.pick(list(attributes) + ["shared"])))
                self.out.line("print(%s)" % calls[0])
            if self.chance(0.25):
                self.out.line(
                    self.pick(
                        (
                            "%s.missing" % o,
                            "%s()" % name,
                            "%s(1, 2, 3, 4, 5)" % name,
                            "%s.missing(1)" % o,
                            "%s + 1" % o,
                            "%s < %s" % (o, o),
                            "%s[0]" % o,
                            "len(%s)" % o,
                            "for q in %s: pass" % o,
                            "%s()" % o,
                            "-%s" % o,
                            "%s in %s" % (1, o),
                            "with %s: pass" % o,
                            "int(%s)" % o,
                            "%s.nope = 1; print(%s.nope)" % (o, o),
                        )
                    )
                )
        self.handler("Exception")

    def some(self, items, most):
        self.rng.shuffle(items)
        return items[: self.number(0, most)]

    def subclass(self, base, attributes, methods):
        name = self.fresh("D")
        own = dict(attributes)
        with self.out.block("class %s(%s):" % (name, base)):
            if self.chance(0.5):
                extra = self.fresh("y")
                with self.out.block("def __init__(self, %s, %s):" % (", ".join(attributes), extra)):
                    self.out.line("super().__init__(%s)" % ", ".join(attributes))
                    self.out.line(
                        "self.%s = %s"
                        % (extra, self.pick((extra, "%s, self.shared" % extra, "[%s]" % extra)))
                    )
                own[extra] = "int"
            for m, returns in list(methods.items()):
                if returns and self.chance(0.5):
                    with self.out.block("def %s(self, a):" % m):
                        self.out.line(
                            "return %s"
                            % self.pick(
                                (
                                    "super().%s(a), 'sub'",
                                    "[super().%s(a + 1)]",
                                    "%s.%%s(self, a)" % base,
                                    "super().%s(a) if a > 2 else 'small'",
                                    "super().%s(a) * 2",
                                )
                            )
                            % m
                        )
            if self.chance(0.3):
                self.out.line("shared = %s" % self.text("int", 1))
            if self.chance(0.4):
                self.method(own, methods)
        self.use_instance(name, own, methods)
        self.out.line(
            "print(issubclass(%s, %s), [k.__name__ for k in %s.__mro__], %s.__bases__ == (%s,))"
            % (name, base, name, name, base)
        )

    # --- operators ---

    def operator_method(self, op):
        returns = {
            "bool": "self.v > 2",
            "len": "abs(self.v) % 7",
            "int": "int(self.v)",
            "float": "float(self.v)",
            "str": "'<%s>' % self.v",
            "hash": "hash(self.v)",
            "iter": self.pick(("iter([self.v, 1])", "(q for q in range(3))")),
            "reversed": "iter([self.v])",
            "index": "1",
            "round": "round(self.v)",
            "contains": None,
            "complex": "complex(self.v, 1)",
        }
        params = {
            "call": "self, *a, **k",
            "contains": "self, x",
            "getitem": "self, i",
            "format": "self, spec",
            "divmod": "self, x",
            "round": "self, n=None",
        }
        texts = {
            "call": "self.v, a, k",
            "contains": "x == self.v",
            "getitem": "self.v, i",
            "format": "f'{self.v}/{spec}'",
            "divmod": "(self.v, x)",
        }
        body = (
            texts.get(op)
            or returns.get(op)
            or self.pick(("-self.v", "self.v * 2", "type(self)(self.v + 1)", "'%s'" % op))
        )
        if self.chance(0.04):
            body = self.pick(("None", "5.5", "'text'", "[]"))
        with self.out.block("def __%s__(%s):" % (op, params.get(op, "self"))):
            if self.chance(0.05):
                self.out.line(
                    "raise %s"
                    % self.error_value_constant()
                    .replace(" % x", " % 1")
                    .replace("x, ", "1, ")
                    .replace("{x}", "1")
                    .replace("(x)", "(1)")
                )
            self.out.line("return " + body)

    def binary_method(self, op, reflected=False):
        name = ("r" if reflected else "") + op
        other = "(o.v if isinstance(o, type(self)) else o)"
        body = self.pick(
            (
                "type(self)(self.v + %s)" % other,
                "'%s', self.v, %s" % (name, other),
                "self.v, %s" % other,
                "NotImplemented",
                "type(self)(self.v * 2)",
                "NotImplemented if isinstance(o, str) else self.v",
            )
        )
        with self.out.block("def __%s__(self, o):" % name):
            self.out.line("return " + body)

    def class_with_operators(self):
        name = self.fresh("V")
        with self.out.block("class %s:" % name):
            with self.out.block("def __init__(self, v):"):
                self.out.line("self.v = v")
            with self.out.block("def __repr__(self):"):
                self.out.line("return '%s(%%r)' %% (self.v,)" % name)
            binary = self.some(list(BINARY), 6) or [BINARY[0]]
            compare = self.some(list(COMPARE), 4)
            unary = self.some(list(UNARY), 6)
            for op, _ in binary:
                self.binary_method(op)
                if self.chance(0.5):
                    self.binary_method(op, True)
                if self.chance(0.3):
                    with self.out.block("def __i%s__(self, o):" % op):
                        self.out.line(
                            "self.v = %s" % self.pick(("(self.v, o)", "self.v", "'i%s'" % op))
                        )
                        self.out.line("return self")
            for op, sign in compare:
                with self.out.block("def __%s__(self, o):" % op):
                    self.out.line(
                        "return %s"
                        % self.pick(
                            (
                                "self.v %s o.v" % sign,
                                "self.v %s getattr(o, 'v', o)" % sign,
                                "'%s'" % op,
                                "NotImplemented",
                            )
                        )
                    )
            for op, _ in unary:
                self.operator_method(op)
            if self.chance(0.4):
                with self.out.block("def __setitem__(self, i, x):"):
                    self.out.line("self.v = [self.v, i, x]")
                with self.out.block("def __delitem__(self, i):"):
                    self.out.line("print('del', i)")
        a, b = self.fresh("o"), self.fresh("o")
        self.out.line(
            "%s, %s = %s(%d), %s(%d)" % (a, b, name, self.number(-2, 5), name, self.number(0, 5))
        )
        tries = [
            "%s %s %s" % (l, sign, r)
            for _, sign in binary
            for l, r in ((a, b), (a, "3"), ("2", a), (a, "'s'"), ("1.5", b))
        ]
        tries += [
            "%s %s %s" % (l, sign, r)
            for _, sign in compare
            for l, r in ((a, b), (a, "3"), ("2", a))
        ]
        tries += [form % a for _, form in unary] + [
            form % a for op, form in self.some(list(UNARY), 2) if op != "hash"
        ]
        tries += [
            "%s[1:2]" % a,
            "%s[1, 2]" % a,
            "not %s" % a,
            "sorted([%s, %s])" % (a, b),
            "max(%s, %s)" % (a, b),
            "%s == %s" % (a, a),
            "%s in [%s]" % (a, b),
        ]
        self.rng.shuffle(tries)
        for text in tries[: self.number(2, 6)]:
            with self.out.block("try:"):
                self.out.line("print(%s)" % text)
            self.handler("Exception")
        with self.out.block("try:"):
            self.out.line("%s %s= %s" % (a, self.pick(binary)[1], self.pick((b, "2"))))
            self.out.line("print(%s, %s)" % (a, b))
            if self.chance(0.4):
                self.out.line(
                    self.pick(
                        ("%s[0] = 5" % b, "del %s[1]" % b, "%s[1, 2] = 3" % b, "%s[0] += 1" % b)
                    )
                )
                self.out.line("print(%s)" % b)
        self.handler("Exception")

    # --- attributes ---

    def class_with_properties(self):
        name, p = self.fresh("P"), self.pick(("size", "value", "level"))
        with self.out.block("class %s:" % name):
            with self.out.block("def __init__(self, v):"):
                self.out.line("self._v = v")
            self.out.line("@property")
            with self.out.block("def %s(self):" % p):
                self.out.line("return self._v%s" % self.pick(("", " * 2", " + 1", "[0]")))
            setter = self.chance(0.7)
            if setter:
                self.out.line("@%s.setter" % p)
                with self.out.block("def %s(self, v):" % p):
                    if self.chance(0.6):
                        self.out.line(
                            "if v < %d: raise ValueError(f'{v} is too small')" % self.number(-1, 3)
                        )
                    self.out.line("self._v = v")
            if self.chance(0.3):
                self.out.line("@%s.deleter" % p)
                with self.out.block("def %s(self):" % p):
                    self.out.line("print('deleted')")
            if self.chance(0.4):
                self.out.line("twice = property(lambda self: self.%s * 2)" % p)
        o = self.fresh("o")
        self.out.line("%s = %s(%d)" % (o, name, self.number(0, 9)))
        for text in self.some(
            [
                "print(%s.%s)" % (o, p),
                "%s.%s = %d; print(%s.%s)" % (o, p, self.number(-3, 5), o, p),
                "%s.%s += 1; print(%s._v)" % (o, p, o),
                "del %s.%s" % (o, p),
                "print(%s.twice)" % o,
                "print(hasattr(%s, '%s'), vars(%s))" % (o, p, o),
                "setattr(%s, '%s', 7); print(getattr(%s, '%s'))" % (o, p, o, p),
                "%s.other = 1; print(%s.other)" % (o, o),
            ],
            5,
        ):
            with self.out.block("try:"):
                self.out.line(text)
            self.handler("Exception")

    def class_with_getattr(self):
        name, o = self.fresh("A"), self.fresh("o")
        with self.out.block("class %s:" % name):
            self.out.line("known = %s" % self.text("int", 1))
            if self.chance(0.7):
                with self.out.block("def __getattr__(self, n):"):
                    if self.chance(0.5):
                        self.out.line(
                            "if n.startswith('z'): raise AttributeError(%s)"
                            % self.pick(("n", "'no ' + n", "f'missing {n!r}'"))
                        )
                    self.out.line(
                        "return %s"
                        % self.pick(
                            ("n.upper()", "len(n)", "[n]", "lambda *a: (n, a)", "'got ' + n")
                        )
                    )
            if self.chance(0.5):
                with self.out.block("def __setattr__(self, n, v):"):
                    self.out.line("print('set', n, v)")
                    self.out.line(
                        self.pick(
                            (
                                "super().__setattr__(n, v)",
                                "object.__setattr__(self, n, [v])",
                                "self.__dict__[n] = v",
                                "pass",
                            )
                        )
                    )
            if self.chance(0.3):
                with self.out.block("def __delattr__(self, n):"):
                    self.out.line("print('del', n)")
        self.out.line("%s = %s()" % (o, name))
        for text in self.some(
            [
                "print(%s.known)" % o,
                "print(%s.abc)" % o,
                "print(%s.zed)" % o,
                "%s.q = 5; print(%s.q)" % (o, o),
                "print(%s.call(1))" % o,
                "del %s.q" % o,
                "%s.n = 1; %s.n += 2; print(%s.n)" % (o, o, o),
                "print(hasattr(%s, 'zzz'), getattr(%s, 'zzz', 'default'))" % (o, o),
                "print(%s + 1)" % o,
                "print(len(%s))" % o,
                "print(%s)" % ("vars(%s)" % o),
            ],
            5,
        ):
            with self.out.block("try:"):
                self.out.line(text)
            self.handler("Exception")

    # --- others ---

    def iterator_class(self):
        name = self.fresh("It")
        with self.out.block("class %s:" % name):
            with self.out.block("def __init__(self, n):"):
                self.out.line("self.n = n")
            if self.chance(0.25):
                with self.out.block("def __getitem__(self, i):"):
                    self.out.line("if i >= self.n: raise IndexError(i)")
                    self.out.line("return i * i")
            else:
                with self.out.block("def __iter__(self):"):
                    self.out.line(
                        "return %s"
                        % self.pick(
                            (
                                "self",
                                "self",
                                "iter(range(self.n))",
                                "(i * 2 for i in range(self.n))",
                                "5",
                            )
                        )
                    )
                with self.out.block("def __next__(self):"):
                    self.out.line(
                        "if self.n <= 0: raise StopIteration%s"
                        % self.pick(("", "", "()", "('end')"))
                    )
                    self.out.line("self.n -= 1")
                    self.out.line(
                        "return %s"
                        % self.pick(("self.n", "[self.n]", "1 / (self.n - 1)", "str(self.n)"))
                    )
        for _ in range(self.number(1, 2)):
            self.consume("%s(%d)" % (name, self.number(0, 4)))

    def class_body(self):
        name = self.fresh("B")
        with self.out.block("class %s:" % name):
            self.out.line("a = %s" % self.text("int", 2))
            self.out.line(
                "b = [a + i for i in range(%d)]%s"
                % (self.number(0, 3), self.pick(("", " if False else [a]")))
                if self.chance(0.2)
                else "b = [i for i in range(a % 5)]"
            )
            self.out.line("total = 0")
            with self.out.block("for i in range(%d):" % self.number(1, 4)):
                self.out.line("total += i")
            if self.chance(0.4):
                with self.out.block("if total > 2:"):
                    self.out.line("big = total")
            if self.chance(0.4):
                self.out.line("del i")
            if self.chance(0.4):
                with self.out.block("class Inner:"):
                    self.out.line("z = %s" % self.text("str", 1))
            if self.chance(0.4):
                self.out.line("c: int = total * 2")
            self.out.line("f = lambda self, x=a: (x, self.total)")
        with self.out.block("try:"):
            self.out.line(
                "print(%s.a, %s.b, %s.total, %s().f(), %s)"
                % (
                    name,
                    name,
                    name,
                    name,
                    self.pick(
                        (
                            "%s.i",
                            "%s.big",
                            "%s.Inner.z",
                            "%s.c",
                            "sorted(k for k in vars(%s) if k[0] != '_')",
                        )
                    )
                    % name,
                )
            )
        self.handler("Exception")

    def builtin_subclass(self):
        name, base = self.fresh("S"), self.pick(("list", "dict", "int", "str", "tuple", "float"))
        with self.out.block("class %s(%s):" % (name, base)):
            with self.out.block("def extra(self, k=2):"):
                self.out.line(
                    "return %s"
                    % {
                        "list": "len(self) * k",
                        "dict": "sorted(self)",
                        "int": "self * k",
                        "str": "self.upper() * k",
                        "tuple": "self[::-1]",
                        "float": "self / k",
                    }[base]
                )
        value = {
            "list": "[3, 1, 2]",
            "dict": "{'b': 1, 'a': 2}",
            "int": "7",
            "str": "'abc'",
            "tuple": "(1, 2)",
            "float": "2.5",
        }[base]
        o = self.fresh("o")
        self.out.line("%s = %s(%s)" % (o, name, value))
        uses = {
            "list": [
                "%s + [4]",
                "%s[1:]",
                "sorted(%s)",
                "%s * 2",
                "3 in %s",
                "%s == [3, 1, 2]",
                "%s.append(9)",
                "%s.sort()",
                "len(%s)",
            ],
            "dict": [
                "%s['a']",
                "%s.get('z')",
                "list(%s.items())",
                "'b' in %s",
                "{**%s}",
                "%s['zz']",
                "len(%s)",
            ],
            "int": [
                "%s + 1",
                "-%s",
                "%s / 2",
                "%s == 7",
                "%s < 10",
                "range(%s)",
                "f'{%s:04}'",
                "hash(%s)",
                "%s ** 2",
            ],
            "str": [
                "%s + 'd'",
                "%s[1]",
                "len(%s)",
                "%s.upper()",
                "%s == 'abc'",
                "'%%s' %% %s",
                "f'{%s:>5}'",
                "list(%s)",
                "{'abc': 1}[%s]",
            ],
            "tuple": [
                "%s + (3,)",
                "%s[0]",
                "len(%s)",
                "%s == (1, 2)",
                "list(%s)",
                "hash(%s) == hash((1, 2))",
            ],
            "float": ["%s + 1", "%s.is_integer()", "round(%s)", "-%s", "%s == 2.5"],
        }[base]
        with self.out.block("try:"):
            chosen = self.some(uses, 4) or uses[:1]
            self.out.line(
                "print(%s, %s.extra(), isinstance(%s, %s), type(%s).__name__)" % (o, o, o, base, o)
            )
            self.out.line("print(%s)" % ", ".join(u % o for u in chosen))
            self.out.line("print(%s)" % o)
        self.handler("Exception")
