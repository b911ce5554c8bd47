#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes the rows of num_test.c with what CPython 3.11 answers:
#
#     python3.11 tests/value/make_num_cases.py > tests/value/num_cases.def
#
# A row is NUM(operation, first operand, second operand, answer); see num_test.c.

import operator

inf, nan = float("inf"), float("nan")

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "divmod()": divmod,
}
BITWISE = {
    "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_,
    "^": operator.xor,
}
COMPARE = {"<": operator.lt, "<=": operator.le, "==": operator.eq}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "abs": abs}

INTS = ["0", "1", "-1", "7", "-10", "True", "9223372036854775807", "-9223372036854775808",
        "18446744073709551616", "-1329227995784915872903807060280344576", "3" * 60]
FLOATS = ["0.0", "-0.0", "1.5", "-2.5", "1e16", "5e-324", "1.7976931348623157e+308", "inf", "-inf",
          "nan"]
COMPLEX = ["1j", "-2.5+1e-09j", "3-4j", "0j"]

TEXTS = ["12", " -7\\n", "1_000", "1__0", "_1", "0x1f", "0b101", "abc", "", "1.5", "1e400",
         "-1e-400", ".5", "5.", ".", "inf", "-Infinity", "NaN", "1e5", "1_0.5_0e1_0", "0.1",
         "123456789012345678", "99999999999999999999999999", "1+2j", "j", "-j", "(1-1j)", "1e3j",
         "1 + 2j", "\\u0663\\u0664",
         "2.2250738585072012e-308", "9007199254740993", "1.7976931348623159e308", "1" * 30 + "e-10"]
BASES = [("ff", "16"), ("0xff", "16"), ("0xff", "0"), ("012", "0"), ("0", "0"), ("zz", "36"),
         ("12", "1"), ("12", "37"), ("12", "2"), ("0b1", "2"), ("777", "8"), ("1" * 100, "3")]

SPECS = {
    "d b o x X #x #b + - ' ' 08 +08 , _ 020, #_x ^12 *<9 =+12 c n .3 z +c e .2f % ,.2f s q ,d 1_":
        ["1234567", "-98765432109876543210"],
    "'' e .0e .3f .10f F g .3g #g G % .1% n + ' ' 012.3f , _.2f z.1f .0f #.0f >20 ^20.4e 025 .17g":
        ["-0.04", "1234567.891", "1e22", "-inf"],
    "d s .99999999999 05 q":
        ["-0.04", "1234567.891", "1e22", "-inf"],
    "'' .2f e + 20 <20.1f , z.0f 05 =5 %": COMPLEX[1:3],
    "'' s 10 >10 ^10 *^11 .2 5.1 05 + z # =5 d ,": ["'h\\xe9llo'"],
}

PERCENT = [
    ("%d|%5d|%-5d|%05d|%+d|% d", "(1, 2, 3, 4, 5, 6)"),
    ("%x %X %#x %o %#o", "(255, 255, 255, 8, 8)"),
    ("%.3d %.0f %5.1f %e %g %G", "(7, 2.5, 3.14159, 12345.678, 0.00001, 100000000000000000000.0)"),
    ("%s %r %a %c %c", "('a', 'b', '\\xe9', 'x', 65)"), ("%-8s|%8s|%.2s", "('ab', 'cd', 'efgh')"),
    ("%*d %-*d|%.*f", "(5, 1, 5, 2, 2, 3.14159)"), ("%d%%", "50"), ("%s", "[1, 2]"), ("%s", "()"),
    ("%s %s", "(1,)"), ("%s", "(1, 2)"), ("abc", "1"), ("%d", "'a'"), ("%x", "1.5"), ("%f", "'a'"),
    ("%y", "1"), ("%", "1"), ("%(a)s %(b)5.1f", "{'a': 1, 'b': 2.25}"), ("%(a)s", "1"),
    ("%(a)s", "{'b': 1}"), ("%(a", "{}"), ("%d", "99999999999999999999"), ("%c", "-1"),
    ("%c", "'ab'"), ("%5%", "1"), ("%.3s|%5c", "('h\\xe9llo', 233)"), ("%i %u", "(3.99, -3.99)"),
    ("%+.2e % .3g %#.0f", "(1.5, 2.5, 3.0)"), ("%#X %08.3f %+06d", "(48879, -3.14159, 42)"),
]


def value(text):
    return eval(text) if text else None


def answer(function):
    try:
        return repr(function())
    except Exception as error:
        message = str(error)
        return type(error).__name__ + (": " + message if message else "")


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped + '"'


def row(operation, a, b, function):
    print("NUM(" + ", ".join(map(quoted, (operation, a, b, answer(function)))) + ")")


def too_large(name, b):
    return name in ("**", "<<") and len(b) > 4 and b in INTS


def some(pairs, step):
    """Every step-th pair, and all with a zero: those raise."""
    return [(a, b) for i, (a, b) in enumerate(pairs) if i % step == 0 or b == "0"]


def arithmetic():
    numbers = INTS + FLOATS + COMPLEX
    pairs = [(a, b) for a in numbers for b in numbers]
    for i, (name, function) in enumerate(BINARY.items()):
        for a, b in some(pairs[i:], 13):
            if not too_large(name, b):
                row(name, a, b, lambda: function(value(a), value(b)))
    pairs = [(a, b) for a in INTS for b in INTS + ["1.5"]]
    for i, (name, function) in enumerate(BITWISE.items()):
        for a, b in some(pairs[i:], 5):
            if not too_large(name, b):
                row(name, a, b, lambda: function(value(a), value(b)))
    pairs = [(a, b) for a in INTS + FLOATS for b in INTS + FLOATS + ["3-4j"]]
    for i, (name, function) in enumerate(COMPARE.items()):
        for a, b in some(pairs[i:], 7):
            row(name, a, b, lambda: function(value(a), value(b)))


def one_operand():
    for a in INTS + FLOATS + COMPLEX:
        for name, function in UNARY.items():
            row("unary " + name, a, "", lambda: function(value(a)))
        for name, function in (("str", str), ("bool", bool), ("int()", int), ("float()", float),
                               ("complex()", complex), ("bool()", bool)):
            row(name, a, "", lambda: function(value(a)))
        if a != "nan":
            row("hash", a, "", lambda: hash(value(a)))
    for a in INTS + FLOATS + ["2.675", "0.5", "-1.5", "2.5", "1234.5678"]:
        for digits in ("", "2", "-2", "-400"):
            row("round()", a, digits, lambda: round(+value(a), value(digits)))


def texts():
    for text in TEXTS:
        literal = "'" + text + "'"
        for name, function in (("int()", int), ("float()", float), ("complex()", complex)):
            row(name, literal, "", lambda: function(value(literal)))
    for text, base in BASES:
        literal = "'" + text + "'"
        row("int()", literal, base, lambda: int(value(literal), value(base)))
    for a in ("None", "[]", "()"):
        for name, function in (("int()", int), ("float()", float), ("complex()", complex)):
            row(name, a, "", lambda: function(value(a)))
    row("complex()", "1j", "2j", lambda: complex(1j, 2j))
    row("complex()", "'1'", "2", lambda: complex("1", 2))


def formats():
    for specs, values in SPECS.items():
        for spec in specs.split(" "):
            literal = "'" + spec.replace("'", "") + "'"
            for a in values:
                row("format()", a, literal, lambda: format(value(a), value(literal)))
    row("format()", "'x'", "'\\xe9^5'", lambda: format("x", "\xe9^5"))
    for text, args in PERCENT:
        literal = "'" + text + "'"
        row("%", literal, args, lambda: value(literal) % value(args))


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Copyright 2026 The Nacre Authors")
    print("//")
    print("// Operations on numbers and what CPython 3.11 answers; written by make_num_cases.py.")
    print()
    arithmetic()
    one_operand()
    texts()
    formats()


if __name__ == "__main__":
    main()
