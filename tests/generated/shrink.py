# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Makes a failing program small: drops statements, unwraps blocks, replaces expressions by their
parts, as long as the failure stays. Works on the text, by the places that `ast` knows."""

import ast
import time
import warnings


def parsed(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "shrink", "exec")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def first_line(node):
    return min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])


def statements(tree):
    """(first line, last line, node) of every statement, longest first."""
    spans = [(first_line(n), n.end_lineno, n) for n in ast.walk(tree) if isinstance(n, ast.stmt)]
    return sorted(spans, key=lambda s: (s[0] - s[1], s[0]))


def indent_of(line):
    return line[: len(line) - len(line.lstrip())]


def without(lines, first, last):
    """The text without a range of lines; a block left empty gets `pass`."""
    rest = lines[: first - 1] + lines[last:]
    text = "\n".join(rest)
    if parsed(text) is not None:
        return text
    return "\n".join(lines[: first - 1] + [indent_of(lines[first - 1]) + "pass"] + lines[last:])


def unwrapped(lines, node, body):
    """The text with a compound statement replaced by one of its blocks."""
    start, end = first_line(body[0]), body[-1].end_lineno
    outer = indent_of(lines[first_line(node) - 1])
    inner = len(indent_of(lines[start - 1])) - len(outer)
    if inner <= 0:
        return None
    moved = [
        line[inner:] if line[: len(outer) + inner].isspace() else line
        for line in lines[start - 1 : end]
    ]
    return "\n".join(lines[: first_line(node) - 1] + moved + lines[node.end_lineno :])


def expressions(tree):
    """Expression nodes outside f-strings, whose places inside are not to be trusted."""
    found, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr) and not isinstance(
            getattr(node, "ctx", ast.Load()), (ast.Store, ast.Del)
        ):
            found.append(node)
        if not isinstance(node, ast.JoinedStr):
            pending.extend(ast.iter_child_nodes(node))
    return found


class Shrinker:
    def __init__(self, still_fails, seconds=30, runs=400):
        self.still_fails = still_fails
        self.deadline = time.monotonic() + seconds
        self.runs = runs

    def out_of_time(self):
        return self.runs <= 0 or time.monotonic() > self.deadline

    def accept(self, text):
        if text is None or self.out_of_time() or parsed(text) is None:
            return False
        self.runs -= 1
        return self.still_fails(text)

    def shrink(self, text):
        while not self.out_of_time():
            before = text
            for step in (self.drop_rows, self.drop_statements, self.unwrap_blocks, self.simplify):
                text = step(text)
            if text == before:
                break
        return text

    def drop_rows(self, text):
        """Delta debugging over top-level statements: halves, quarters, …"""
        size = len(parsed(text).body)
        while size >= 1:
            at = 0
            while True:
                body = parsed(text).body
                if at >= len(body) or len(body) <= 1:
                    break
                last = min(at + size, len(body)) - 1
                smaller = without(text.split("\n"), first_line(body[at]), body[last].end_lineno)
                if self.accept(smaller):
                    text = smaller
                else:
                    at += size
            size //= 2
        return text

    def each_accepted(self, text, candidates):
        """Goes once through the candidates; those of a smaller text start where the last one stood,
        for what stood before it was refused."""
        at = 0
        while not self.out_of_time():
            options = [c for c in candidates(text) if c is not None and c != text]
            if at >= len(options):
                break
            if self.accept(options[at]):
                text = options[at]
            else:
                at += 1
        return text

    def drop_statements(self, text):
        def candidates(text):
            lines = text.split("\n")
            for first, last, node in statements(parsed(text)):
                if not isinstance(node, ast.Pass):
                    yield without(lines, first, last)

        return self.each_accepted(text, candidates)

    def unwrap_blocks(self, text):
        def candidates(text):
            lines = text.split("\n")
            for _, _, node in statements(parsed(text)):
                for field in ("body", "orelse", "finalbody"):
                    if getattr(node, field, None) and not isinstance(
                        node, (ast.FunctionDef, ast.ClassDef)
                    ):
                        yield unwrapped(lines, node, getattr(node, field))
                if (
                    getattr(node, "handlers", None)
                    and len(node.handlers) + bool(node.finalbody) > 1
                ):
                    for handler in node.handlers:
                        yield without(lines, handler.lineno, handler.end_lineno)
                for field in ("orelse", "finalbody"):
                    block = getattr(node, field, None)
                    if block:
                        yield without(lines, first_line(block[0]) - 1, block[-1].end_lineno)

        return self.each_accepted(text, candidates)

    def simplify(self, text):
        def candidates(text):
            data = text.encode()
            starts = [0]
            for line in data.split(b"\n"):
                starts.append(starts[-1] + len(line) + 1)

            def span(node):
                return (
                    starts[node.lineno - 1] + node.col_offset,
                    starts[node.end_lineno - 1] + node.end_col_offset,
                )

            nodes = sorted(expressions(parsed(text)), key=lambda n: span(n)[0] - span(n)[1])
            for node in nodes:
                a, b = span(node)
                parts = (
                    [c for c in ast.walk(node) if c is not node and isinstance(c, ast.expr)]
                    if not isinstance(node, ast.JoinedStr)
                    else []
                )
                options = [data[slice(*span(c))] for c in parts[:12]]
                options += [b"0", b"''", b"[]"] if b - a > 2 else []
                for option in options:
                    if len(option) < b - a:
                        yield (data[:a] + option + data[b:]).decode(errors="replace")

        return self.each_accepted(text, candidates)
