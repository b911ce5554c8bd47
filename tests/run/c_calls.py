# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Who calls whom in the C sources, from their text: macros are expanded, tables (.def) included, nothing is compiled.

A tree is a dict from names of files to texts. `Program(tree)` has a node for each function and each table of
pointers, with edges to whatever function or table its body names; calls through pointers are not followed, but
who names a table of functions reaches all of them. Of tables of type NativeDef, AttrDef and TypeSlots the rows are kept.
"""

import os
import re

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<char>'(?:\\.|[^'\\\n])+')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<newline>\n)
  | (?P<space>[ \t\r\f]+)
  | (?P<sign>\#\#|->|\.\.\.|.)
""", re.X | re.S)
NAME = re.compile(r"[A-Za-z_]\w*\Z")
OPEN, CLOSE = "([{", ")]}"


def tokens_of(text):
    """The tokens of each logical line."""
    lines, line = [], []
    for match in TOKEN.finditer(text.replace("\\\n", " ")):
        kind = match.lastgroup
        if kind == "newline":
            lines.append(line)
            line = []
        elif kind == "comment" or kind == "space":
            if line and line[-1] != " ":
                line.append(" ")
        else:
            line.append(match.group())
    lines.append(line)
    return lines


def without_blanks(line):
    return [token for token in line if token != " "]


def closing(tokens, at):
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i] in OPEN:
            depth += 1
        elif tokens[i] in CLOSE:
            depth -= 1
            if depth == 0:
                return i + 1
    return len(tokens)


def split(tokens):
    """The parts between commas, outside of brackets."""
    parts, part, depth = [], [], 0
    for token in tokens:
        depth += (token in OPEN) - (token in CLOSE)
        if token == "," and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(token)
    return parts + [part] if part or parts else []


class Macro:
    def __init__(self, params, body):
        self.params, self.body = params, body


class Preprocessor:
    """One file with what it includes of the tree: macros and tables. The functions of headers are left out, as headers
    are read by themselves."""

    def __init__(self, tree, lines):
        self.tree, self.lines, self.macros, self.seen, self.out = tree, lines, {}, set(), []

    def run(self, name, keep=True):
        pending, taken = [], []
        for line in self.lines[name]:
            words = without_blanks(line)
            if words[:1] == ["#"]:
                if keep:
                    self.emit(pending)
                pending = []
                self.directive(name, words[1:], line, taken, keep)
            elif all(taken):
                pending += words
        if keep:
            self.emit(pending)

    def emit(self, words):
        self.out += self.expand(words, frozenset())

    def directive(self, name, words, line, taken, keep):
        kind = words[0] if words else ""
        if kind in ("ifdef", "ifndef"):
            taken.append((words[1] in self.macros) == (kind == "ifdef"))
        elif kind == "if":
            taken.append(True)  # both sides: what is there on some machine counts
        elif kind == "endif":
            taken.pop()
        elif kind in ("else", "elif"):
            taken[-1] = True
        elif not all(taken):
            return
        elif kind == "define":
            self.define(line, words)
        elif kind == "undef":
            self.macros.pop(words[1], None)
        elif kind == "include" and words[1][0] == '"':
            self.include(name, words[1].strip('"'), keep)

    def define(self, line, words):
        name = words[1]
        at = line.index(name, line.index("define") + 1)
        if line[at + 1:at + 2] == ["("]:  # no blank in between
            end = closing(words, 2)
            self.macros[name] = Macro([p[0] for p in split(words[3:end - 1]) if p], words[end:])
        else:
            self.macros[name] = Macro(None, words[2:])

    def include(self, name, target, keep):
        for path in (os.path.normpath(os.path.join(os.path.dirname(name), target)), target):
            if path in self.lines:
                if path.endswith(".h"):
                    if path not in self.seen:
                        self.seen.add(path)
                        self.run(path, keep=False)
                else:
                    self.run(path, keep)
                return

    def expand(self, words, hidden):
        if not any(word in self.macros for word in words):
            return words
        out, at = [], 0
        while at < len(words):
            word = words[at]
            macro = self.macros.get(word) if word not in hidden else None
            at += 1
            if macro is None:
                out.append(word)
            elif macro.params is None:
                out += self.expand(macro.body, hidden | {word})
            elif words[at:at + 1] == ["("]:
                end = closing(words, at)
                body = self.fill(macro, split(words[at + 1:end - 1]), hidden)
                out += self.expand(body, hidden | {word})
                at = end
            else:
                out.append(word)
        return out

    def fill(self, macro, args, hidden):
        if macro.params[-1:] == ["..."]:
            last = len(macro.params) - 1
            rest = [token for i, arg in enumerate(args[last:]) for token in ([","] if i else []) + arg]
            values = dict(zip(macro.params[:-1], args))
            values["__VA_ARGS__"] = rest
        else:
            values = {name: args[i] if i < len(args) else [] for i, name in enumerate(macro.params)}
        out, body, at = [], macro.body, 0
        while at < len(body):
            token = body[at]
            if token == "#" and body[at + 1:at + 2] and body[at + 1] in values:
                out.append('"' + "".join(values[body[at + 1]]).replace('"', "'") + '"')
                at += 2
            elif token == "##":
                after = values.get(body[at + 1], [body[at + 1]])
                if out and after:
                    out[-1:] = [out[-1] + after[0]] + after[1:]
                else:
                    out += after
                at += 2
            else:
                pasted = body[at + 1:at + 2] == ["##"]
                out += (values[token] if pasted else self.expand(values[token], hidden)) if token in values else [token]
                at += 1
        return out


class Row:
    """A row of a table NativeDef, or a function of an AttrDef or of TypeSlots."""

    def __init__(self, file, table, name, function, effect, kind):
        self.file, self.table, self.name, self.function = file, table, name, function
        self.effect, self.kind = effect, kind


class Node:
    def __init__(self, file, name, words):
        self.file, self.name, self.words, self.edges = file, name, words, None
        self.own = set()  # words of its parameters


class Program:
    def __init__(self, tree):
        self.nodes, self.public, self.rows, self.included = {}, {}, [], {}
        lines = {name: tokens_of(text) for name, text in tree.items()}
        for name in sorted(tree):
            if name.endswith((".c", ".h")):
                reader = Preprocessor(tree, lines)
                reader.run(name)
                self.included[name] = reader.seen
                self.read(name, reader.out)

    def add(self, file, name, words, static, params=()):
        node = self.nodes.setdefault((file, name), Node(file, name, []))
        node.own.update(params)
        node.words += words
        if not static:
            self.public[name] = node

    def read(self, file, words):
        """Splits a file into what stands at its outermost level."""
        start = at = 0
        while at < len(words):
            if words[at] == ";":
                start = at = at + 1
            elif words[at] in OPEN:
                end = closing(words, at)
                if words[at] == "{" and self.outermost(file, words[start:at], words[at + 1:end - 1]):
                    start = end
                at = end
            else:
                at += 1

    def outermost(self, file, head, body):
        """Whether that was all: the body of a structure has a name behind it."""
        static = "static" in head and not file.endswith(".h")
        if head[-1:] == ["="]:
            self.table(file, head[:-1], body, static)
        elif head[-1:] == [")"]:
            at = head.index("(")
            self.add(file, head[at - 1], body, static, head[at:])
        else:
            return False
        return True

    def table(self, file, head, body, static):
        while head[-1:] == ["]"]:
            head = head[:len(head) - 1 - head[::-1].index("[")]
        name, names = head[-1], set(head)
        if "NativeDef" in names:
            self.natives(file, name, body)
            self.add(file, "row:" + name, [], static)
        elif "AttrDef" in names:
            for row in split(body):
                self.functions(file, name, row[1:-1], "attribute")
        elif "TypeSlots" in names:
            self.functions(file, name, body, "slot")
        else:
            self.add(file, name, body, static)

    def natives(self, file, table, body):
        rows = [body] if body[:1] != ["{"] and body[:1] != ["["] else split(body)
        for row in rows:
            if "{" in row:
                row = row[row.index("{") + 1:]
                if row[:1] == ["{"]:
                    row = row[1:]
                row = row[:closing(["{"] + row, 0) - 2]
            cells = split(row)
            if len(cells) < 5 or cells[0] == ["NULL"]:
                continue
            self.rows.append(Row(file, table, "".join(cells[0]).strip('"'), cells[2][-1], cells[4][-1], "native"))

    def functions(self, file, table, cells, kind):
        title = ""
        for cell in filter(None, split(cells)):
            if cell[0].startswith('"'):
                title = cell[0].strip('"')
            elif cell[0] == ".":
                title, cell = cell[1], cell[3:]
            if len(cell) == 1 and NAME.match(cell[0]) and cell[0] != "NULL" and title not in ("methods", "attrs"):
                self.rows.append(Row(file, table, title, cell[0], "PURE", kind))

    def find(self, file, name):
        """What a name stands for in a file. What headers define is there where they are included."""
        found = self.nodes.get((file, name)) or self.public.get(name)
        if found and found.file != file and found.file.endswith(".h") and found.file not in self.included[file]:
            return None
        return found

    def edges(self, node):
        if node.edges is None:
            node.edges = sorted(set(self.named(node)), key=lambda edge: edge[1])
        return node.edges

    def named(self, node):
        """(the function or table, or None, and its name) for each name in the body that is no field nor a variable: of
        those that are not found, the ones that are called or handed on."""
        words = node.words
        variables = node.own | {word for before, word, after in zip(words, words[1:], words[2:]) if NAME.match(word) and
                                (before == "*" or before == "," and after in ";=" or
                                 NAME.match(before) and before not in ("return", "struct", "else"))}
        for i, word in enumerate(words):
            if not NAME.match(word):
                continue
            before = words[i - 1] if i else ""
            if before == "->" or (before == "." and (i < 2 or words[i - 2] not in "{,")):
                if i > 1 and words[i - 2] == "host" and words[i + 1:i + 2] == ["("]:
                    yield None, "host." + word
                continue
            if before == ".":
                continue  # a designator
            found = self.find(node.file, word) or self.find(node.file, "row:" + word)
            if found or word not in variables and (words[i + 1:i + 2] == ["("] or before in "(,?:=*" and before):
                yield found, word
