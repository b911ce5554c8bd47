# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Expressions whose value is a str: literals, methods and the three ways of formatting."""

from scope import P_ADD, P_ATOM, P_MUL, paren

LITERALS = (
    "''",
    "'a'",
    "'b'",
    "'abc'",
    "'hello world'",
    "'Hello'",
    "'x,y,,z'",
    "'  pad '",
    "'12'",
    "'-7'",
    "'3.5'",
    "'é'",
    "'日本'",
    "'😀!'",
    "'a\\tb'",
    "'line\\nbreak'",
    "'it\\'s'",
    '"q\'q"',
    "'\\\\'",
    "r'\\d'",
    "'UPPER'",
    "'mixed Case Words'",
    "'k1'",
    "'k2'",
    "'zz'",
    "'aXbXc'",
    "'ab' 'cd'",
    "'\\x41\\u00e9'",
    "'tail\\n'",
    "'0x1f'",
    "'Zebra'",
    "'a-b-c'",
    "'''triple'''",
    "'{}'",
    "'%s'",
    "'\\0'",
    "'ñandú'",
    "'ß'",
)
KEY_LITERALS = ("'a'", "'b'", "'k1'", "'k2'", "'key'", "'zz'", "''")
NO_ARGUMENT = (
    "upper",
    "lower",
    "title",
    "capitalize",
    "swapcase",
    "strip",
    "lstrip",
    "rstrip",
    "casefold",
    "expandtabs",
)
ENCODINGS = (
    "",
    "'utf-8'",
    "'ascii', 'replace'",
    "'latin-1', 'ignore'",
    "'ascii', 'backslashreplace'",
    "'latin-1', 'xmlcharrefreplace'",
)
OF_BYTES = (
    "hex()",
    "hex('-', 2)",
    "decode('latin-1')",
    "decode('ascii', 'replace')",
    "decode('utf-8', 'surrogateescape')[:0]",
    "__repr__()",
    "upper().decode('utf-8', 'ignore')",
    "swapcase().title().hex()",
    "strip().replace(b'a', b'\\xff').hex()",
    "center(9, b'.').decode('latin-1')",
    "zfill(6).hex()",
    "partition(b' ')[0].hex()",
    "expandtabs(3).hex()",
    "translate(None, b'aeiou').hex()",
)
BAD_IN_FIELD = ('"', "\\", "#", "\n", "lambda", ":=", "!")


class Strings:
    """A part of the generator; mixed into it."""

    def str_literal(self):
        return (self.pick(LITERALS), P_ATOM)

    def str_leaf(self):
        names = self.variables("str")
        if names and self.chance(0.5):
            return (self.pick(names), P_ATOM)
        return (self.pick(KEY_LITERALS) if self.chance(0.3) else self.pick(LITERALS), P_ATOM)

    def str_method(self, d):
        e = self.text
        s = self.atom("str", d)
        form = self.weighted(
            [
                (4, lambda: "%s.%s()" % (s, self.pick(NO_ARGUMENT))),
                (
                    2,
                    lambda: "%s.%s(%s)"
                    % (
                        s,
                        self.pick(("strip", "lstrip", "rstrip", "removeprefix", "removesuffix")),
                        e("str", d),
                    ),
                ),
                (2, lambda: "%s.replace(%s, %s)" % (s, e("str", d), e("str", 0))),
                (
                    1,
                    lambda: "%s.replace(%s, %s, %d)"
                    % (s, e("str", d), e("str", 0), self.number(-1, 2)),
                ),
                (
                    2,
                    lambda: "%s.%s(%d)"
                    % (s, self.pick(("center", "ljust", "rjust", "zfill")), self.number(-1, 14)),
                ),
                (
                    1.5,
                    lambda: "%s.%s(%d, %s)"
                    % (
                        s,
                        self.pick(("center", "ljust", "rjust")),
                        self.number(0, 14),
                        self.pick(
                            ("'*'", "'-'", "'é'", "' '", "'ab'" if self.chance(0.1) else "'0'")
                        ),
                    ),
                ),
                (1, lambda: "%s.expandtabs(%d)" % (s, self.number(0, 5))),
                (
                    1.5,
                    lambda: "%s.encode(%s)%s.%s"
                    % (
                        s,
                        self.pick(ENCODINGS) if self.chance(0.95) else "'ascii'",
                        "[%s]" % self.slice_text() if self.chance(0.3) else "",
                        self.pick(OF_BYTES),
                    ),
                ),
                (0.5, lambda: "(b'%%5s|%%d' %% (%s.encode(), %s)).hex()" % (s, e("int", 0))),
                (
                    0.5,
                    lambda: "'.'.join(map(str, %s.encode().%s))"
                    % (s, self.pick(("split()", "splitlines()", "rsplit(b'l', 1)"))),
                ),
                (2, lambda: "%s.join(%s)" % (s, e(("list", "str"), d))),
                (1.5, lambda: "%s.join(%s)" % (s, self.generator_expression("str", d))),
                (
                    1,
                    lambda: "%s.%s(%s)[%d]"
                    % (s, self.pick(("partition", "rpartition")), e("str", d), self.number(0, 2)),
                ),
                (
                    1,
                    lambda: "%s.translate(str.maketrans(%s))"
                    % (
                        s,
                        self.pick(
                            (
                                "'abc', 'xyz'",
                                "'lo', '01'",
                                "'é', 'e'",
                                "'ab', 'cd', 'e'",
                                "{'a': 'AA', 'b': None}",
                            )
                        ),
                    ),
                ),
                (1, lambda: "str(%s).%s()" % (e("int", d), self.pick(("upper", "strip", "title")))),
            ]
        )
        return (form(), P_ATOM)

    def str_slice(self, d):
        return ("%s[%s]" % (self.atom("str", d), self.slice_text()), P_ATOM)

    def str_index(self, d):
        if self.chance(0.1):
            return ("%s[%d]" % (self.atom("str", d), self.number(-3, 2)), P_ATOM)
        return ("(%s + 'end')[%d]" % (self.paren("str", d, P_ADD), self.number(-3, 2)), P_ATOM)

    def str_binary(self, d):
        if self.chance(0.75):
            return (
                "%s + %s" % (self.paren("str", d, P_ADD), self.paren("str", d, P_ADD + 1)),
                P_ADD,
            )
        return ("%s * %d" % (self.paren("str", d, P_MUL), self.number(-1, 4)), P_MUL)

    def str_convert(self, d):
        e = self.text
        form = self.weighted(
            [
                (3, lambda: "%s(%s)" % (self.pick(("str", "repr")), e(self.plain_type(2), d))),
                (1, lambda: "ascii(%s)" % e(self.plain_type(1), d)),
                (2, lambda: "%s(%s)" % (self.pick(("hex", "oct", "bin")), e("int", d))),
                (
                    1,
                    lambda: "chr(%s)"
                    % self.pick(("97", "233", "0x65e5", "48 + 5", "128512", "10")),
                ),
                (1, lambda: "chr(ord('a') + %s %% 26)" % self.paren("int", d, P_MUL)),
                (1, lambda: "type(%s).__name__" % e(self.plain_type(1), d)),
                (
                    0.7,
                    lambda: "%s(%s, default='')"
                    % (self.pick(("min", "max")), e(("list", "str"), d)),
                ),
                (0.1, lambda: "%s(%s)" % (self.pick(("min", "max")), e(("list", "str"), d))),
                (
                    1,
                    lambda: "''.join(%s(%s))"
                    % (self.pick(("sorted", "reversed", "list")), e("str", d)),
                ),
                (0.5, lambda: "''.join(map(str, %s))" % e(("list", "int"), d)),
            ]
        )
        return (form(), P_ATOM)

    def str_of_container(self, d):
        form = self.weighted(
            [
                (2, lambda: self.item_text("str", d)),
                (1, lambda: "%s[1]" % self.atom(("tuple", "int", "str"), d)),
                (
                    1,
                    lambda: "%s.get(%s, %s)"
                    % (
                        self.atom(("dict", "int", "str"), d),
                        self.text("int", 0),
                        self.text("str", 0),
                    ),
                ),
                (
                    1,
                    lambda: "%s.split(%s)[0]"
                    % (self.atom("str", d), self.pick(("','", "'X'", "' '", "'-'"))),
                ),
            ]
        )
        return (form(), P_ATOM)

    def make_str(self, d):
        return self.weighted(
            [
                (4, self.str_method),
                (1.5, self.str_slice),
                (1, self.str_index),
                (3, self.str_binary),
                (3, self.str_convert),
                (2, self.str_of_container),
                (4, self.fstring),
                (2, self.percent),
                (2, self.format_method),
                (1, self.format_function),
                (1, lambda d: self.ternary("str", d)),
                (1, lambda d: self.call_of("str", d)),
                (0.7, lambda d: self.apply_lambda("str", d)),
                (0.5, lambda d: self.walrus("str", d)),
            ]
        )(d)

    # --- format specifications ---

    def alignment(self):
        if self.chance(0.5):
            return ""
        align = self.pick("<>^")
        fill = self.pick(("", "", "*", "0", "é", "-")) if self.chance(0.6) else ""
        return fill + align

    def width(self):
        return str(self.number(1, 14)) if self.chance(0.6) else ""

    def spec(self, type_):
        """A format specification for a value of the type; seldom one that does not fit."""
        if self.chance(0.015):
            return self.pick(
                ("q", "d", "s", ".2f", "=5", "z", "<<<", ",s", "5.2d", "+s", "08b", ",x")
            )
        if type_ in ("int", "bool"):
            kind = self.pick(("", "d", "d", "x", "X", "o", "b", "e", ".2f", "g", "%", "d"))
            sign = self.pick(("", "", "+", " ", "-"))
            group = self.pick((",", "_")) if kind in ("", "d") and self.chance(0.3) else ""
            alternate = "#" if kind in ("x", "X", "o", "b") and self.chance(0.4) else ""
            align = self.alignment() or (self.pick(("", "0", "=")) if self.chance(0.4) else "")
            if align == "0":
                return sign + alternate + "0" + str(self.number(1, 12)) + group + kind
            if kind == ".2f":
                return align + sign + self.width() + kind
            return align + sign + alternate + self.width() + group + kind
        if type_ == "float":
            sign = self.pick(("", "", "+", " "))
            zero = "0" if self.chance(0.2) else ""
            width = str(self.number(1, 14)) if zero or self.chance(0.5) else ""
            group = self.pick((",", "_")) if self.chance(0.15) else ""
            precision = ".%d" % self.number(0, 8) if self.chance(0.7) else ""
            kind = self.pick(("", "f", "f", "e", "g", "E", "G", "%"))
            return (
                ("" if zero else self.alignment()) + sign + zero + width + group + precision + kind
            )
        if type_ == "complex":
            return self.pick(("", ".2f", ">20", ".3", "+.1f", "e", "g"))
        if type_ == "str":
            precision = ".%d" % self.number(0, 4) if self.chance(0.3) else ""
            return self.alignment() + self.width() + precision + self.pick(("", "", "s"))
        return ""

    def formatted(self):
        return self.pick(("int", "int", "float", "float", "str", "str", "bool", "complex"))

    # --- f-strings ---

    def field_expression(self, type_, d):
        """An expression that may stand in an f-string written with double quotes."""
        text, precedence = self.expr(type_, d)
        if any(bad in text for bad in BAD_IN_FIELD):
            text, precedence = self.leaf(type_)
        if any(bad in text for bad in BAD_IN_FIELD):
            return None
        text = paren((text, precedence), 2)
        return " %s " % text if text.startswith("{") or text.endswith("}") else text

    def field(self, d):
        if self.chance(0.2):
            type_ = self.plain_type(1)
            text = self.field_expression(type_, d)
            return "" if text is None else "{%s%s}" % (text, self.pick(("", "!r", "!s", "!a", "=")))
        type_ = self.formatted()
        text = self.field_expression(type_, d)
        if text is None:
            return "-"
        if self.chance(0.3):
            return "{%s}" % text
        if self.chance(0.15):
            return "{%s!r:%s}" % (text, self.spec("str"))
        if self.chance(0.15):
            return self.nested_field(text, type_)
        equals = "=" if self.chance(0.08) else ""
        return "{%s%s:%s}" % (text, equals, self.spec(type_))

    def nested_field(self, text, type_):
        width = (
            self.pick(self.variables("int") or ["7"])
            if self.chance(0.2)
            else str(self.number(1, 12))
        )
        if type_ == "float":
            return "{%s:{%s}.{%d}f}" % (text, width, self.number(0, 5))
        return "{%s:%s{%s}}" % (text, self.pick(("", ">", "<", "^", "*>")), width)

    def fstring(self, d):
        parts = []
        for _ in range(self.number(1, 3)):
            if self.chance(0.4):
                parts.append(
                    self.pick(
                        ("a", "x=", " ", "{{", "}}", "{{}}", "é", "|", ", ", "\\n", "\\t", "'")
                    )
                )
            parts.append(self.field(min(d, 1)))
        prefix = self.pick(("f", "f", "f", "F"))
        return ('%s"%s"' % (prefix, "".join(parts)), P_ATOM)

    # --- % and format ---

    def percent_item(self):
        """A conversion and the type of its value."""
        if self.chance(0.015):
            return self.pick(
                (
                    ("%d", "str"),
                    ("%q", "int"),
                    ("%c", "float"),
                    ("%f", "str"),
                    ("%x", "float"),
                    ("%", "int"),
                )
            )
        flags = "".join(f for f in "-+ #0" if self.chance(0.12))
        width = self.width()
        kind = self.pick("ddsrsxofeg")
        precision = ".%d" % self.number(0, 5) if kind in "sfeg" and self.chance(0.5) else ""
        type_ = {"d": "int", "x": "int", "o": "int", "f": "float", "e": "float", "g": "float"}.get(
            kind
        )
        return "%" + flags + width + precision + kind, type_ or self.pick(
            ("str", "int", "float", ("list", "int"))
        )

    def percent(self, d):
        d = min(d, 1)
        items = [self.percent_item() for _ in range(self.number(1, 3))]
        text = self.pick(("", "a ", "%%", "[")) + self.pick(("", " ", "|")).join(
            item for item, _ in items
        )
        if self.chance(0.15):
            keys = ["k%d" % i for i in range(len(items))]
            text = "".join(
                item.replace("%", "%%(%s)" % key, 1) for key, (item, _) in zip(keys, items)
            )
            pairs = ", ".join(
                "'%s': %s" % (key, self.text(type_, d)) for key, (_, type_) in zip(keys, items)
            )
            return ("'%s' %% {%s}" % (text, pairs), P_MUL)
        values = [self.text(type_, d) for _, type_ in items]
        if self.chance(0.01):
            values.append("0")
        if len(values) == 1 and items[0][1] in ("int", "float") and self.chance(0.5):
            return ("'%s' %% %s" % (text, self.paren_text((values[0], 0))), P_MUL)
        return ("'%s' %% (%s,)" % (text, ", ".join(values)), P_MUL)

    def format_method(self, d):
        d = min(d, 1)
        types = [self.formatted() for _ in range(self.number(1, 3))]
        values = [self.text(t, d) for t in types]
        style = self.rng.random()
        fields = []
        for i, t in enumerate(types):
            name = "" if style < 0.5 else str(i) if style < 0.75 else "n%d" % i
            fields.append(
                "{%s%s%s}"
                % (
                    name,
                    self.pick(("", "", "", "!r", "!s")) if t == "str" else "",
                    ":" + self.spec(t) if self.chance(0.6) else "",
                )
            )
        if style >= 0.75:
            values = ["n%d=%s" % (i, v) for i, v in enumerate(values)]
        if 0.5 <= style < 0.75 and self.chance(0.4):
            fields.reverse()
        if self.chance(0.01):
            values = values[1:]
        return (
            "'%s'.format(%s)" % (self.pick(("", " ", "|", "{{}}")).join(fields), ", ".join(values)),
            P_ATOM,
        )

    def format_function(self, d):
        type_ = self.formatted()
        return ("format(%s, '%s')" % (self.text(type_, d), self.spec(type_)), P_ATOM)
