# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Expressions whose value is an int, float, complex, bool or None."""

from scope import (
    P_ADD,
    P_AND,
    P_ATOM,
    P_BITAND,
    P_BITOR,
    P_COMPARE,
    P_MUL,
    P_NOT,
    P_OR,
    P_POWER,
    P_SHIFT,
    P_TERNARY,
    P_UNARY,
    P_XOR,
    paren,
)

BIG = (
    "2 ** 31",
    "2 ** 53 + 1",
    "2 ** 62",
    "2 ** 63",
    "-2 ** 63",
    "2 ** 64",
    "2 ** 64 - 1",
    "10 ** 18",
    "10 ** 20",
    "-10 ** 25",
    "9223372036854775807",
    "4611686018427387904",
    "123456789012345678901234567890",
    "0xFFFFFFFFFFFFFFFF",
    "1 << 70",
    "-(1 << 63)",
)
FLOATS = (
    "0.0",
    "1.0",
    "-1.0",
    "0.5",
    "2.5",
    "0.1",
    "0.2",
    "1e10",
    "1e16",
    "1e-5",
    "1e22",
    "3.75",
    "-0.0",
    "100.0",
    "1e100",
    "2.675",
    "1e-300",
    "123456.789",
    ".5",
    "7.",
    "1_0.2_5",
    "float('inf')",
    "float('nan')",
    "-float('inf')",
    "1e308",
    "5e-324",
    "-2.5",
    "1/3",
)
COMPLEXES = (
    "1j",
    "0j",
    "2 + 3j",
    "1.5 - 0.5j",
    "-1j",
    "complex(1, -2)",
    "complex(0.5)",
    "3j",
    "complex('1+2j')",
)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
PREDICATES = (
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "istitle",
    "isidentifier",
    "isnumeric",
    "isdecimal",
    "isprintable",
    "isascii",
)


class Numbers:
    """A part of the generator; mixed into it."""

    # --- int ---

    def int_literal(self):
        roll = self.rng.random()
        if roll < 0.7:
            value = self.number(-3, 12)
            return (str(value), P_ATOM if value >= 0 else P_UNARY)
        if roll < 0.85:
            value = self.number(13, 2000)
            spelling = self.pick(("%d", "%d", "%#x", "%#o"))
            return (spelling % value, P_ATOM)
        if roll < 0.92:
            return (bin(self.number(0, 64)), P_ATOM)
        return ("(%s)" % self.pick(BIG), P_ATOM)

    def int_leaf(self):
        names = self.variables("int")
        if names and self.chance(0.65):
            return (self.pick(names), P_ATOM)
        return self.int_literal()

    def int_binary(self, d):
        op, level = self.pick(
            (
                ("+", P_ADD),
                ("-", P_ADD),
                ("*", P_MUL),
                ("+", P_ADD),
                ("&", P_BITAND),
                ("|", P_BITOR),
                ("^", P_XOR),
            )
        )
        left, right = self.paren("int", d, level), self.paren("int", d, level + 1)
        return ("%s %s %s" % (left, op, right), level)

    def int_divide(self, d):
        op = self.pick(("//", "%"))
        left = self.paren("int", d, P_MUL)
        if self.chance(0.85):
            right = str(self.pick((1, 2, 3, 5, 7, 10, -2, -3, -7, 64, 1000)))
        else:
            right = self.paren("int", d, P_UNARY)
            if self.chance(0.7):
                right = "(%s or 1)" % right
        return ("%s %s %s" % (left, op, right), P_MUL)

    def int_shift(self, d):
        op = self.pick(("<<", ">>"))
        amount = str(self.number(0, 40)) if self.chance(0.9) else self.paren("int", 0, P_ADD)
        if not amount.isdigit():
            amount = "(%s & 31)" % amount if self.chance(0.97) else "-1"
        return ("%s %s %s" % (self.paren("int", d, P_SHIFT), op, amount), P_SHIFT)

    def int_power(self, d):
        exponent = str(self.number(0, 4))
        return ("%s ** %s" % (self.paren("int", d, P_ATOM), exponent), P_POWER)

    def int_unary(self, d):
        return (self.pick("-~+-") + self.paren("int", d, P_UNARY), P_UNARY)

    def int_call(self, d):
        e = self.text
        form = self.weighted(
            [
                (3, lambda: "len(%s)" % e(self.sized_type(), d)),
                (2, lambda: "sum(%s)" % e(("list", "int"), d)),
                (1, lambda: "sum(%s, %s)" % (e(("list", "int"), d), e("int", d))),
                (2, lambda: "%s(%s, %s)" % (self.pick(("min", "max")), e("int", d), e("int", d))),
                (
                    1,
                    lambda: "%s(%s, default=%s)"
                    % (self.pick(("min", "max")), e(("list", "int"), d), e("int", 0)),
                ),
                (0.1, lambda: "%s(%s)" % (self.pick(("min", "max")), e(("list", "int"), d))),
                (2, lambda: "abs(%s)" % e("int", d)),
                (1, lambda: "int(%s)" % e("float", 0)),
                (1, lambda: "int(%s)" % e("bool", d)),
                (1, lambda: "int(str(%s))" % e("int", d)),
                (0.1, lambda: "int(%s)" % e("str", d)),
                (
                    1,
                    lambda: "int(%s, %d)"
                    % (
                        self.pick(("'ff'", "'101'", "'1_1'", "'-10'", "' 0111 '")),
                        self.pick((16, 16, 36, 20)) if self.chance(0.9) else self.pick((2, 0, 1)),
                    ),
                ),
                (1, lambda: "round(%s)" % e("float", 0)),
                (0.5, lambda: "round(%s, %d)" % (e("int", d), self.number(-3, 2))),
                (1, lambda: "ord(%s)" % self.pick(("'a'", "'Z'", "'é'", "'日'", "' '"))),
                (
                    1,
                    lambda: "divmod(%s, %d)[%d]"
                    % (e("int", d), self.pick((2, 3, -4, 10)), self.number(0, 1)),
                ),
                (
                    1,
                    lambda: "pow(%s, %d, %d)"
                    % (e("int", d), self.number(0, 20), self.pick((7, 97, 1000, -5))),
                ),
                # The hash of None is its address: adding refuses it.
                (1, lambda: "hash(0 + %s)" % self.atom(self.pick(("int", "bool")), 0)),
                # Not of any float: the hash of a NaN is its address.
                (0.5, lambda: "hash(%s)" % self.pick(("0.5", "1e300", "2.0", "-0.1", "1/3", "1j"))),
                (1, lambda: "%s.bit_length()" % self.paren_text(("%s" % e("int", d), 0))),
                (
                    1,
                    lambda: "%s.%s(%s)"
                    % (self.atom("str", d), self.pick(("count", "find", "rfind")), e("str", d)),
                ),
                (
                    0.1,
                    lambda: "%s.%s(%s)"
                    % (self.atom("str", d), self.pick(("index", "rindex")), e("str", d)),
                ),
                (1, lambda: "%s.count(%s)" % (self.atom(("list", "int"), d), e("int", d))),
                (0.1, lambda: "%s.index(%s)" % (self.atom(("list", "int"), d), e("int", d))),
                (1, lambda: "next(iter(%s), %s)" % (e(("list", "int"), d), e("int", 0))),
                (1.5, lambda: "sum(%s)" % self.generator_expression("int", d)),
                (1, lambda: "len([%s])" % self.comprehension_body(self.element_type(), d)),
                (
                    1,
                    lambda: "max(%s, key=%s, default=0)"
                    % (e(("list", "int"), d), self.key_function("int", d)),
                ),
                (
                    0.5,
                    lambda: "range(%s).%s"
                    % (
                        ", ".join(str(self.number(1, 9)) for _ in range(self.number(1, 3))),
                        self.pick(("start", "stop", "step")),
                    ),
                ),
                (
                    0.5,
                    lambda: "%s(%s)" % (self.pick(("len", "sum", "min", "max")), self.range_text()),
                ),
            ]
        )
        return (form(), P_ATOM)

    def int_index(self, d):
        e = self.text
        form = self.weighted(
            [
                (3, lambda: self.item_text("int", d)),
                (1, lambda: "%s[%d]" % (self.atom(("tuple", "int", "int"), d), self.number(-2, 1))),
                (
                    2,
                    lambda: "%s.get(%s, %s)"
                    % (self.atom(("dict", "str", "int"), d), e("str", 0), e("int", 0)),
                ),
                (0.1, lambda: "%s[%s]" % (self.atom(("dict", "str", "int"), d), e("str", 0))),
                (
                    0.7,
                    lambda: "{**%s, 'k1': %s}['k1']"
                    % (self.atom(("dict", "str", "int"), d), e("int", 0)),
                ),
                (
                    1,
                    lambda: "%s[%s %% 3]"
                    % (
                        "[%s, %s, %s]" % (e("int", 0), e("int", 0), e("int", 0)),
                        self.paren("int", d, P_MUL),
                    ),
                ),
                (0.7, lambda: "[*%s, %s][0]" % (self.atom(("list", "int"), d), e("int", 0))),
            ]
        )
        return (form(), P_ATOM)

    def make_int(self, d):
        return self.weighted(
            [
                (6, self.int_binary),
                (3, self.int_divide),
                (1.5, self.int_shift),
                (1.5, self.int_power),
                (2, self.int_unary),
                (7, self.int_call),
                (4, self.int_index),
                (1, self.ternary_int),
                (1, lambda d: self.apply_lambda("int", d)),
                (1.5, lambda d: self.call_of("int", d)),
                (0.7, lambda d: self.walrus("int", d)),
                (0.5, self.int_of_bools),
            ]
        )(d)

    def item_text(self, type_, d):
        """An item of a list that mostly has one at that place."""
        text = self.atom(("list", type_), d)
        if self.chance(0.05):
            return "%s[%d]" % (text, self.number(-3, 2))
        if self.chance(0.5):
            return "[*%s, %s, %s][%d]" % (
                text,
                self.text(type_, 0),
                self.text(type_, 0),
                self.number(-2, 1),
            )
        return "(%s or [%s])[%d]" % (text, self.text(type_, 0), self.pick((0, -1)))

    def int_of_bools(self, d):
        return ("%s + %s" % (self.paren("bool", d, P_ADD), self.paren("bool", d, P_ADD + 1)), P_ADD)

    def ternary_int(self, d):
        return self.ternary("int", d)

    # --- float ---

    def float_leaf(self):
        names = self.variables("float")
        if names and self.chance(0.6):
            return (self.pick(names), P_ATOM)
        text = self.pick(FLOATS)
        return (text if text[0] != "-" and "/" not in text else "(%s)" % text, P_ATOM)

    def float_binary(self, d):
        op, level = self.pick((("+", P_ADD), ("-", P_ADD), ("*", P_MUL), ("/", P_MUL)))
        left_type, right_type = self.pick((("float", "float"), ("int", "float"), ("float", "int")))
        if op == "/":
            right = (
                str(self.pick((2, 3.0, 0.5, 7, -4, 1e3)))
                if self.chance(0.85)
                else "(%s or 1)" % self.text(right_type, d)
            )
            if right.startswith("-"):
                right = "(%s)" % right
            left_type = self.pick(("int", "float"))
        else:
            right = self.paren(right_type, d, level + 1)
        return ("%s %s %s" % (self.paren(left_type, d, level), op, right), level)

    def float_divide(self, d):
        right = self.pick(("2.0", "0.3", "7", "-1.5", "0.1"))
        return ("%s %s %s" % (self.paren("float", d, P_MUL), self.pick(("//", "%")), right), P_MUL)

    def float_call(self, d):
        e = self.text
        form = self.weighted(
            [
                (2, lambda: "float(%s)" % e(self.pick(("int", "bool", "float")), d)),
                (
                    1,
                    lambda: "float(%s)"
                    % self.pick(("'1.5'", "' 2e3 '", "'-inf'", "'nan'", "'1_0.5'", "'5.'", "'.5'")),
                ),
                (2, lambda: "round(%s, %d)" % (e("float", d), self.number(-2, 5))),
                (2, lambda: "abs(%s)" % e(self.pick(("float", "float", "complex")), d)),
                (
                    1,
                    lambda: "%s(%s, %s)"
                    % (self.pick(("min", "max")), e("float", d), e("float", d)),
                ),
                (1, lambda: "sum(%s, 0.0)" % e(("list", self.pick(("int", "float"))), d)),
                (
                    1,
                    lambda: "divmod(%s, %s)[%d]"
                    % (e("float", d), self.pick(("2", "0.7", "-3")), self.number(0, 1)),
                ),
                (
                    1,
                    lambda: "%s.%s"
                    % (self.paren_text((e("complex", d), 0)), self.pick(("real", "imag"))),
                ),
                (1, lambda: "pow(%s, %s)" % (e("float", 0), self.pick(("2", "0.5", "-1", "3")))),
            ]
        )
        return (form(), P_ATOM)

    def make_float(self, d):
        return self.weighted(
            [
                (5, self.float_binary),
                (2, self.float_divide),
                (4, self.float_call),
                (1, lambda d: ("-" + self.paren("float", d, P_UNARY), P_UNARY)),
                (
                    1,
                    lambda d: (
                        "%s ** %s"
                        % (self.paren("float", d, P_ATOM), self.pick(("2", "0.5", "-1", "-2.0"))),
                        P_POWER,
                    ),
                ),
                (
                    1.5,
                    lambda d: (
                        "%s / %d" % (self.paren("int", d, P_MUL), self.pick((2, 3, 7, 10, 64))),
                        P_MUL,
                    ),
                ),
                (1, lambda d: (self.item_text("float", d), P_ATOM)),
                (1, lambda d: self.ternary("float", d)),
                (1, lambda d: self.call_of("float", d)),
                (0.7, self.math_call),
                (0.7, lambda d: self.apply_lambda("float", d)),
            ]
        )(d)

    def math_call(self, d):
        if "math" not in self.imported:
            return self.float_leaf()
        form = self.pick(
            (
                "sqrt(abs(%s))",
                "floor(%s) * 1.0",
                "ceil(%s) / 2",
                "hypot(%s, 2)",
                "fabs(%s)",
                "trunc(%s) + .5",
                "copysign(1.5, %s)",
                "fmod(%s, 7)",
                "exp(-abs(%s))",
                "atan(%s)",
                "log1p(abs(%s))",
                "sqrt(%s)",
                "log(%s)",
            )
        )
        return (
            "math." + form % self.text("float" if self.chance(0.2) else "int", min(d, 1)),
            P_MUL,
        )

    # --- complex ---

    def complex_leaf(self):
        names = self.variables("complex")
        if names and self.chance(0.6):
            return (self.pick(names), P_ATOM)
        text = self.pick(COMPLEXES)
        return (
            (text, P_ATOM)
            if text[0].isdigit() and " " not in text or text.startswith("complex")
            else ("(%s)" % text, P_ATOM)
        )

    def make_complex(self, d):
        op, level = self.pick((("+", P_ADD), ("-", P_ADD), ("*", P_MUL), ("/", P_MUL)))
        roll = self.rng.random()
        if roll < 0.6:
            other = self.pick(("complex", "int", "float"))
            if op == "/" and self.chance(0.8):
                return (
                    "%s / %s"
                    % (
                        self.paren("complex", d, level),
                        self.pick(("2", "(1+2j)", "0.5", "-4", "3j")),
                    ),
                    level,
                )
            return (
                "%s %s %s" % (self.paren("complex", d, level), op, self.paren(other, 0, level + 1)),
                level,
            )
        if roll < 0.75:
            return ("%s.conjugate()" % self.paren_text((self.text("complex", d), 0)), P_ATOM)
        if roll < 0.9:
            return ("complex(%s, %s)" % (self.text("float", 0), self.text("int", 0)), P_ATOM)
        return ("%s ** %d" % (self.paren("complex", d, P_ATOM), self.number(0, 3)), P_POWER)

    # --- bool and None ---

    def bool_leaf(self):
        names = self.variables("bool")
        if names and self.chance(0.6):
            return (self.pick(names), P_ATOM)
        return (self.pick(("True", "False")), P_ATOM)

    def compare(self, d):
        type_ = self.pick(("int", "int", "float", "str", ("list", "int"), ("tuple", "int", "str")))
        text = self.paren(type_, d, P_COMPARE + 1)
        for _ in range(self.weighted([(8, 1), (2, 2), (0.5, 3)])):
            text += " %s %s" % (self.pick(COMPARISONS), self.paren(type_, d, P_COMPARE + 1))
        return (text, P_COMPARE)

    def mixed_compare(self, d):
        left, right = self.plain_type(1), self.plain_type(1)
        return (
            "%s %s %s"
            % (
                self.paren(left, d, P_COMPARE + 1),
                self.pick(("==", "!=")),
                self.paren(right, d, P_COMPARE + 1),
            ),
            P_COMPARE,
        )

    def membership(self, d):
        op = self.pick(("in", "not in"))
        item, container = self.pick(
            (
                ("int", ("list", "int")),
                ("str", "str"),
                ("str", ("dict", "str", "int")),
                ("int", ("set", "int")),
                ("int", ("tuple", "int", "int")),
                ("str", ("set", "str")),
            )
        )
        if self.chance(0.1):
            return (
                "%s %s %s" % (self.paren("int", d, P_COMPARE + 1), op, self.range_text()),
                P_COMPARE,
            )
        return (
            "%s %s %s"
            % (self.paren(item, d, P_COMPARE + 1), op, self.paren(container, d, P_COMPARE + 1)),
            P_COMPARE,
        )

    def logic(self, d):
        roll = self.rng.random()
        if roll < 0.4:
            return (
                "%s and %s" % (self.paren("bool", d, P_AND), self.paren("bool", d, P_AND + 1)),
                P_AND,
            )
        if roll < 0.8:
            return (
                "%s or %s" % (self.paren("bool", d, P_OR), self.paren("bool", d, P_OR + 1)),
                P_OR,
            )
        return ("not " + self.paren(self.any_type(1), d, P_NOT), P_NOT)

    def bool_call(self, d):
        e = self.text
        form = self.weighted(
            [
                (2, lambda: "bool(%s)" % e(self.any_type(1), d)),
                (
                    2,
                    lambda: "isinstance(%s, %s)"
                    % (
                        e(self.plain_type(1), d),
                        self.pick(
                            (
                                "int",
                                "str",
                                "(int, float)",
                                "list",
                                "dict",
                                "bool",
                                "object",
                                "(str, (list, tuple))",
                            )
                        ),
                    ),
                ),
                (2, lambda: "%s.%s()" % (self.atom("str", d), self.pick(PREDICATES))),
                (
                    2,
                    lambda: "%s.%s(%s)"
                    % (self.atom("str", d), self.pick(("startswith", "endswith")), e("str", d)),
                ),
                (
                    1,
                    lambda: "%s(%s)"
                    % (
                        self.pick(("any", "all")),
                        e(("list", self.pick(("bool", "int", "str"))), d),
                    ),
                ),
                (
                    1.5,
                    lambda: "%s(%s)"
                    % (self.pick(("any", "all")), self.generator_expression("bool", d)),
                ),
                (
                    0.7,
                    lambda: "callable(%s)"
                    % self.pick(("len", "print", "int", "5", "'x'", "(lambda: 0)")),
                ),
                (
                    0.7,
                    lambda: "hasattr(%s, '%s')"
                    % (
                        e(self.plain_type(1), d),
                        self.pick(("append", "upper", "real", "keys", "nope")),
                    ),
                ),
                (
                    0.7,
                    lambda: "issubclass(%s, %s)"
                    % (
                        self.pick(("bool", "KeyError", "str", "int", "ZeroDivisionError")),
                        self.pick(("int", "Exception", "object", "LookupError", "ArithmeticError")),
                    ),
                ),
                (
                    1,
                    lambda: "%s.%s(%s)"
                    % (
                        self.atom(("set", "int"), d),
                        self.pick(("issubset", "issuperset", "isdisjoint")),
                        e(("list", "int"), d),
                    ),
                ),
                (0.5, lambda: "%s.is_integer()" % self.paren_text((e("float", d), 0))),
            ]
        )
        return (form(), P_ATOM)

    def identity(self, d):
        type_ = self.plain_type(1)
        return (
            "%s %s None" % (self.paren(type_, d, P_COMPARE + 1), self.pick(("is", "is not"))),
            P_COMPARE,
        )

    def set_compare(self, d):
        return (
            "%s %s %s"
            % (
                self.paren(("set", "int"), d, P_COMPARE + 1),
                self.pick(COMPARISONS),
                self.paren(("set", "int"), d, P_COMPARE + 1),
            ),
            P_COMPARE,
        )

    def make_bool(self, d):
        return self.weighted(
            [
                (6, self.compare),
                (1, self.mixed_compare),
                (3, self.membership),
                (4, self.logic),
                (4, self.bool_call),
                (1, self.identity),
                (0.7, self.set_compare),
                (
                    0.7,
                    lambda d: (
                        "%s %s %s"
                        % (
                            self.paren("bool", d, P_BITAND),
                            self.pick("&|^"),
                            self.paren("bool", d, P_ADD),
                        ),
                        P_BITOR,
                    ),
                ),
                (0.7, lambda d: self.call_of("bool", d)),
            ]
        )(d)

    def none_leaf(self):
        names = self.variables("none")
        return (self.pick(names), P_ATOM) if names and self.chance(0.3) else ("None", P_ATOM)

    def make_none(self, d):
        if self.chance(0.3):
            return ("%s.get(%s)" % (self.atom(("dict", "str", "int"), 0), "'absent'"), P_ATOM)
        if self.chance(0.2):
            return ("None if %s else None" % self.paren("bool", d, P_OR), P_TERNARY)
        return self.none_leaf()
