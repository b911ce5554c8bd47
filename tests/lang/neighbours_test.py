#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Two expressions next to each other without an operator, in every kind of place, and f-strings with every kind of
small fault: the SyntaxErrors of Nacre and of CPython, and what those texts give that are right.

usage: neighbours_test.py NACRE
"""

import os
import subprocess
import sys
import tempfile

PARTS = """a _ c case ca cased m match mat matched 1 0x 1.5j 'x' f'x' r'x' kf x.y x() [1] (1) {} None True not lambda:0
print exec -1 ... *a if yield x[1] a.case""".split()
PLACES = ("(%s %s)", "[%s %s]", "f(%s %s)", "f(1, %s %s)", "{%s %s}", "{1: %s %s}", "%s %s", "x = %s %s", "x[%s %s]", "if %s %s: pass",
          "(%s %s for a in b)", "return %s %s", "(%s\n%s)", "f(a=%s %s)", "print(%s, %s c)")
# f-strings of a text each: a is 7, b is 'text', w is 9.
FIELDS = r"""
{a} {{a}} {a}} {a {{a} {} { } {!r} {:x} {a!r} {a!s:>5} {a!a} {a!x} {a!} {a!r } {a! r} {a!rr} {a!r:} {a:} {a:{w}} {a:{w}.{a}} {a:{w}
{a:{{}} {a:{w:{a}}} {a=} {a = } {a=!s} {a=:>4} {a=!r:>4} {a==7} {a!=8} {a<=8} {a>=8} {a<8} {a>8} {a:=5} {(a:=5)} {a,} {a,b} {*b} {*b,} {**b}
{b[0]} {b['x']} {b["x"]} {(lambda:1)()} {lambda:1} {(lambda x: x)(a)} {yield} {[x for x in b]} { {1:2}[1] } {{1:2}[1]} {a:%d} {b:\x41}
\x41 \n{a}\n \{a} \\{a} {a\n} {'\n'} {a#} {a:#x} {a;} {a:!<5} {a!r!r} {a if b else w} {a:{b} {a}{b} {'a' 'b'} {f'{a}'}
{f"{a}"} {a:{f'{w}'}} {1.} {1.:} {0x1F:x} {a..b} {a)} {(a} {[a} {a]} {None} {not a} {a is b} {a in b} {b!r:^{w}} {b!r:{'^'}{w}} {b:{'>'}{w}} {3.4:{w}.{1}}
{a:{}} {a:{!r}} {a:}} {=} {a=b} {a+} {+a} {-a} {~a} {a*2} {a**2} {b*2} {a//2} {a%2} {a@2} {...} {""} {''} {'} {"} {a'} {'a} \{{ \}} }} } {{ {
""".split()

ATTEMPT = """
try:
    import m%04d as m
    print(%d, repr(getattr(m, "value", "right")))
except SyntaxError as e:
    print(%d, type(e).__name__, e.args[0])
except Exception as e:
    print(%d, type(e).__name__, e)
"""


def programs():
    for n, place in enumerate(PLACES):
        for i, left in enumerate(PARTS):
            for right in PARTS[(i + n) % 5::4 * n + 3]:
                text = place % (left, right)
                yield "def never():\n    " + text + "\n"
    for field in FIELDS:
        for start, end in ("f'", "'"), ("fR'''", "'''"), ('"{z}" f"0', '1{a}" "{y}"'):
            yield "a, b, w = 7, 'text', 9\nvalue = " + start + field + end + "\n"


def said(command, folder):
    done = subprocess.run(command + [os.path.join(folder, "driver.py")], capture_output=True, text=True, timeout=60, cwd=folder,
                          env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore"))
    if done.returncode:
        sys.exit("%s fails:\n%s" % (command[0], done.stderr[-2000:]))
    return done.stdout.splitlines()


def main():
    texts = list(programs())
    with tempfile.TemporaryDirectory() as folder:
        for i, text in enumerate(texts):
            with open(os.path.join(folder, "m%04d.py" % i), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(folder, "driver.py"), "w", encoding="utf-8") as file:
            file.write("".join(ATTEMPT % (i, i, i, i) for i in range(len(texts))))
        got = said([os.path.abspath(sys.argv[1])], folder)
        wanted = said([sys.executable], folder)
    # After a starred expression CPython's words depend on what it tried last.
    known = ("*a", "    match ")  # and there are no match statements
    bad = [i for i in range(len(texts)) if got[i] != wanted[i] and not any(k in texts[i] for k in known)]
    for i in bad[:int(os.environ.get("SHOW", 20))]:
        print("%r\n    got    %s\n    wanted %s" % (texts[i], got[i], wanted[i]))
    print("%d programs, %d differ" % (len(texts), len(bad)))
    return bool(bad)


sys.exit(main())
