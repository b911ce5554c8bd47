# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Which small changes a C source or a .def table offers, and how a sample of them is drawn."""

import random
import re

TOKEN = re.compile(
    r"""
    (?P<skip>   //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.|\\\n)* )
  | (?P<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<word>   [A-Za-z_]\w* )
  | (?P<number> 0[xX][0-9a-fA-F]+[uUlL]* | \d+(?:\.\d*)?(?:[eE][-+]?\d+)?\w* )
  | (?P<op>     ->|\+\+|--|<<=|>>=|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\.\.\.|[^\s\w] )
""",
    re.X | re.S | re.M,
)
EXCHANGED = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
}
RELEASING = re.compile(r"release|free|kill|drop|clear|decref|leave|pop|unlock|reset|restore|close")
KINDS = ("if", "compare", "logic", "sign", "constant", "truth", "statement", "table")


class Token:
    def __init__(self, match):
        self.kind, self.text, self.start, self.end = (
            match.lastgroup,
            match.group(),
            match.start(),
            match.end(),
        )


class Mutant:
    """One change: `old` at `start` in `path` becomes `new`."""

    def __init__(self, path, source, kind, start, end, new):
        self.path, self.kind, self.start, self.end, self.new = path, kind, start, end, new
        self.old = source[start:end]
        self.line = source.count("\n", 0, start) + 1
        self.last_line = source.count("\n", 0, end) + 1
        line_start = source.rfind("\n", 0, start) + 1
        self.context = source[line_start:].split("\n", 1)[0].strip()
        self.column = len(source[line_start:start].lstrip())
        self.in_function = True
        self.key = None  # see `keyed`

    def applied(self, source):
        # Lines keep their numbers: __LINE__ and debug information stay the same elsewhere.
        lost = self.old.count("\n") - self.new.count("\n")
        return source[: self.start] + self.new + "\n" * lost + source[self.end :]

    def __str__(self):
        def short(text):
            text = " ".join(text.split())
            return text if len(text) <= 70 else text[:67] + "..."

        return "%s:%d: %s: `%s` -> `%s`   in: %s" % (
            self.path,
            self.line,
            self.kind,
            short(self.old),
            short(self.new),
            short(self.context),
        )


# --- finding changes ---------------------------------------------------------------------------


def tokens_of(source):
    return [t for t in map(Token, TOKEN.finditer(source)) if t.kind != "skip"]


def closing(tokens, at):
    """Index of the bracket that closes the one at `at`, or None."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in "([{" and tokens[i].kind == "op":
            depth += 1
        elif tokens[i].text in ")]}" and tokens[i].kind == "op":
            depth -= 1
            if depth == 0:
                return i
    return None


def is_operand_end(token):
    return (
        token.kind in ("word", "number", "string")
        and token.text not in ("return", "case", "sizeof")
        or token.text in (")", "]")
    )


def constant_change(text):
    match = re.match(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$", text)
    if (
        not match
        or match.group(1).startswith("0")
        and len(match.group(1)) > 1
        and match.group(1)[1].isdigit()
    ):
        return None
    value = int(match.group(1), 0)
    return ("%#x" if match.group(1)[:2].lower() == "0x" else "%d") % (value + 1) + match.group(2)


def statement_change(tokens, i):
    """End index of a statement `name(…);` that starts at token i, or None."""
    before = tokens[i - 1].text if i else ";"
    if tokens[i].kind != "word" or before not in (";", "{", "}", ")", "else", ":"):
        return None
    if before == ")" or tokens[i].text in (
        "if",
        "while",
        "for",
        "switch",
        "return",
        "sizeof",
        "do",
        "else",
    ):
        if tokens[i].text in ("if", "while", "for", "switch", "return", "sizeof", "do", "else"):
            return None
    if i + 1 >= len(tokens) or tokens[i + 1].text != "(":
        return None
    end = closing(tokens, i + 1)
    if end is None or end + 1 >= len(tokens) or tokens[end + 1].text != ";":
        return None
    return end + 1


def function_depths(tokens):
    """For each token, how many braces are open: 0 is outside of functions."""
    depth, depths = 0, []
    for token in tokens:
        if token.text == "}" and token.kind == "op":
            depth -= 1
        depths.append(depth)
        if token.text == "{" and token.kind == "op":
            depth += 1
    return depths


def mutants_of_c(path, source):
    tokens = tokens_of(source)
    depths = function_depths(tokens)

    def made(kind, start, end, new):
        mutant = Mutant(path, source, kind, start, end, new)
        mutant.in_function = depths[i] > 0
        return mutant

    for i, token in enumerate(tokens):
        if depths[i] == 0 and token.kind != "number":
            continue
        before = tokens[i - 1] if i else None
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if token.text == "if" and after and after.text == "(":
            end = closing(tokens, i + 1)
            if end is not None:
                inner = source[after.end : tokens[end].start]
                yield made("if", after.start, tokens[end].end, "(!(%s))" % inner)
        elif token.kind == "op" and token.text in EXCHANGED and before and is_operand_end(before):
            yield made(
                "logic" if token.text in ("&&", "||") else "compare",
                token.start,
                token.end,
                EXCHANGED[token.text],
            )
        elif token.kind == "op" and token.text in "+-" and before and is_operand_end(before):
            yield made("sign", token.start, token.end, "-" if token.text == "+" else "+")
        elif token.kind == "op" and token.text in ("+=", "-="):
            yield made("sign", token.start, token.end, "-=" if token.text == "+=" else "+=")
        elif token.kind == "number":
            new = constant_change(token.text)
            if new:
                yield made("constant", token.start, token.end, new)
        elif token.text in ("true", "false"):
            yield made("truth", token.start, token.end, "false" if token.text == "true" else "true")
        else:
            end = statement_change(tokens, i)
            if end is not None:
                yield made("statement", token.start, tokens[end].end, "(void)0;")


def fields_of_row(tokens, at):
    """[(start, end)] of the fields of the row whose name is token `at`, or None."""
    end = closing(tokens, at + 1)
    if end is None:
        return None
    fields, first = [], at + 2
    depth = 0
    for i in range(at + 2, end + 1):
        text = tokens[i].text
        if i == end or text == "," and depth == 0:
            if i > first:
                fields.append((tokens[first].start, tokens[i - 1].end))
            first = i + 1
        elif text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
    return fields


def mutants_of_def(path, source):
    tokens = tokens_of(source)
    rows = {}
    for i in range(len(tokens) - 1):
        line_start = source.rfind("\n", 0, tokens[i].start) + 1
        if (
            tokens[i].kind == "word"
            and tokens[i + 1].text == "("
            and not source[line_start : tokens[i].start].strip()
        ):
            fields = fields_of_row(tokens, i)
            if fields:
                rows.setdefault((tokens[i].text, len(fields)), []).append(fields)
    for table in rows.values():
        for column in range(1, len(table[0])):
            values = sorted({source[a:b] for a, b in (row[column] for row in table)})
            for row in table:
                start, end = row[column]
                others = [v for v in values if v != source[start:end]]
                new = constant_change(source[start:end])
                if new and not others:
                    others = [new]
                if others:
                    # Which other value: fixed by the place, so that a sample means the same later.
                    mutant = Mutant(path, source, "table", start, end, others[start % len(others)])
                    mutant.in_function = False
                    yield mutant


def keyed(mutants):
    """Gives each change of a file a key that stays when other lines of the file change."""
    seen = {}
    for m in mutants:
        place = (m.path, m.kind, m.context, m.column, m.old, m.new)
        seen[place] = seen.get(place, 0) + 1
        m.key = "\t".join(map(str, place + (seen[place],)))
    return mutants


def mutants_of(path, source):
    made = mutants_of_def if path.endswith(".def") else mutants_of_c
    return keyed(list(made(path, source)))


def sample(mutants, count, seed):
    """`count` changes, every kind in turn, so that constants do not crowd out the rest."""
    rng = random.Random(str(seed))
    piles = {kind: [m for m in mutants if m.kind == kind] for kind in KINDS}
    for kind, pile in piles.items():
        rng.shuffle(pile)
        if kind == "table":  # a long table, as of characters, counts no more than a short one
            seen = {}
            order = {
                id(m): seen.setdefault(m.path, []).append(m) or len(seen[m.path]) for m in pile
            }
            pile.sort(key=lambda m: -order[id(m)])
        if kind == "statement":  # calls that release something first, twice as often as others
            pile.sort(
                key=lambda m: rng.random() * (0.5 if RELEASING.search(m.old.split("(")[0]) else 1),
                reverse=True,
            )
    chosen = []
    while len(chosen) < count and any(piles.values()):
        for kind in KINDS:
            if piles[kind] and len(chosen) < count:
                chosen.append(piles[kind].pop())
    return chosen
