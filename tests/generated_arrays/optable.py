# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The rows of vm/graph/ops.def, read as text: a new row takes part without a line here."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "vm", "graph", "ops.def")
ROW = re.compile(r"^(\w+)\(([A-Z]\w*),", re.M)


class Op:
    """A row: what is needed of it."""

    def __init__(self, ident, name, arity, op_class, rule, effects, tolerance):
        self.ident, self.name, self.arity, self.op_class = ident, name, arity, op_class
        self.rule, self.effects, self.tolerance = rule, effects, tolerance


def split_arguments(text):
    """The arguments of a macro's call, from behind its opening parenthesis."""
    found, depth, start, quoted = [], 0, 0, False
    for at, char in enumerate(text):
        if char == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif char == "(":
            depth += 1
        elif char == ")" and depth == 0:
            return found + [text[start:at].strip()]
        elif char == ")":
            depth -= 1
        elif char == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    raise ValueError("a row without end")


def macros(text):
    """{name: (parameters, arguments of the OP row it stands for)} of the table's own short forms."""
    found = {}
    for match in re.finditer(r"^#define (\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", text, re.M):
        body = re.sub(r"\\\n", " ", match.group(3)).strip()
        if body.startswith("OP("):
            parameters = [p.strip() for p in match.group(2).split(",")]
            found[match.group(1)] = (parameters, split_arguments(body[3:]))
    return found


def read_ops(path=TABLE):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    known = macros(text)
    text = re.sub(r"^#define (?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r"^//.*$", "", text, flags=re.M)
    rows = []
    for match in ROW.finditer(text):
        macro = match.group(1)
        arguments = split_arguments(text[match.end(1) + 1 :])
        if macro in known:
            parameters, body = known[macro]
            values = dict(zip(parameters, arguments))
            arguments = [values.get(part, part) for part in body]
        elif macro != "OP":
            raise ValueError("unknown macro %s in ops.def" % macro)
        rows.append(
            Op(arguments[0], arguments[1].strip('"'), int(arguments[2]), arguments[3], arguments[4],
               arguments[5], int(arguments[10]))
        )
    return rows
