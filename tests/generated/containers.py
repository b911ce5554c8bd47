# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Expressions whose value is a list, tuple, dict or set, and comprehensions."""

from scope import P_ADD, P_ATOM, P_BITAND, P_BITOR, P_MUL, P_OR, P_TERNARY, paren


class Containers:
    """A part of the generator; mixed into it."""

    def sized_type(self):
        return self.pick(
            (
                ("list", "int"),
                ("list", "str"),
                "str",
                ("dict", "str", "int"),
                ("set", "int"),
                ("tuple", "int", "str"),
            )
        )

    def range_text(self):
        form = self.pick(("range(%d)", "range(%d)", "range(%d, %d)", "range(%d, %d, %d)"))
        count = form.count("%d")
        values = [self.number(0, 6)] if count == 1 else [self.number(-2, 3), self.number(2, 9)]
        if count == 3:
            values.append(self.pick((1, 2, 3, -1, -2)))
        return form % tuple(values)

    def slice_text(self):
        def bound():
            return "" if self.chance(0.4) else str(self.number(-4, 4))

        text = bound() + ":" + bound()
        return text + ":" + self.pick(("", "1", "2", "-1", "-2", "3")) if self.chance(0.3) else text

    # --- what comprehensions range over ---

    def source(self, d):
        """(target, iterable, {name: type}) of a for clause."""
        a, b = self.fresh("i"), self.fresh("j")
        kind = self.weighted(
            [
                (4, "range"),
                (3, "list"),
                (2, "str"),
                (2, "enumerate"),
                (2, "zip"),
                (2, "items"),
                (1, "keys"),
                (1, "pairs"),
                (1, "sorted"),
            ]
        )
        if kind == "range":
            return a, self.range_text(), {a: "int"}
        if kind == "list":
            type_ = self.element_type()
            return a, self.loop_text(("list", type_), d), {a: type_}
        if kind == "str":
            return a, self.loop_text("str", d), {a: "str"}
        if kind == "enumerate":
            type_ = self.pick(("int", "str"))
            start = ", %d" % self.number(-1, 3) if self.chance(0.3) else ""
            return (
                "%s, %s" % (a, b),
                "enumerate(%s%s)" % (self.text(("list", type_), d), start),
                {a: "int", b: type_},
            )
        if kind == "zip":
            return (
                "%s, %s" % (a, b),
                "zip(%s, %s)" % (self.text(("list", "int"), d), self.text("str", d)),
                {a: "int", b: "str"},
            )
        if kind == "items":
            return (
                "%s, %s" % (a, b),
                self.atom(("dict", "str", "int"), d) + ".items()",
                {a: "str", b: "int"},
            )
        if kind == "keys":
            method = self.pick((".keys()", ""))
            return a, self.atom(("dict", "str", "int"), d) + method, {a: "str"}
        if kind == "pairs":
            target = self.pick(("%s, %s", "(%s, %s)", "[%s, %s]")) % (a, b)
            return (
                target,
                self.loop_text(("list", ("tuple", "int", "str")), d),
                {a: "int", b: "str"},
            )
        return a, "sorted(%s)" % self.text(("set", "int"), d), {a: "int"}

    def loop_text(self, type_, d):
        """An iterable as it may stand after `in`; ternaries and lambdas want brackets there."""
        return self.paren(type_, d, P_OR)

    def clauses(self, d):
        """(text of the for and if clauses, names they bind); the names are in force on return."""
        text, bound = "", {}
        for number in range(self.weighted([(6, 1), (1.5, 2)])):
            target, iterable, names = self.source(min(d, 1) if number == 0 else 0)
            text += " for %s in %s" % (target, iterable)
            bound.update(names)
            self.frame.names.update(names)
            self.frame.fixed.update(names)
            for _ in range(self.weighted([(6, 0), (3, 1), (0.5, 2)])):
                text += " if %s" % self.paren("bool", min(d, 1), P_OR)
        return text, bound

    def comprehension_body(self, type_, d):
        """`element for … in …`, with its own names."""
        before, fixed = dict(self.frame.names), set(self.frame.fixed)
        self.own_names += 1
        clauses, _ = self.clauses(d)
        element = self.paren(type_, min(d, 1), P_TERNARY)
        self.own_names -= 1
        self.frame.names, self.frame.fixed = before, fixed
        return element + clauses

    def generator_expression(self, type_, d):
        return self.comprehension_body(type_, d)

    def key_function(self, type_, d):
        builtin = {"int": ("abs", "str", "float", "bool"), "str": ("len", "str.lower", "str.upper")}
        if type_ in builtin and self.chance(0.4):
            return self.pick(builtin[type_])
        name = self.fresh("x")
        result = self.pick(("int", "int", "str")) if type_ in ("int", "str") else "int"
        before, fixed = dict(self.frame.names), set(self.frame.fixed)
        self.own_names += 1
        self.frame.names[name] = type_
        self.frame.fixed.add(name)
        body = self.paren(result, min(d, 1), P_TERNARY)
        self.own_names -= 1
        self.frame.names, self.frame.fixed = before, fixed
        return "lambda %s: %s" % (name, body)

    # --- displays ---

    def items(self, type_, d, most=4):
        return ", ".join(self.text(type_, d - 1) for _ in range(self.number(0, most)))

    def list_display(self, type_, d):
        text = self.items(type_, d)
        if self.chance(0.12):
            star = "*" + self.atom(self.pick((("list", type_), ("list", type_))), d)
            text = "%s, %s" % (text, star) if text else star
        return ("[%s]" % text, P_ATOM)

    def list_leaf(self, type_):
        names = self.variables(("list", type_))
        if names and self.chance(0.75):
            return (self.pick(names), P_ATOM)
        return (
            "[%s]"
            % ", ".join(
                self.paren(type_, 0, 1) for _ in range(self.number(1, 4) if self.chance(0.9) else 0)
            ),
            P_ATOM,
        )

    def make_list(self, type_, d):
        whole = ("list", type_)
        choices = [
            (4, lambda: self.list_display(type_, d)),
            (4, lambda: ("[%s]" % self.comprehension_body(type_, d), P_ATOM)),
            (
                2,
                lambda: (
                    "%s + %s" % (self.paren(whole, d, P_ADD), self.paren(whole, d, P_ADD + 1)),
                    P_ADD,
                ),
            ),
            (1, lambda: ("%s * %d" % (self.paren(whole, d, P_MUL), self.number(-1, 3)), P_MUL)),
            (2.5, lambda: ("%s[%s]" % (self.atom(whole, d), self.slice_text()), P_ATOM)),
            (1, lambda: ("list(%s)" % self.generator_expression(type_, d), P_ATOM)),
            (1, lambda: ("list(reversed(%s))" % self.text(whole, d), P_ATOM)),
            (0.7, lambda: ("%s.copy()" % self.atom(whole, d), P_ATOM)),
            (
                0.7,
                lambda: (
                    "list(filter(%s, %s))" % (self.key_function(type_, d), self.text(whole, d)),
                    P_ATOM,
                ),
            ),
            (0.7, lambda: ("list(%s.values())" % self.atom(("dict", "str", type_), d), P_ATOM)),
            (0.7, lambda: self.ternary(whole, d)),
            (0.7, lambda: self.call_of(whole, d)),
        ]
        if type_ in ("int", "float", "str", "bool", ("list", "int")):
            choices.append((2, lambda: ("sorted(%s)" % self.sort_arguments(type_, d), P_ATOM)))
        if type_ == "int":
            choices += [
                (1.5, lambda: ("list(%s)" % self.range_text(), P_ATOM)),
                (1, lambda: ("list(map(len, %s))" % self.text(("list", "str"), d), P_ATOM)),
                (1, lambda: ("sorted(%s)" % self.text(("set", "int"), d), P_ATOM)),
                (
                    1,
                    lambda: (
                        "list(map(lambda p, q: p %s q, %s, %s))"
                        % (self.pick("+-*"), self.text(whole, d), self.text(whole, d)),
                        P_ATOM,
                    ),
                ),
            ]
        if type_ == "str":
            choices += [
                (2, lambda: ("%s.%s" % (self.atom("str", d), self.split_text()), P_ATOM)),
                (1, lambda: ("list(%s)" % self.text("str", d), P_ATOM)),
                (1, lambda: ("list(%s)" % self.text(("dict", "str", "int"), d), P_ATOM)),
                (1, lambda: ("sorted(%s)" % self.text(("set", "str"), d), P_ATOM)),
                (
                    1,
                    lambda: (
                        "list(map(%s, %s))"
                        % (self.pick(("str", "repr", "bin", "hex")), self.text(("list", "int"), d)),
                        P_ATOM,
                    ),
                ),
            ]
        if type_ == ("tuple", "int", "str"):
            choices += [
                (3, lambda: ("list(enumerate(%s))" % self.text(("list", "str"), d), P_ATOM)),
                (
                    3,
                    lambda: (
                        "list(zip(%s, %s))" % (self.text(("list", "int"), d), self.text("str", d)),
                        P_ATOM,
                    ),
                ),
            ]
        return self.weighted(choices)()

    def split_text(self):
        return self.pick(
            (
                "split()",
                "split(',')",
                "split(None, 1)",
                "rsplit(',', 1)",
                "splitlines()",
                "split('X')",
                "splitlines(True)",
                "rsplit()",
                "split('-', maxsplit=1)",
                "split('')" if self.chance(0.1) else "split(' ')",
            )
        )

    def sort_arguments(self, type_, d):
        text = self.text(("list", type_), d)
        if self.chance(0.4):
            text += ", key=" + self.key_function(type_, d)
        if self.chance(0.3):
            text += ", reverse=" + self.pick(("True", "False", "1"))
        return text

    # --- tuples ---

    def tuple_leaf(self, types):
        names = self.variables(("tuple",) + types)
        if names and self.chance(0.7):
            return (self.pick(names), P_ATOM)
        return ("(%s,)" % ", ".join(paren(self.leaf(t), 1) for t in types), P_ATOM)

    def make_tuple(self, types, d):
        whole = ("tuple",) + types
        roll = self.rng.random()
        if roll < 0.75:
            body = ", ".join(self.text(t, d - 1) for t in types)
            return ("(%s%s)" % (body, "," if len(types) == 1 or self.chance(0.1) else ""), P_ATOM)
        if roll < 0.8:
            return self.ternary(whole, d)
        if roll < 0.84 and len(types) > 1:
            rest = ", ".join(self.text(t, d - 1) for t in types[1:])
            return ("(*[%s], %s)" % (self.text(types[0], d - 1), rest), P_ATOM)
        if roll < 0.9 and len(types) > 1:
            return (
                "(%s,) + (%s,)"
                % (self.text(types[0], d - 1), ", ".join(self.text(t, d - 1) for t in types[1:])),
                P_ADD,
            )
        if len(set(types)) == 1:
            return ("tuple([%s])" % ", ".join(self.text(t, d - 1) for t in types), P_ATOM)
        return self.tuple_leaf(types)

    # --- dicts ---

    def dict_leaf(self, key, value):
        names = self.variables(("dict", key, value))
        if names and self.chance(0.75):
            return (self.pick(names), P_ATOM)
        return self.dict_display(key, value, 0)

    def dict_display(self, key, value, d):
        pairs = [
            "%s: %s"
            % (
                paren(self.leaf(key) if d <= 0 else self.expr(key, d - 1), 1),
                paren(self.leaf(value) if d <= 0 else self.expr(value, d - 1), 1),
            )
            for _ in range(self.number(0, 3))
        ]
        if d > 0 and self.chance(0.15):
            pairs.append("**" + self.atom(("dict", key, value), d))
        return ("{%s}" % ", ".join(pairs), P_ATOM)

    def make_dict(self, key, value, d):
        whole = ("dict", key, value)
        choices = [
            (5, lambda: self.dict_display(key, value, d)),
            (3, lambda: ("{%s}" % self.dict_comprehension(key, value, d), P_ATOM)),
            (
                1.5,
                lambda: (
                    "dict(zip(%s, %s))"
                    % (self.text(("list", key), d), self.text(("list", value), d)),
                    P_ATOM,
                ),
            ),
            (
                1.5,
                lambda: (
                    "%s | %s" % (self.paren(whole, d, P_BITOR), self.paren(whole, d, P_BITOR + 1)),
                    P_BITOR,
                ),
            ),
            (1, lambda: ("{**%s, **%s}" % (self.atom(whole, d), self.atom(whole, d)), P_ATOM)),
            (0.7, lambda: ("%s.copy()" % self.atom(whole, d), P_ATOM)),
            (0.7, lambda: ("dict(%s)" % self.text(whole, d), P_ATOM)),
            (
                0.7,
                lambda: (
                    "dict.fromkeys(%s, %s)" % (self.text(("list", key), d), self.text(value, d)),
                    P_ATOM,
                ),
            ),
            (
                0.7,
                lambda: (
                    (
                        "dict(sorted(%s.items()))" % self.atom(("dict", "str", value), d)
                        if key == "str"
                        else "dict(%s)" % self.text(whole, d)
                    ),
                    P_ATOM,
                ),
            ),
            (0.5, lambda: self.ternary(whole, d)),
        ]
        if key == "str":
            choices.append(
                (
                    1,
                    lambda: (
                        "dict(%s)"
                        % ", ".join(
                            "%s=%s" % (n, self.text(value, d))
                            for n in ("a", "k1", "zz")[: self.number(0, 3)]
                        ),
                        P_ATOM,
                    ),
                )
            )
        return self.weighted(choices)()

    def dict_comprehension(self, key, value, d):
        before, fixed = dict(self.frame.names), set(self.frame.fixed)
        self.own_names += 1
        clauses, _ = self.clauses(d)
        text = "%s: %s%s" % (
            self.paren(key, min(d, 1), P_TERNARY),
            self.paren(value, min(d, 1), P_TERNARY),
            clauses,
        )
        self.own_names -= 1
        self.frame.names, self.frame.fixed = before, fixed
        return text

    # --- sets ---

    def set_leaf(self, type_):
        names = self.variables(("set", type_))
        if names and self.chance(0.75):
            return (self.pick(names), P_ATOM)
        items = ", ".join(paren(self.leaf(type_), 1) for _ in range(self.number(1, 4)))
        return ("{%s}" % items, P_ATOM)

    def make_set(self, type_, d):
        whole = ("set", type_)
        op, level = self.pick((("|", P_BITOR), ("&", P_BITAND), ("-", P_ADD), ("^", P_BITOR + 1)))
        return self.weighted(
            [
                (
                    3,
                    lambda: (
                        "{%s}"
                        % ", ".join(self.text(type_, d - 1) for _ in range(self.number(1, 4))),
                        P_ATOM,
                    ),
                ),
                (2, lambda: ("{%s}" % self.comprehension_body(type_, d), P_ATOM)),
                (
                    3,
                    lambda: (
                        "%s %s %s"
                        % (self.paren(whole, d, level), op, self.paren(whole, d, level + 1)),
                        level,
                    ),
                ),
                (2, lambda: ("set(%s)" % self.text(("list", type_), d), P_ATOM)),
                (
                    1.5,
                    lambda: (
                        "%s.%s(%s)"
                        % (
                            self.atom(whole, d),
                            self.pick(
                                ("union", "intersection", "difference", "symmetric_difference")
                            ),
                            self.text(("list", type_), d),
                        ),
                        P_ATOM,
                    ),
                ),
                (0.7, lambda: ("frozenset(%s)" % self.text(("list", type_), d), P_ATOM)),
                (0.5, lambda: ("set()", P_ATOM)),
                (0.5, lambda: ("%s.copy()" % self.atom(whole, d), P_ATOM)),
                (
                    0.5,
                    lambda: (
                        "{*%s, %s}" % (self.atom(("list", type_), d), self.text(type_, 0)),
                        P_ATOM,
                    ),
                ),
            ]
        )()
