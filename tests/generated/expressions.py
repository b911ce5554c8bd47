# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Expressions of a wanted type, and now and then, on purpose, of another."""

from containers import Containers
from numbers_ import Numbers
from scope import P_ATOM, P_LAMBDA, P_OR, P_TERNARY, P_WALRUS, Context, paren
from strings_ import Strings

WRONG = (
    "int",
    "str",
    "float",
    "none",
    ("list", "int"),
    ("tuple", "int", "str"),
    "complex",
    ("dict", "str", "int"),
    "bool",
)


class Expressions(Numbers, Strings, Containers, Context):
    """The expression half of the generator."""

    def expr(self, type_, d):
        """(text, precedence) of an expression of `type_`, at most about `d` levels deep."""
        if self.wrong and self.rng.random() < self.wrong:
            if self.chance(0.06):
                return (self.pick(("undefined_thing", "zebra", "self_missing")), P_ATOM)
            type_ = self.pick(WRONG)
        if d <= 0 or self.rng.random() < 0.12:
            return self.leaf(type_)
        return self.make(type_, d - 1)

    def leaf(self, type_):
        if isinstance(type_, tuple):
            kind = type_[0]
            if kind == "list":
                return self.list_leaf(type_[1])
            if kind == "tuple":
                return self.tuple_leaf(type_[1:])
            if kind == "dict":
                return self.dict_leaf(type_[1], type_[2])
            return self.of_one_type(self.set_leaf, type_[1])
        return getattr(self, type_ + "_leaf")()

    def make(self, type_, d):
        if isinstance(type_, tuple):
            kind = type_[0]
            if kind == "list":
                return self.make_list(type_[1], d)
            if kind == "tuple":
                return self.make_tuple(type_[1:], d)
            if kind == "dict":
                return self.make_dict(type_[1], type_[2], d)
            return self.of_one_type(self.make_set, type_[1], d)
        return getattr(self, "make_" + type_)(d)

    def of_one_type(self, make, *arguments):
        """A set, without anything wrong inside: sorting a mixed one fails at a pair of items that
        the order of the set decides."""
        before, self.wrong = self.wrong, 0.0
        made = make(*arguments)
        self.wrong = before
        return made

    # --- texts that fit a place ---

    def text(self, type_, d):
        """As an argument, element or right-hand side; a walrus gets its brackets."""
        return paren(self.expr(type_, d), P_LAMBDA, self)

    def paren(self, type_, d, minimum):
        return paren(self.expr(type_, d), minimum, self)

    def paren_text(self, expression):
        return paren(expression, P_ATOM)

    def atom(self, type_, d):
        """As what a dot, bracket or call can follow."""
        text, precedence = self.expr(type_, d)
        if precedence < P_ATOM or text[0].isdigit() or text[0] == ".":
            return "(%s)" % text
        return text

    # --- forms common to all types ---

    def ternary(self, type_, d):
        return (
            "%s if %s else %s"
            % (
                self.paren(type_, d, P_OR),
                self.paren("bool", d, P_OR),
                self.paren(type_, d, P_TERNARY),
            ),
            P_TERNARY,
        )

    def walrus(self, type_, d):
        if self.own_names or self.frame.kind == "class":
            return self.leaf(type_)
        value = self.paren(type_, d, P_LAMBDA)
        name = self.fresh("w")
        if self.chance(0.3):
            self.declare(name, type_)
        return ("%s := %s" % (name, value), P_WALRUS)

    def apply_lambda(self, type_, d):
        """A lambda called on the spot."""
        params, arguments = [], []
        before, fixed = dict(self.frame.names), set(self.frame.fixed)
        for _ in range(self.number(0, 2)):
            name, t = self.fresh("p"), self.pick(("int", "str", "float"))
            default = self.chance(0.25)
            params.append((name, t, paren(self.leaf(t), P_LAMBDA) if default else None))
            if not default or self.chance(0.5):
                arguments.append(("%s=" % name if default else "") + self.text(t, min(d, 1)))
        params.sort(key=lambda p: p[2] is not None)
        arguments.sort(key=lambda a: "=" in a.split("(")[0] and a.startswith("p"))
        self.own_names += 1
        for name, t, _ in params:
            self.frame.names[name] = t
            self.frame.fixed.add(name)
        body = self.paren(type_, min(d, 1), P_LAMBDA)
        self.own_names -= 1
        self.frame.names, self.frame.fixed = before, fixed
        names = ", ".join(n if v is None else "%s=%s" % (n, v) for n, _, v in params)
        return (
            "(lambda%s: %s)(%s)" % (" " + names if names else "", body, ", ".join(arguments)),
            P_ATOM,
        )

    def call_of(self, type_, d):
        """A call of a function of the program that returns the type, or a leaf."""
        found = [
            f
            for f in self.functions
            if f.returns == type_ and not (f.costly and (self.looping or self.own_names))
        ]
        if not found:
            return self.leaf(type_)
        return (self.call_text(self.pick(found), min(d, 1)), P_ATOM)

    def call_text(self, function, d):
        """A call with positional, keyword and starred arguments; seldom with a wrong count."""
        positional, keywords, named = [], [], False
        for p in function.params:
            if p.default and self.chance(0.5):
                named = True
                continue
            value = self.text(p.type, d)
            if p.kind == "keyword" or (p.kind == "normal" and (named or self.chance(0.2))):
                named = True
                keywords.append("%s=%s" % (p.name, value))
            elif not named:
                positional.append(value)
            elif not p.default:
                positional.append(value)
        if function.varargs and not named:
            positional += [self.text(function.varargs, d) for _ in range(self.number(0, 2))]
            if self.chance(0.3):
                positional.append("*" + self.atom(("list", function.varargs), d))
        if function.kwargs:
            keywords += [
                "%s=%s" % (n, self.text(function.kwargs, d))
                for n in ("ka", "kb", "kc")[: self.number(0, 3)]
            ]
            if self.chance(0.2):
                keywords.append("**{'kd': %s}" % self.text(function.kwargs, d))
        if self.wrong and self.chance(0.04 + self.wrong / 2):
            self.pick(
                (
                    lambda: positional.append("1"),
                    lambda: positional.clear(),
                    lambda: keywords.append("nope=1"),
                )
            )()
        return "%s(%s)" % (function.name, ", ".join(positional + keywords))
