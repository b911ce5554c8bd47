# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Simple statements, branches and loops.

Inside loops what is assigned is kept small (`% 1009`, `[:20]`), so that no program runs away.
"""

from expressions import Expressions
from scope import P_COMPARE, P_LAMBDA, P_MUL, P_OR, P_TERNARY

AUGMENTED_INT = ("+=", "-=", "*=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=")
IN_LOOPS = ("+=", "-=", "//=", "%=", "&=", "|=", "^=", ">>=")


class Statements(Expressions):
    """A part of the generator: statements, on top of expressions."""

    # --- printing ---

    def show_text(self, type_, d):
        """A text to print: sets in order, for theirs is not part of the language."""
        if isinstance(type_, tuple) and type_[0] == "set":
            return "sorted(%s)" % self.text(type_, d)
        return self.text(type_, d)

    def print_statement(self):
        if self.chance(0.35):
            names = [(n, t) for f in self.visible() for n, t in f.names.items() if n.isidentifier()]
            if names:
                chosen = [self.pick(names) for _ in range(self.number(1, 4))]
                self.out.line(
                    "print(%s)"
                    % ", ".join(
                        "sorted(%s)" % n if isinstance(t, tuple) and t[0] == "set" else n
                        for n, t in chosen
                    )
                )
                return
        items = [
            self.show_text(self.any_type(), self.number(1, 3))
            for _ in range(self.weighted([(6, 1), (3, 2), (1, 3)]))
        ]
        if self.chance(0.1):
            items.append(self.pick(("sep='-'", "end=';\\n'", "sep=''", "sep='\\n'", "end='\\n'")))
        if self.chance(0.05):
            items.insert(0, "*" + self.atom(("list", "int"), 1))
        self.out.line("print(%s)" % ", ".join(items))

    # --- assignment ---

    def bounded(self, type_, text):
        """The text of a value, cut down inside loops."""
        if not self.looping:
            return text
        if type_ == "int":
            return "(%s) %% %s" % (text, self.pick(("1009", "10007", "2 ** 40")))
        if type_ == "str":
            return "(%s)[:%d]" % (text, self.number(5, 20))
        if type_ == ("list", "int") or isinstance(type_, tuple) and type_[0] == "list":
            return "(%s)[:%d]" % (text, self.number(2, 6))
        return text

    def assign(self):
        type_ = self.any_type()
        text = self.bounded(type_, self.text(type_, self.number(1, 3)))
        known = self.assignable(type_)
        if known and self.chance(0.35):
            name = self.pick(known)
        elif known and self.chance(0.06):
            name = self.pick(self.assignable())
        else:
            name = self.fresh()
        if self.chance(0.06):
            self.out.line(
                "%s: %s = %s" % (name, self.pick(("int", "'str'", "list", "object")), text)
            )
        elif self.chance(0.05):
            other = self.fresh()
            self.out.line("%s = %s = %s" % (name, other, text))
            self.declare(other, type_)
        else:
            self.out.line("%s = %s" % (name, text))
        self.declare(name, type_)

    def augmented(self):
        names = self.assignable("int")
        if not names:
            return self.assign()
        name = self.pick(names)
        op = self.pick(IN_LOOPS if self.looping else AUGMENTED_INT)
        if op in ("<<=", ">>="):
            value = str(self.number(0, 9))
        elif op == "**=":
            value = str(self.number(0, 3))
        elif op in ("//=", "%=") and self.chance(0.85):
            value = str(self.pick((2, 3, 7, 10, -3, 64)))
        else:
            value = self.text("int", self.number(0, 2))
        return self.out.line("%s %s %s" % (name, op, value))

    def augmented_other(self):
        type_ = self.pick(
            (
                "float",
                "str",
                ("list", "int"),
                ("dict", "str", "int"),
                ("set", "int"),
                "complex",
                "bool",
                ("tuple", "int", "int"),
            )
        )
        names = self.assignable(type_)
        if not names or type_ == ("tuple", "int", "int"):
            return self.augmented()
        name = self.pick(names)
        if isinstance(type_, tuple):
            self.growing_container(name, type_)
        elif type_ == "str":
            if self.looping:
                self.out.line(
                    "%s += %s" % (name, self.pick(("'x'", "'é'", "str(%d)" % self.number(0, 99))))
                )
            else:
                self.out.line("%s %s" % (name, self.pick(("+= " + self.text("str", 2), "*= 2"))))
        elif type_ == "bool":
            self.out.line("%s %s %s" % (name, self.pick(("&=", "|=", "^=")), self.text("bool", 2)))
        else:
            op = (
                self.pick(("+=", "-=", "*=", "/="))
                if type_ != "float"
                else self.pick(("+=", "-=", "*=", "/=", "//=", "%="))
            )
            value = (
                self.pick(("2", "3", "0.5", "-4"))
                if op in ("/=", "//=", "%=")
                else self.text(type_, 1)
            )
            self.out.line("%s %s %s" % (name, op, value))
        return None

    def growing_container(self, name, type_):
        if type_[0] == "dict":
            self.out.line("%s |= %s" % (name, self.dict_display("str", "int", 0)[0]))
        elif type_[0] == "set":
            op = self.pick(("|=", "&=", "-=", "^="))
            self.out.line(
                "%s %s {%s}"
                % (name, op, ", ".join(str(self.number(0, 9)) for _ in range(self.number(1, 3))))
            )
        elif self.looping:
            self.out.line("%s += [%d]" % (name, self.number(0, 9)))
        else:
            self.out.line(
                "%s %s"
                % (
                    name,
                    self.pick(
                        (
                            "+= " + self.text(type_, 2),
                            "*= %d" % self.number(0, 2),
                            "+= range(%d)" % self.number(0, 3),
                        )
                    ),
                )
            )

    def unpack(self):
        count = self.number(2, 3)
        types = [self.pick(("int", "str", "float", ("list", "int"))) for _ in range(count)]
        names = [self.fresh() for _ in types]
        roll = self.rng.random()
        if roll < 0.45:
            left, right = ", ".join(names), ", ".join(self.text(t, 1) for t in types)
            if self.chance(0.3):
                left = self.pick(("(%s)", "[%s]")) % left
        elif roll < 0.65:
            left = "%s, *%s" % (names[0], names[1])
            if self.chance(0.4):
                left = "*%s, %s" % (names[1], names[0])
            types, names = ["int", ("list", "int")], names[:2]
            right = self.text(("list", "int"), 2)
            if self.chance(0.7):
                right = "[%d, *%s]" % (self.number(0, 9), self.atom(("list", "int"), 1))
        elif roll < 0.8:
            types = types[:2]
            names = names[:2]
            extra = self.fresh()
            left = "(%s, %s), %s" % (names[0], names[1], extra)
            right = "(%s, %s), %s" % (
                self.text(types[0], 1),
                self.text(types[1], 1),
                self.text("int", 1),
            )
            types, names = types + ["int"], names + [extra]
        elif roll < 0.9:
            known = self.assignable("int")
            if len(known) < 2:
                return self.assign()
            # Two different ones: CPython 3.11.2 mixes up the order of `x, x = x, 0`.
            a = self.pick(known)
            b = self.pick([name for name in known if name != a])
            if self.looping:
                self.out.line("%s, %s = %s, %s" % (a, b, b, a))
            else:
                self.out.line("%s, %s = %s, %s + %s" % (a, b, b, a, b))
            return None
        else:
            types = ["str"] * count
            left, right = ", ".join(names), self.pick(
                ("'ab'", "'xyz'", "'hello'[:%d]" % count, "sorted('%s')" % "cab"[:count])
            )
        self.out.line("%s = %s" % (left, right))
        for name, type_ in zip(names, types):
            self.declare(name, type_)
        return None

    # --- containers that change ---

    def mutate(self):
        kinds = [("list", "int"), ("list", "str"), ("dict", "str", "int"), ("set", "int")]
        self.rng.shuffle(kinds)
        for type_ in kinds:
            names = self.assignable(type_)
            if names:
                name = self.pick(names)
                return self.out.line(getattr(self, "mutate_" + type_[0])(name, type_))
        return self.assign()

    def mutate_list(self, name, type_):
        e = lambda d=1: self.text(type_[1], d)
        grow = [
            (3, lambda: "%s.append(%s)" % (name, e())),
            (1, lambda: "%s.insert(%d, %s)" % (name, self.number(-2, 3), e())),
        ]
        if not self.looping:
            grow += [
                (1, lambda: "%s.extend(%s)" % (name, self.text(type_, 1))),
                (1, lambda: "%s[%s] = %s" % (name, self.slice_text(), self.text(type_, 1))),
            ]
        return self.weighted(
            grow
            + [
                (0.3, lambda: "%s[%d] = %s" % (name, self.number(-2, 2), e())),
                (1.5, lambda: "if %s: %s[%d] = %s" % (name, name, self.pick((0, -1)), e())),
                (0.5, lambda: "if %s: %s.pop()" % (name, name)),
                (0.2, lambda: "%s.pop(%d)" % (name, self.number(-2, 2))),
                (0.2, lambda: "%s.remove(%s)" % (name, e())),
                (1, lambda: "%s.reverse()" % name),
                (
                    1,
                    lambda: "%s.sort(%s)"
                    % (
                        name,
                        self.pick(("", "reverse=True", "key=" + self.key_function(type_[1], 1))),
                    ),
                ),
                (0.2, lambda: "del %s[%d]" % (name, self.number(-2, 2))),
                (0.4, lambda: "if %s: del %s[0]" % (name, name)),
                (0.7, lambda: "del %s[%s]" % (name, self.slice_text())),
                (0.4, lambda: "%s.clear()" % name),
                (0.7, lambda: "if %s: %s[%d] += %s" % (name, name, self.pick((0, -1)), e(0))),
            ]
        )()

    def mutate_dict(self, name, type_):
        key, value = self.text("str", 1), self.text("int", 1)
        if self.looping:
            key = self.pick(("'a'", "'b'", "'key'", "'k1'"))
        return self.weighted(
            [
                (3, lambda: "%s[%s] = %s" % (name, key, self.bounded("int", value))),
                (1, lambda: "%s[%s] = %s.get(%s, 0) + 1" % (name, key, name, key)),
                (1, lambda: "%s.setdefault(%s, %s)" % (name, key, value)),
                (1, lambda: "%s.update({%s: %s})" % (name, key, value)),
                (0.7, lambda: "%s.update(a=%s)" % (name, value)),
                (1, lambda: "%s.pop(%s, None)" % (name, key)),
                (0.2, lambda: "%s.pop(%s)" % (name, key)),
                (0.2, lambda: "del %s[%s]" % (name, key)),
                (0.4, lambda: "if %s: %s.popitem()" % (name, name)),
                (0.3, lambda: "%s.clear()" % name),
                (0.2, lambda: "%s[%s] += 1" % (name, key)),
            ]
        )()

    def mutate_set(self, name, type_):
        value = (
            self.text("int", 1) if not self.looping else "%s %% 50" % self.paren("int", 1, P_MUL)
        )
        return self.weighted(
            [
                (3, lambda: "%s.add(%s)" % (name, value)),
                (1, lambda: "%s.discard(%s)" % (name, value)),
                (0.1, lambda: "%s.remove(%s)" % (name, value)),
                (1, lambda: "%s.update([%s, 1])" % (name, value)),
                (0.7, lambda: "%s.difference_update({%s})" % (name, value)),
                (0.3, lambda: "%s.clear()" % name),
            ]
        )()

    def delete(self):
        names = [n for n in self.assignable() if self.frame.names[n] != "int"]
        if not names or self.looping:
            return self.assign()
        name = self.pick(names)
        self.out.line("del %s" % name)
        if not self.chance(0.05):
            del self.frame.names[name]
        return None

    def assertion(self):
        condition = self.paren("bool", 2, P_TERNARY)
        if self.chance(0.96):
            condition = "%s or True" % self.paren("bool", 2, P_OR)
        message = ", " + self.text(self.pick(("str", "int")), 1) if self.chance(0.5) else ""
        self.out.line("assert %s%s" % (condition, message))

    def expression_statement(self):
        self.out.line(self.text(self.any_type(), 2))

    # --- branches and loops ---

    def body(self, low=1, high=3):
        """The statements of a block."""
        with self.inner_names():
            for _ in range(self.number(low, high)):
                self.statement()

    def branch(self):
        condition = self.paren(self.pick(("bool", "bool", "bool", self.any_type(1))), 2, P_LAMBDA)
        with self.out.block("if %s:" % condition):
            self.body()
        for _ in range(self.weighted([(5, 0), (2, 1), (0.5, 2)])):
            with self.out.block("elif %s:" % self.paren("bool", 2, P_LAMBDA)):
                self.body(1, 2)
        if self.chance(0.5):
            with self.out.block("else:"):
                self.body(1, 2)

    def exits(self):
        """Perhaps a conditional break or continue, at the end of a loop's body."""
        if self.chance(0.35):
            with self.out.block("if %s:" % self.paren("bool", 2, P_LAMBDA)):
                self.out.line(self.pick(("break", "continue", "break")))

    def loop_else(self):
        if self.chance(0.25):
            with self.out.block("else:"):
                self.body(1, 1)

    def for_loop(self):
        if self.frame.loops >= 2:
            return self.print_statement()
        target, iterable, names = self.source(1)
        lists = self.assignable(("list", "int"))
        frozen = None
        if lists and self.chance(0.2):
            frozen = self.pick(lists)
            target = self.fresh("i")
            iterable, names = frozen, {target: "int"}
            self.frame.fixed.add(frozen)
        before = dict(self.frame.names)
        with self.out.block("for %s in %s:" % (target, iterable)):
            self.frame.loops += 1
            self.frame.names.update(names)
            self.body(1, 3)
            self.exits()
            self.frame.loops -= 1
        self.frame.names = before
        if frozen:
            self.frame.fixed.discard(frozen)
        self.loop_else()
        if self.chance(0.15):
            self.frame.names.update(names)
        return None

    def while_loop(self):
        if self.frame.loops >= 2:
            return self.branch()
        name = self.fresh("n")
        self.out.line("%s = 0" % name)
        limit = self.number(1, 5)
        condition = "%s < %d" % (name, limit)
        if self.chance(0.2):
            condition += " and %s" % self.paren("bool", 1, P_COMPARE)
        step = "%s += 1" % name
        if self.chance(0.1):
            condition, step = "(%s := %s + 1) < %d" % (name, name, limit), None
        forever = step and self.chance(0.12)
        with self.out.block("while True:" if forever else "while %s:" % condition):
            self.frame.loops += 1
            if step:
                self.out.line(step)
            if forever:
                self.out.line("if %s > %d: break" % (name, limit))
            self.declare(name, "int")
            self.frame.fixed.add(name)
            self.body(1, 3)
            self.exits()
            self.frame.loops -= 1
        self.loop_else()
        return None

    def nested_index(self):
        """Tables of tables, and dicts with tuple keys."""
        grid, d = self.fresh("grid"), self.fresh("d")
        a, b = self.number(1, 3), self.number(1, 3)
        self.out.line(
            "%s = [[%s for j in range(%d)] for i in range(%d)]"
            % (grid, self.pick(("i * j", "0", "i - j", "i + j")), b, a)
        )
        self.out.line(
            "%s[%d][%d] %s %s"
            % (
                grid,
                self.number(-1, a - 1),
                self.number(0, b - 1),
                self.pick(("=", "+=", "-=")),
                self.text("int", 1),
            )
        )
        self.out.line("%s = {}" % d)
        self.out.line(
            "%s[%s, %s] = %s" % (d, self.text("int", 0), self.text("str", 0), self.text("int", 1))
        )
        self.out.line("%s[1, 2, 'x'] = %s[%d][0]" % (d, grid, self.number(0, a - 1)))
        names = self.variables("int")
        if names:
            key = "%s, %s" % (self.pick(names), self.pick(names + ["'k'"]))
            self.out.line("%s[%s] = %s" % (d, key, self.text("int", 0)))
            self.out.line("print(%s[%s], (%s) in %s)" % (d, key, key, d))
        self.out.line(
            "print(%s, %s, %s.get((1, 2, 'x')), %s[1, 2, 'x'], len(%s))" % (grid, d, d, d, grid)
        )

    def statement(self):
        """One statement, of any kind that is fit here."""
        self.budget -= 1
        if self.budget <= 0:
            return self.print_statement()
        nested = self.out.level >= 5
        choices = [
            (8, self.assign),
            (6, self.print_statement),
            (2.5, self.augmented),
            (2, self.augmented_other),
            (2.5, self.mutate),
            (2, self.unpack),
            (0.5, self.delete),
            (0.6, self.assertion),
            (0.5, self.expression_statement),
            (0.4, self.nested_index),
        ]
        if not nested:
            choices += [
                (2, self.branch),
                (2, self.for_loop),
                (1.3, self.while_loop),
                (2, self.guarded),
            ]
        return self.weighted(choices)()

    def guarded(self):
        raise NotImplementedError
