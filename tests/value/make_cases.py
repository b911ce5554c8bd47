#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes the rows of a test table with what CPython 3.11 answers to them:
#
#     python3.11 tests/value/make_cases.py str > tests/value/str_cases.def
#     python3.11 tests/value/make_cases.py seq > tests/value/seq_cases.def
#
# A line of calls.txt is `self | method | args`, as in cases.h; several args may be given, separated
# by `;`. Sections begin with `== name`.

import operator
import os
import re
import sys

OPERATORS = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "in": lambda a, b: b in a,
    "[]": lambda a, b: a[b],
    "[]=": operator.setitem,
    "del": operator.delitem,
    "len": len,
    "hash": hash,
    "bool": bool,
    "repr": repr,
    "str": str,
}
CHANGES = {"[]=", "del", "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"}
inf, nan = float("inf"), float("nan")


def value(text):
    """A literal; `~` makes an iterator of the list behind it."""
    iterators = re.sub(r"~(\[[^]]*\])", r"iter(\1)", text)
    return eval(iterators) if text else None


def in_place(method):
    return len(method) > 1 and method.endswith("=") and method[:-1] in "+*%"


def call(self, method, args):
    if in_place(method):
        scope = {"a": self, "b": args[0]}
        exec(f"a {method} b", scope)
        return scope["a"]
    if method in OPERATORS:
        return OPERATORS[method](self, *args)
    if method.endswith("()"):
        function = {"zip()": zip, "enumerate()": enumerate, "reversed()": reversed, "iter()": iter}
        function = function.get(method) or {"str()": str, "list()": list, "tuple()": tuple,
                                            "range()": range, "slice()": slice}[method]
    else:
        function = getattr(self, method)
    if args and isinstance(args[-1], dict) and method in ("format", "sort", "zip()"):
        return function(*args[:-1], **args[-1])
    return function(*args)


def answer(self_text, method, args_text):
    try:
        self, args = value(self_text), value(args_text)
        result = call(self, method, args)
        if hasattr(result, "__next__"):
            result = list(result)
        text = repr(result)
        changed = method in CHANGES or (in_place(method) and isinstance(self, list))
        if changed and isinstance(self, list):
            text += " -> " + repr(self)
        return text
    except Exception as error:
        message = str(error)
        return type(error).__name__ + (": " + message if message else "")


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + escaped + '"'


def rows(section):
    here = os.path.dirname(os.path.abspath(__file__))
    current = None
    with open(os.path.join(here, "calls.txt"), encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line.startswith("== "):
                current = line[3:]
            elif line and current == section and not line.startswith("#"):
                self_text, method, args = (part.strip() for part in line.split(" | "))
                for one in args.split(" ; "):
                    yield self_text, method, one.strip()


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Copyright 2026 The Nacre Authors")
    print("//")
    print("// Calls and what CPython 3.11 answers; written by make_cases.py.")
    print()
    for self_text, method, args in rows(sys.argv[1]):
        expect = answer(self_text, method, args)
        print("CASE(" + ", ".join(map(quoted, (self_text, method, args, expect))) + ")")


if __name__ == "__main__":
    main()
