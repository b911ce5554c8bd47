#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Deep nesting and endless recursion: an error or an answer, never the end of the C stack (which is
made small here).

usage: depth_test.py NACRE
"""

import os
import resource
import tempfile

from harness import expect, finish, refuse, run, short, start, state

DEEP = 10000
BRACKETS = "SyntaxError: too many nested parentheses"
EXPRESSIONS = "RecursionError: too many nested expressions"
BLOCKS = "IndentationError: too many levels of indentation"
LIMIT = "RecursionError: maximum recursion depth exceeded"
REPR = LIMIT + " while getting the repr of an object"
COMPARE = LIMIT + " in comparison"


def blocks(head):
    return "".join(" " * i + head + "\n" for i in range(DEEP)) + " " * DEEP + "pass\n"


# source, error; or None: it runs
NESTED = [
    ("(" * DEEP + ")" * DEEP, BRACKETS),
    ("[" * DEEP + "]" * DEEP, BRACKETS),
    ("{" * DEEP + "}" * DEEP, BRACKETS),
    ("{1: " * DEEP + "1" + "}" * DEEP, BRACKETS),
    ("(" * DEEP, BRACKETS),
    ("f(" * DEEP + ")" * DEEP, BRACKETS),
    ("a[" * DEEP + "1" + "]" * DEEP, BRACKETS),
    ("(y := " * DEEP + "1" + ")" * DEEP, BRACKETS),
    ("[1 for a in " * DEEP + "[1]" + "]" * DEEP, BRACKETS),
    ("(" * DEEP + "x" + ",)" * DEEP + " = 1", BRACKETS),
    ("x: " + "a[" * DEEP + "1" + "]" * DEEP, BRACKETS),
    ("x = " + "-" * DEEP + "1", EXPRESSIONS),
    ("x = " + "~" * DEEP + "y", EXPRESSIONS),
    ("x = " + "not " * DEEP + "1", EXPRESSIONS),
    ("x = " + "lambda: " * DEEP + "1", EXPRESSIONS),
    ("x = " + "lambda a=" * DEEP + "1" + ": 1" * DEEP, EXPRESSIONS),
    ("x = 1" + " ** y" * DEEP, EXPRESSIONS),
    ("x = 1" + " if y else 1" * DEEP, EXPRESSIONS),
    ("x = " + "f'{" * DEEP + "1" + "}'" * DEEP, BRACKETS),
    ("x = f'{1:" + "{1:" * DEEP + "}" * DEEP + "}'",
     "SyntaxError: f-string: expressions nested too deeply"),
    ("await " * DEEP + "1", "SyntaxError: 'await' expressions are not supported"),
    (blocks("if 1:"), BLOCKS),
    (blocks("for a in b:"), BLOCKS),
    (blocks("while 1:"), BLOCKS),
    (blocks("with a:"), BLOCKS),
    (blocks("try:"), BLOCKS),
    (blocks("def f():"), BLOCKS),
    (blocks("class C:"), BLOCKS),
    ("if 0: pass\n" + "elif 0: pass\n" * DEEP, None),
    ("a = 1\nx = a" + ".b" * DEEP, "AttributeError: 'int' object has no attribute 'b'"),
    ("class A: pass\na = A()\na.b = a\nassert a" + ".b" * DEEP + " is a", None),
    ("def f(): return f\nassert f" + "()" * DEEP + " is f", None),
    ("a = [0]\na[0] = a\nassert a" + "[0]" * DEEP + " is a", None),
    ("y = 1\nassert y" + " + y" * DEEP + " == %d" % (DEEP + 1), None),
    ("y = 1\nassert y" + " and y" * DEEP, None),
    ("y = 1\nassert y" + " <= y" * DEEP, None),
    ("x = 1" + ", 1" * DEEP + "\nassert len(x) == %d" % (DEEP + 1), None),
    ("x = " * DEEP + "1", None),
    ("x = " + "'a' " * DEEP + "\nassert len(x) == %d" % DEEP, None),
    ("def d(f): return f\n" + "@d\n" * DEEP + "def f(): pass", None),
    ("x = 1 " + "\\\n" * DEEP + "+ 1", None),
    ("x = f'" + "{" * DEEP + "1" + "}" * DEEP + "'", None),
    ("import nowhere" + ".a" * DEEP, "ModuleNotFoundError: …"),
    ("def f():\n" + "".join(" a%d = 1\n" % i for i in range(70000)),
     "SyntaxError: too many local variables in function"),
    ("def f(**k): return len(k)\nf(" + ", ".join("a%d=1" % i for i in range(70000)) + ")",
     "SyntaxError: too many constants in function"),
    ("x = [" + ", ".join("%d.5" % i for i in range(70000)) + "]\nassert len(x) == 70000", None),
    ("x = '" + "a" * 5000000 + "'\nassert len(x) == 5000000", None),
    ("a" * 1000000, "NameError: …"),
    ("x = " + "1" * 100000, "SyntaxError: Exceeds the limit (4300 digits) for integer string "
     "conversion: value has 100000 digits; use sys.set_int_max_str_digits() to increase the limit "
     "- Consider hexadecimal for huge integer literals to avoid decimal conversion limits."),
]

# A class with one method that asks itself, and what starts it.
METHODS = [
    ("__getattr__(self, name)", "getattr(self, name + 'x')", "A().a"),
    ("__getattribute__(self, name)", "self.b", "A().a"),
    ("__setattr__(self, name, v)", "setattr(self, name, v)", "A().a = 1"),
    ("__delattr__(self, name)", "delattr(self, name)", "del A().a"),
    ("__eq__(self, other)", "self == other", "A() == A()"),
    ("__eq__(self, other)", "[self] == [other]", "A() == A()"),
    ("__eq__(self, other)", "self in [other]", "A() in [A()]"),
    ("__lt__(self, other)", "sorted([self, other])", "sorted([A(), A()])"),
    ("__repr__(self)", "repr(self)", "repr(A())"),
    ("__repr__(self)", "repr([self])", "print(A())"),
    ("__repr__(self)", "f'{self!r}'", "print(A())"),
    ("__str__(self)", "'%s' % self", "str(A())"),
    ("__str__(self)", "','.join(map(str, [self]))", "str(A())"),
    ("__format__(self, spec)", "format(self, spec)", "f'{A()}'"),
    ("__hash__(self)", "hash(self)", "hash(A())"),
    ("__hash__(self)", "hash((self,))", "{A(): 1}"),
    ("__hash__(self)", "len({self})", "{A()}"),
    ("__bool__(self)", "True if self else False", "bool(A())"),
    ("__len__(self)", "len(self)", "len(A())"),
    ("__contains__(self, x)", "x in self", "1 in A()"),
    ("__iter__(self)", "iter(self)", "list(A())"),
    ("__getitem__(self, i)", "self[i]", "A()[0]"),
    ("__call__(self)", "self()", "A()()"),
    ("__init__(self)", "A()", "A()"),
    ("__new__(cls)", "cls()", "A()"),
    ("__add__(self, other)", "self + other", "A() + 1"),
    ("__radd__(self, other)", "other + self", "1 + A()"),
    ("__neg__(self)", "-self", "-A()"),
    ("__index__(self)", "[1][self]", "[1][A()]"),
    ("__int__(self)", "int(self)", "int(A())"),
    ("__float__(self)", "float(self)", "float(A())"),
]

RECURSIVE = [
    ("def f(): return f()\nf()", LIMIT),
    ("def f(): return g()\ndef g(): return f()\nf()", LIMIT),
    ("f = lambda: f()\nf()", LIMIT),
    ("def f(): return [f() for _ in [1]]\nf()", LIMIT),
    ("class A:\n @property\n def a(self): return self.a\nA().a", LIMIT),
    ("class D:\n def __get__(self, o, t): return o.d\nclass A:\n d = D()\nA().d", LIMIT),
    ("class D(dict):\n def __missing__(self, k): return self[k]\nD()[1]", LIMIT),
    ("def k(x): return sorted([x, x], key=k)\nk(1)", LIMIT),
    ("def k(x): return min([x, x], key=k)\nk(1)", LIMIT),
    ("def k(x): return list(map(k, [x]))\nk(1)", LIMIT),
    ("def g():\n yield from g()\nlist(g())", LIMIT),
    ("def g():\n for x in g(): yield x\nlist(g())", LIMIT),
    ("def g():\n yield next(it)\nit = g()\nnext(it)", "ValueError: generator already executing"),
    ("def d(f):\n @d\n def w(): return f()\n return w\n@d\ndef f(): pass", LIMIT),
    ("class D:\n def __init__(self, f): self.f = D(f)\n@D\ndef f(): pass", LIMIT),
    ("class A:\n def __enter__(self):\n  with self: pass\n def __exit__(self, *a): pass\n"
     "with A(): pass", LIMIT),
    ("class A:\n def __init_subclass__(cls):\n  class B(cls): pass\nclass B(A): pass", LIMIT),
    ("class E(Exception):\n def __init__(self): raise E()\nraise E()", LIMIT),
    ("class E(Exception):\n def __str__(self): return str(self)\nraise E()",
     "E: <exception str() failed>"),
    ("import functools\n@functools.cache\ndef f(n): return f(n + 1)\nf(0)", LIMIT),
    ("import functools\ndef c(a, b): return functools.reduce(c, [a, b])\nc(1, 2)", LIMIT),
    ("class F:\n def write(self, s): print(s, file=self)\nprint(1, file=F())", LIMIT),
    ("a = []\nfor i in range(100000): a = [a]\nrepr(a)", REPR),
    ("a = ()\nfor i in range(100000): a = {1: (a,)}\nrepr(a)", REPR),
    ("a = b = []\nfor i in range(100000): a, b = [a], [b]\na.append(1)\na == b", None),
    ("a, b = [1], [2]\nfor i in range(100000): a, b = [a], [b]\na == b", COMPARE),
    ("a, b = [1], [2]\nfor i in range(100000): a, b = (a,), (b,)\na < b", COMPARE),
    ("a, b = [], []\na.append(a)\nb.append(b)\na == b", COMPARE),
    ("a = ()\nfor i in range(100000): a = (a,)\nhash(a)", LIMIT),
    ("import copy\na = []\nfor i in range(100000): a = [a]\ncopy.deepcopy(a)", LIMIT),
    ("import json\na = []\nfor i in range(100000): a = [a]\njson.dumps(a)", LIMIT),
    ("import json\njson.loads('[' * 100000)", LIMIT + " while decoding a JSON array from a unicode string"),
    ("import numpy as np\na = []\nfor i in range(100000): a = [a]\nnp.array(a)",
     "ValueError: setting an array element with a sequence. The requested array would exceed the …"),
    ("import numpy as np\na = []\na.append(a)\nnp.array(a)", "ValueError: …"),
    ("e = None\nfor i in range(100000):\n n = ValueError(i); n.__cause__ = e; e = n\nraise e",
     "ValueError: 99999"),
    ("e = ValueError(1)\ne.__cause__ = e\nraise e", "ValueError: 1"),
    ("a, b = ValueError(1), ValueError(2)\na.__context__ = b\nb.__context__ = a\nraise a",
     "ValueError: 1"),
    ("c = object\nfor i in range(3000): c = type('C', (c,), {})\nc().x",
     "AttributeError: 'C' object has no attribute 'x'"),
    ("a = [1]\nfor i in range(100000): a = (x for x in a)\nlist(a)", LIMIT),
    ("a = [1]\nfor i in range(100000): a = map(str, a)\nlist(a)", None),
    ("a = [1]\nfor i in range(100000): a = zip(a)\nassert len(list(a)) == 1", None),
    ("a = None\nfor i in range(100000): a = slice(a)\nrepr(a)", REPR),
    ("a = object()\nfor i in range(1000000): a = [a]\ndel a\nprint('freed')", None),
    ("a = b = []\nfor i in range(100000): b.append([]); b = b[0]\nb.append(a)\ndel a, b\nimport gc\n"
     "gc.collect()", None),
]


def try_files(folder, table):
    for i, (source, error) in enumerate(table):
        what = "%d (%s)" % (i + 1, short(source, 30).replace("\n", " "))
        path = os.path.join(folder, "deep.ncr")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        expect(what, run(what, [path]), error=error)


def main():
    start(__doc__, grows=True)
    if not state.sanitized:
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))
    with tempfile.TemporaryDirectory() as folder:
        try_files(folder, NESTED)
        try_files(folder, RECURSIVE)
    for method, result, first in METHODS:
        refuse(method, "class A:\n def %s: return %s\n%s\n" % (method, result, first), LIMIT)
    finish()


main()
