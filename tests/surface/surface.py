# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""The calls of calls.txt: what they call, and with which arrays."""

import ast
import os
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
ROLES = "n r x y p u s i j g k b d h z A B S Z I v Q K t rng legacy".split()
METHODS_OF = {"rng": "numpy.random.Generator", "legacy": "numpy.random.RandomState"}


class Call(NamedTuple):
    """text: the expression; timed: whether the benchmark has it; name: of what it calls, as NumPy's
    documentation has it; roles: the arrays that it names."""
    text: str
    timed: bool
    name: str
    roles: tuple


def dotted(node):
    """np.linalg.det -> ["np", "linalg", "det"]; what is before a method's name is its array's role."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return node, parts[::-1]


def called(tree):
    """The outermost call or attribute; a method's name is numpy.ndarray.NAME."""
    node = tree.body
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    root, parts = dotted(node)
    if isinstance(root, ast.Name) and root.id == "np":
        return ".".join(["numpy"] + parts)
    if isinstance(root, ast.Name) and root.id in METHODS_OF:
        return METHODS_OF[root.id] + "." + parts[-1]
    if isinstance(root, ast.Call) and parts and called(ast.Expression(root)).split(".")[1] in (
            "empty", "vectorize", "frompyfunc", "empty_like"):
        return called(ast.Expression(root))
    return "numpy.ndarray." + parts[-1] if parts else called(ast.Expression(root))


def read_calls(path=os.path.join(HERE, "calls.txt")):
    calls = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            timed = not line.startswith("- ")
            text = line if timed else line[2:]
            tree = ast.parse(text, mode="eval")
            roles = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & set(ROLES)
            calls.append(Call(text, timed, called(tree), tuple(sorted(roles))))
    return calls


def roles_text():
    with open(os.path.join(HERE, "roles.py"), encoding="utf-8") as file:
        return file.read()
