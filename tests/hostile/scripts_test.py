#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Wrong scripts: class and message of the exception, and the place it is shown at.

usage: scripts_test.py NACRE
"""

import os
import re

from harness import check, expect, finish, refuse, refuse_all, run, start

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What docs/language.md calls "out", by the script that the page links to.
OUT = {
    "out_except_star": ("try:\n    pass\n«except*» ValueError:\n    pass",
                        "SyntaxError: 'except*' is not supported"),
    "out_async_def": ("«async def» f():\n    pass",
                      "SyntaxError: 'async def' is not supported"),
    "out_async_for": ("«async for» x in y:\n    pass",
                      "SyntaxError: 'async for' is not supported"),
    "out_async_with": ("«async with» x:\n    pass", "SyntaxError: 'async with' is not supported"),
    "out_await": ("x = «await» y", "SyntaxError: 'await' expressions are not supported"),
    "out_async_comprehension": ("[x «async» for x in y]",
                                "SyntaxError: asynchronous comprehensions are not supported"),
    "out_import_unknown": ("x = 1\n«import nowhere»",
                           "ModuleNotFoundError: No module named 'nowhere'"),
    "out_exec": ("«exec('x = 1')»", "NotImplementedError: exec() is not part of the language"),
    "out_eval": ("x = «eval('1')»", "NotImplementedError: eval() is not part of the language"),
    "out_compile": ("«compile('1', '', 'eval')»", "NotImplementedError: compile() is not part of the language"),
    "out_multiple_inheritance": ("class A: pass\n«class C(A, list, dict): pass»",
                                 "TypeError: multiple bases have instance lay-out conflict"),
    "out_assign_bases": ("class A: pass\nclass B(A): pass\n«B.__bases__» = (object,)",
                         "NotImplementedError: the bases of a class cannot be changed"),
    "out_metaclass": ("class M(type):\n    def __prepare__(*a): return {}\n«class C(metaclass=M): pass»",
                      "NotImplementedError: M.__prepare__: a class body has a plain dictionary, whatever its "
                      "metaclass"),
}

# source, error
NAMES = [
    ("x = «foo» + 1", "NameError: name 'foo' is not defined"),
    ("def f():\n    return [i for i in «bar»]\nf()", "NameError: name 'bar' is not defined"),
    ("def f():\n    y = «x»\n    x = 1\nf()",
     "UnboundLocalError: cannot access local variable 'x' where it is not associated with a value"),
    ("x = 1\nprint(«x.real.foo»)", "AttributeError: 'int' object has no attribute 'foo'"),
    ("class A: pass\n«A().b»", "AttributeError: 'A' object has no attribute 'b'"),
    ("import math\n«math.tau2»", "AttributeError: module 'math' has no attribute 'tau2'"),
    ("«from math import nothing»", "ImportError: cannot import name 'nothing' from 'math' "
     "(unknown location)"),
    ("import numpy as np\nnp.zeros(3)\n«np.no_such»",
     "AttributeError: module 'numpy' has no attribute 'no_such'"),
    ("del «x»", "NameError: name 'x' is not defined"),
    ("«'a'.joint»", "AttributeError: 'str' object has no attribute 'joint'"),
    ("import numpy as np\n«np.zeros(2).nope»",
     "AttributeError: 'numpy.ndarray' object has no attribute 'nope'"),
]

SHAPES = [
    ("import numpy as np\na = np.zeros((3, 4))\nb = «a + np.zeros(3)»",
     "ValueError: operands could not be broadcast together with shapes (3,4) (3,)"),
    ("import numpy as np\na = np.zeros((3, 4))\nb = «a @ a»",
     "ValueError: matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
     "signature (n?,k),(k,m?)->(n?,m?) (size 3 is different from 4)"),
    ("import numpy as np\n«np.zeros(6).reshape(4, 2)»",
     "ValueError: cannot reshape array of size 6 into shape (4,2)"),
    ("import numpy as np\na = np.zeros(3)\n«a[:2]» = [1, 2, 3]",
     "ValueError: could not broadcast input array from shape (3,) into shape (2,)"),
    ("import numpy as np\na = np.zeros(3)\n«a += np.zeros((2, 3))»",
     "ValueError: non-broadcastable output operand with shape (3,) doesn't match the broadcast "
     "shape (2,3)"),
    ("import numpy as np\n«np.array([[1, 2], [3]])»",
     "ValueError: setting an array element with a sequence. The requested array has an "
     "inhomogeneous shape after 1 dimensions. The detected shape was (2,) + inhomogeneous part."),
    ("import numpy as np\n«np.zeros((2, -1))»", "ValueError: negative dimensions are not allowed"),
    ("import numpy as np\nif «np.zeros(2)»: pass",
     "ValueError: The truth value of an array with more than one element is ambiguous. Use a.any() "
     "or a.all()"),
    ("import numpy as np\n«np.concatenate([np.zeros(2), np.zeros((2, 2))])»",
     "ValueError: all the input arrays must have same number of dimensions, but the array at index "
     "0 has 1 dimension(s) and the array at index 1 has 2 dimension(s)"),
]

INDEXES = [
    ("x = [1, 2]\nx[0] + «x[2]»", "IndexError: list index out of range"),
    ("x = [1, 2]\n«x[-3]» = 1", "IndexError: list assignment index out of range"),
    ("del «[][0]»", "IndexError: list assignment index out of range"),
    ("«''[0]»", "IndexError: string index out of range"),
    ("«()[0]»", "IndexError: tuple index out of range"),
    ("«range(3)[5]»", "IndexError: range object index out of range"),
    ("«[][10 ** 30]»", "IndexError: cannot fit 'int' into an index-sized integer"),
    ("«[1]['a']»", "TypeError: list indices must be integers or slices, not str"),
    ("x = {}\nprint(«x['k']»)", "KeyError: 'k'"),
    ("«[].pop()»", "IndexError: pop from empty list"),
    ("«{}.popitem()»", "KeyError: 'popitem(): dictionary is empty'"),
    ("import numpy as np\na = np.zeros((3, 4))\n«a[3, 0]»",
     "IndexError: index 3 is out of bounds for axis 0 with size 3"),
    ("import numpy as np\na = np.zeros((3, 4))\n«a[0, 0, 0]»",
     "IndexError: too many indices for array: array is 2-dimensional, but 3 were indexed"),
    ("import numpy as np\na = np.zeros(3)\n«a[[0, 7]]»",
     "IndexError: index 7 is out of bounds for axis 0 with size 3"),
    ("import numpy as np\na = np.zeros(3)\n«a[1.5]»",
     "IndexError: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer "
     "or boolean arrays are valid indices"),
    ("import numpy as np\na = np.zeros(3)\n«a[5]» = 1",
     "IndexError: index 5 is out of bounds for axis 0 with size 3"),
]

NUMBERS = [
    ("x = 0\ny = 1 + «2 / x»", "ZeroDivisionError: division by zero"),
    ("«1 // 0»", "ZeroDivisionError: integer division or modulo by zero"),
    ("«1 % 0»", "ZeroDivisionError: integer modulo by zero"),
    ("«1.5 // 0»", "ZeroDivisionError: float floor division by zero"),
    ("«1.5 % 0»", "ZeroDivisionError: float modulo"),
    ("«0 ** -1»", "ZeroDivisionError: 0.0 cannot be raised to a negative power"),
    ("«divmod(10 ** 30, 0)»", "ZeroDivisionError: integer division or modulo by zero"),
    ("«1j / 0»", "ZeroDivisionError: complex division by zero"),
    ("«pow(2, 3, 0)»", "ValueError: pow() 3rd argument cannot be 0"),
    ("«range(1, 2, 0)»", "ValueError: range() arg 3 must not be zero"),
    ("«10.0 ** 400»", "OverflowError: (34, 'Numerical result out of range')"),
    ("«int(1e400)»", "OverflowError: cannot convert float infinity to integer"),
    ("«float(10 ** 400)»", "OverflowError: int too large to convert to float"),
    ("«int('1' * 5000)»", "ValueError: Exceeds the limit (4300 digits) for integer string "
     "conversion: value has 5000 digits; use sys.set_int_max_str_digits() to increase the limit"),
    ("«str(10 ** 5000)»", "ValueError: Exceeds the limit (4300 digits) for integer string "
     "conversion; use sys.set_int_max_str_digits() to increase the limit"),
    ("«int('12x')»", "ValueError: invalid literal for int() with base 10: '12x'"),
    ("import math\n«math.sqrt(-1)»", "ValueError: math domain error"),
    ("import math\n«math.factorial(-1)»", "ValueError: factorial() not defined for negative values"),
    ("«1 << -1»", "ValueError: negative shift count"),
    ("«chr(1114112)»", "ValueError: chr() arg not in range(0x110000)"),
]

TYPES = [
    ("«1 + 'a'»", "TypeError: unsupported operand type(s) for +: 'int' and 'str'"),
    ("«'a' + 1»", "TypeError: can only concatenate str (not \"int\") to str"),
    ("«len(5)»", "TypeError: object of type 'int' has no len()"),
    ("«for x in 5: pass»", "TypeError: 'int' object is not iterable"),
    ("«{[]: 1}»", "TypeError: unhashable type: 'list'"),
    ("«None()»", "TypeError: 'NoneType' object is not callable"),
    ("def f(a, b): pass\n«f(1)»", "TypeError: f() missing 1 required positional argument: 'b'"),
    ("def f(a): pass\n«f(1, 2)»", "TypeError: f() takes 1 positional argument but 2 were given"),
    ("def f(a): pass\n«f(c=1)»", "TypeError: f() got an unexpected keyword argument 'c'"),
    ("«a, b» = 1, 2, 3", "ValueError: too many values to unpack (expected 2)"),
    ("«raise 5»", "TypeError: exceptions must derive from BaseException"),
    ("with «5»: pass", "TypeError: 'int' object does not support the context manager protocol"),
    ("«'%d' % 'x'»", "TypeError: %d format: a real number is required, not str"),
    ("«'{}'.format()»", "IndexError: Replacement index 0 out of range for positional args tuple"),
    ("x = f'{«1»:zz}'", "ValueError: Unknown format code 'z' for object of type 'int'"),
    ("«sorted([1, 'a'])»", "TypeError: '<' not supported between instances of 'str' and 'int'"),
    ("class A:\n    def __repr__(self): return 5\n«repr(A())»",
     "TypeError: __repr__ returned non-string (type int)"),
    ("class A:\n    def __hash__(self): return 'x'\n«{A(): 1}»",
     "TypeError: __hash__ method should return an integer"),
    ("class A:\n    def __iter__(self): return 5\n«for x in A(): pass»",
     "TypeError: iter() returned non-iterator of type 'int'"),
    ("class A:\n    def __len__(self): return -1\n«len(A())»",
     "ValueError: __len__() should return >= 0"),
    ("class A:\n    def __bool__(self): return 2\nif «A()»: pass",
     "TypeError: __bool__ should return bool, returned int"),
    ("assert «1 > 2», 'no'", "AssertionError: no"),
]

SYNTAX = [
    ("x = «(»1 + 2", "SyntaxError: '(' was never closed"),
    ("x = 1 +«»", "SyntaxError: invalid syntax"),
    ("x = (1, 2«]»", "SyntaxError: closing parenthesis ']' does not match opening parenthesis '('"),
    ("x = «'»abc", "SyntaxError: unterminated string literal (detected at line 1)"),
    ("x = 1\n  «y = 2»", "IndentationError: unexpected indent"),
    ("if 1:\n«x» = 2", "IndentationError: expected an indented block after 'if' statement on line 1"),
    ("«return 1»", "SyntaxError: 'return' outside function"),
    ("«break»", "SyntaxError: 'break' outside loop"),
    ("«f()» = 1", "SyntaxError: cannot assign to function call here. Maybe you meant '==' instead "
     "of '='?"),
    ("x = 1 «$» 2", "SyntaxError: invalid syntax"),
    ("x = «0»777", "SyntaxError: leading zeros in decimal integer literals are not permitted; use an "
     "0o prefix for octal integers"),
    ("def f(a, «a»): pass", "SyntaxError: duplicate argument 'a' in function definition"),
    ("«f'{}'»", "SyntaxError: f-string: empty expression not allowed"),
    ("class A:\n    def f(self):\n        x = [1,\n        y = 2\n", "SyntaxError: …"),
    ("x = '\\ud800'\n«print(x)»", "UnicodeEncodeError: …"),
]


def check_page():
    with open(os.path.join(ROOT, "docs", "language.md"), encoding="utf-8") as page:
        refused = set(re.findall(r"errors/(out_\w+)\.ncr", page.read()))
    check("constructs refused by docs/language.md", refused == set(OUT),
          ", ".join(sorted(refused ^ set(OUT))))


def check_out():
    for name, (source, error) in OUT.items():
        refuse(name, source, error)


def check_handled():
    """What is refused when it runs can be handled; the script goes on."""
    code = ("import numpy as np\nn = 0\nfor f in (lambda: [][1], lambda: 1 / 0, lambda: eval('1'),\n"
            "          lambda: np.zeros(3) + np.zeros(2), lambda: nothing, lambda: 1 << 10 ** 15):\n"
            "    try:\n        f()\n    except Exception as e:\n        n += 1\nprint(n)\n")
    expect("handled", run("handled", ["-c", code]), out="6\n")


def main():
    start(__doc__)
    check_page()
    check_out()
    for table in NAMES, SHAPES, INDEXES, NUMBERS, TYPES, SYNTAX:
        refuse_all(table)
    check_handled()
    finish()


main()
