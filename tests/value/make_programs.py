#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Writes programs over dictionaries and sets (see table_program.h) with what CPython prints:
#
#     python3.11 tests/value/make_programs.py dict > tests/value/dict_programs.def
#     python3.11 tests/value/make_programs.py set > tests/value/set_programs.def

import random
import re
import sys

KINDS = {"set": set, "frozenset": frozenset, "dict": dict, "list": list, "iter": iter}


def operate(scope, text, op):
    """a op b, also in place, as an expression."""
    if op.endswith("=") and op not in ("==", "!=", "<=", ">="):
        space = {"a": scope(text[0]), "b": scope(text[1])}
        exec(f"a {op} b", space)
        return space["a"]
    return eval(f"a {op} b", {"a": scope(text[0]), "b": scope(text[1])})


def expression(scope, text):
    word, _, rest = text.partition(" ")
    if word == "show":
        return scope(rest)
    if word == "len":
        return len(scope(rest))
    if word == "next":
        return next(scope(rest))
    if word == "del":
        del scope(rest[0])[scope(rest[2:-1])]
        return None
    if re.match(r"[a-z]\.", text):
        name, _, args = text[2:].partition(" ")
        args = [scope(arg) for arg in args.split(" | ")] if args else []
        return getattr(scope(text[0]), name)(*args)
    if re.match(r"[a-z]\[", text):
        key, found, value = text[2:].partition("] = ")
        if found:
            scope(text[0])[scope(key)] = scope(value)
            return None
        return scope(text[0])[scope(text[2:-1])]
    left, _, rest = text.partition(" @ ")
    op, _, right = rest.partition(" ")
    return operate(scope, (left, right), op)


def statement(variables, text, lines):
    def scope(name):
        if re.fullmatch("[a-z]", name):
            return variables[name]
        return eval(name, {"inf": float("inf"), "nan": float("nan")})

    target = None
    try:
        if text[1:5] == " := ":
            target = text[0]
            kind, _, arg = text[5:].partition(" ")
            result = KINDS[kind](scope(arg))
        elif text[1:4] == " = ":
            target = text[0]
            result = expression(scope, text[4:])
        else:
            result = expression(scope, text)
    except Exception as error:
        lines.append(f"{type(error).__name__}: {error}")
        return
    if target:
        variables[target] = result
    elif result is not None:
        lines.append(repr(result))


def outcome(program):
    variables, lines = {}, []
    for text in program.split("; "):
        statement(variables, text, lines)
    return "\n".join(lines)


# --- Written by hand --------------------------------------------------------------------------

DICT = """
a := dict {1: 2, 'x': 3}; show a; a['x'] = 4; a[2.0] = 5; show a; a[2]; a[True] = 'one'; show a
a := dict {}; a[1]; a['no']; a[(1, 2)]; del a['no']; a.popitem; a.pop 1; a.pop 1 | 'd'; show a
a := dict [(1, 2), [3, 4], 'ab']; show a; a.get 1; a.get 9; a.get 9 | 'd'; 'a' @ in a; 7 @ in a
a := dict [1]; a := dict [(1, 2), 3]; a := dict [(1, 2, 3)]; a := dict ['abc']; a := dict 5
a := dict None; a := dict [[1]]; a := dict [([], 1)]; a := dict {1: 1}; a[[]]; a[{}] = 1; [] @ in a
a := dict [[1, 2]]; a.update {3: 4}; a.update [(5, 6)]; a.update 5; a.update [7]; show a
a := dict {1: 1}; a.update; show a; a.update 1 | 2
a := dict {1: 1, 2: 2}; a.setdefault 1 | 9; a.setdefault 3 | 9; a.setdefault 4; show a; a.setdefault
a := dict {1: 1, 2: 2, 3: 3}; a.popitem; a.popitem; show a; a[9] = 9; show a; a.popitem; a.popitem
a := dict {1: 1, 2: 2, 3: 3}; a.pop 2; show a; a[2] = 'back'; show a; a.pop 1; a.popitem; show a
a := dict {1: 1}; b = a.copy; b[2] = 2; show a; show b; a @ == b; a @ != b; del b[2]; a @ == b
a := dict {1: 1}; a.clear; show a; len a; a[1] = 2; show a; a.clear 1; a.get; a.pop; a.copy 1 | 2
a := dict {1: 2}; b := dict {1: 3, 4: 5}; a @ | b; b @ | a; c = a @ |= b; show a; show c; a @ | 5
a := dict {1: 2}; a @ |= [(3, 4)]; show a; a @ |= 5; a @ |= [5]; a @ & a; a @ < a; a @ == 5
a := dict {1: 2, 3: 4}; b = a.keys; c = a.values; d = a.items; show b; show c; show d; len d
a := dict {1: 2, 3: 4}; b = a.keys; a[5] = 6; show b; 5 @ in b; len b; b.isdisjoint [7]; b.isdisjoint [5]
a := dict {1: 2, 3: 4}; b = a.items; (1, 2) @ in b; (1, 3) @ in b; [1, 2] @ in b; ([], 2) @ in b
a := dict {1: 2, 3: 4}; b = a.values; 4 @ in b; 5 @ in b; c = a.values; b @ == c; b @ == b
a := dict {1: 2, 3: 4}; b = a.keys; b @ & [1, 9]; b @ | [9]; b @ - [1]; b @ ^ [1, 9]; [1, 9] @ & b
a := dict {1: 2, 3: 4}; b = a.keys; [1, 9] @ - b; [1, 9] @ | b; [1, 9] @ ^ b; b @ & 5; 5 @ | b
a := dict {1: 2}; b := dict {1: 5}; c = a.keys; d = b.keys; c @ == d; c @ < d; c @ <= d; c @ > d; c @ != d
a := dict {1: 2}; b := dict {1: 2, 3: 4}; c = a.items; d = b.items; c @ < d; c @ <= d; d @ >= c; c @ & d
a := dict {1: 2}; b := set [1]; c = a.keys; c @ == b; b @ == c; b @ <= c; b @ | c; b @ & c; c @ - b
a := dict {1: 2}; b := set [1, 5]; c = a.keys; b @ -= c; b @ - c; c @ <= 3; c @ == 3; c @ | 3
a := dict {1: 2, 3: 4, 5: 6}; b = a.__reversed__; next b; next b; next b; next b; next b
a := dict {1: 2, 3: 4}; b = a.items; c = b.__reversed__; next c; next c; d = a.values; e = d.__reversed__; next e
a := dict {1: 2, 3: 4}; b := iter a; next b; a[9] = 9; next b; next b; del a[9]; next b
a := dict {1: 2, 3: 4}; b := iter a; next b; next b; next b; a[9] = 9; next b
a := dict {1: 2, 3: 4}; b := iter a; next b; a[1] = 7; a[3] = 8; next b; next b
b := iter [(1, 2), (3, 4)]; a := dict b; show a; b := iter [(5, 6)]; a.update b; show a; c := list b; show c
a := dict {1: 1.0, 2: 'x', None: (1, [2]), (1, 2): None, 'k': {}, -1: -2, True: False}; show a
a := dict {1: 2}; a.fromkeys [1, 2]; a.fromkeys 'abc' | 0; a.fromkeys 5; a.fromkeys; a.fromkeys 1 | 2 | 3
a := dict {1: []}; a[1] = a; show a; b = a.values; show b; a.clear; show a
a := dict {0.5: 1, 1.5: 2, 1.0e300: 3, inf: 4, -0.0: 5}; a[0]; a[1.0e300]; a[inf]; show a
a := dict {9223372036854775807: 1, 2305843009213693951: 2, -9223372036854775807: 3}; show a; a[2305843009213693951]
a := dict {-1: 1, -2: 2}; a[-1]; a[-2]; a[-1.0]; a[-2.0]; del a[-1]; show a; 2305843009213693951 @ in a
a := dict {1: 2}; a.__len__; a.__contains__ 1; a.__getitem__ 1; a.__delitem__ 2
a := dict {1: 2}; a.__setitem__ 1 | 3; a.__eq__ {1: 3}; a.__eq__ 5; a.__ne__ {1: 3}; a.__or__ {2: 2}; a.__or__ 5
a := dict {1: 2}; a.__ror__ {3: 4}; a.__repr__; b = a.__iter__; next b; a.__init__ {5: 6}; show a
"""

SET = """
a := set [1, 2, 3]; show a; a.add 4; a.add 2.0; a.add True; show a; a.discard 9; a.discard 1; show a
a := set []; show a; len a; a.pop; a.remove 1; a.remove 'x'; a.add []; a.add {}; a.clear; show a
a := frozenset [1, 2]; show a; b := frozenset []; show b; a @ | b; a.add 1; b.copy; a @ == b
a := set [3, 1, 2]; b := frozenset [1, 2, 3]; a @ == b; a @ <= b; a @ < b; b @ >= a; a @ != b; a @ == 5
a := set [1]; a @ | [2]; a @ & 5; a @ - 'x'; a @ ^ None; a @ |= [2]; a @ < 5; a @ <= [1]
a := set [1, 2]; b := frozenset [2, 3]; a @ | b; b @ | a; a @ & b; b @ & a; a @ - b; b @ - a; a @ ^ b; b @ ^ a
a := set [1, 2]; b = a @ |= a; show b; b = a @ &= a; show b; b = a @ ^= a; show b; show a; a.add 5; show b
a := frozenset [1, 2]; b = a @ |= a; show b; b = a @ -= a; show b; show a
a := set 'a'; a.union 'a'; a.union; a.intersection; a.difference; show a; a.update; show a
a := set [1, 2, 3]; a.intersection [1, 2] | [2, 3]; a.difference [1] | [2]; a.symmetric_difference [3, 4]
a := set [1, 2, 3]; a.update [4] | [5, 6]; show a; a.difference_update [1] | [4]; show a
a := set [1, 2, 3]; a.intersection_update [1, 2] | [2]; show a; a.symmetric_difference_update [1, 2]; show a
a := set [1, 2, 3]; a.issubset [1, 2, 3, 4]; a.issuperset [1]; a.isdisjoint [4]; a.isdisjoint [3]; a.issubset 5
a := set [1, 2]; a.add; a.add 1 | 2; a.pop 1; a.clear 1; a.union 5; a.issubset; a.discard []; a.remove []
a := set [1, 2]; b := frozenset [1, 2]; c := set []; c.add b; show c; a @ in c; c.remove a; show c; c.remove a
a := set [1]; a := set 5; a := set None; a := set [[1]]; a := frozenset 1
a := set [0.5, 1.0e300, -0.0, inf, 2.5]; show a; 0 @ in a; inf @ in a; a.pop; a.pop; show a
a := set [(1, 2), (1,), (), (1, (2, 3)), ('x', 0.5)]; len a; (1, (2, 3)) @ in a; (1, 2.0) @ in a
a := set [(1, 2), (2, 1), (0, 0), (3, 5), (-1, -2), (7,), (1, 2, 3), (), (0,)]; show a
a := set [(0.5, 1), (1.5, 2), (2.5, 3), ((1, 2), 3), ((), ()), (True, 0)]; show a
a := set [9223372036854775807, -9223372036854775807, 2305843009213693951, 2305843009213693952, -2305843009213693951, -1, -2]; show a
a := iter [1, 2]; b := set a; show b; next a; c := iter [3, 4]; b.update c; show b; next c
a := set [1, 2, 3]; b := iter a; next b; a.add 9; next b; next b; a.discard 9; next b
a := set [1, 2, 3]; b := iter a; next b; next b; next b; next b; a.add 7; next b
a := set {5: 6, 7: 8}; show a; a @ - a; a.difference {5: 1}; a.intersection {5: 1}; a.union {9: 9}
a := set [1, 2, 3]; a.symmetric_difference_update {3: 4, 5: 6}; show a; a.difference_update {1: 1}; show a
a := set [1, 2, 3]; a.__init__ [7, 8]; show a; a.__contains__ 7; a.__len__; a.__or__ 5; a.__eq__ 5; a.__repr__
a := frozenset [1, 2, 3]; b = a.copy; b @ == a; b := frozenset a; c = a.union [9]; show c; a.__and__ b
a := set range(0, 20, 1); show a; a.difference_update range(0, 15, 1); show a; a.pop; a.pop; show a
a := set [8, 16, 24, 0, 1]; show a; a.discard 8; a.add 32; show a; a.add 8; show a; b = a.copy; show b
a := set [1, 9, 17]; a.discard 1; b := set a; show b; b.add 1; show b; a.add 25; show a; a.pop; a.pop; show a
"""

# --- Random walks -----------------------------------------------------------------------------


def key(rng):
    return rng.choice([
        lambda: str(rng.randint(-20, 40)),
        lambda: str(rng.randint(0, 12) * 8),
        lambda: str(rng.randint(-10**6, 10**6)),
        lambda: str(rng.randint(-2**63, 2**63 - 1)),
        lambda: repr(rng.randint(-20, 20) / 2),
        lambda: repr((rng.randint(0, 3), rng.randint(0, 3))),
    ])()


def keys(rng, most):
    return "[" + ", ".join(key(rng) for _ in range(rng.randint(0, most))) + "]"


def set_walk(rng):
    most = rng.choice([4, 12, 30])
    lines = [f"a := set {keys(rng, most)}", f"b := {rng.choice(['set', 'frozenset'])} {keys(rng, most)}",
             f"d := dict [{', '.join(f'({key(rng)}, 0)' for _ in range(rng.randint(0, 9)))}]"]
    for _ in range(rng.randint(4, 16)):
        lines.append(rng.choice([
            lambda: f"a.add {key(rng)}",
            lambda: f"a.discard {key(rng)}",
            lambda: "; ".join(f"a.discard {i}" for i in rng.sample(range(-10, 40), 8)),
            lambda: "; ".join(f"a.add {i}" for i in rng.sample(range(-10, 40), 8)),
            lambda: "a.pop",
            lambda: f"a.update {keys(rng, most)}",
            lambda: f"a.difference_update {keys(rng, most)} | {keys(rng, 3)}",
            lambda: f"a.symmetric_difference_update {keys(rng, most)}",
            lambda: f"a = a @ {rng.choice('|&-^')} b",
            lambda: f"c = b @ {rng.choice('|&-^')} a; show c",
            lambda: f"a @ {rng.choice('|&-^')}= b",
            lambda: f"a.{rng.choice(['union', 'intersection', 'difference'])} d | b",
            lambda: "a.symmetric_difference d",
            lambda: "c = a.copy; show c",
            lambda: f"c := frozenset {keys(rng, most)}; c @ {rng.choice('|&-^')} a",
            lambda: f"a @ {rng.choice(['<', '<=', '==', '>='])} b",
        ])())
        if rng.random() < 0.5:
            lines.append("show a")
    return "; ".join(lines) + "; show a"


def dict_walk(rng):
    lines = ["a := dict {}", f"b := dict [{', '.join(f'({key(rng)}, 0)' for _ in range(9))}]"]
    for i in range(rng.randint(5, 60)):
        lines.append(rng.choice([
            lambda: f"a[{key(rng)}] = {i}",
            lambda: f"a[{key(rng)}] = {i}",
            lambda: f"a.pop {key(rng)} | None",
            lambda: f"a.setdefault {key(rng)} | {i}",
            lambda: "a.popitem",
            lambda: f"a.get {key(rng)}",
            lambda: f"{key(rng)} @ in a",
            lambda: "c = a.copy; a @ == c",
            lambda: "a @ |= b" if rng.random() < 0.2 else "len a",
        ])())
    return "; ".join(lines) + "; show a"


def programs(which):
    rng = random.Random(11)
    written = (DICT if which == "dict" else SET).strip().split("\n")
    walk = dict_walk if which == "dict" else set_walk
    return written + [walk(rng) for _ in range(40)]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main():
    which = sys.argv[1]
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Copyright 2026 The Nacre Authors")
    print("//")
    print(f"// Programs over {which}s, written by make_programs.py.")
    print()
    for program in programs(which):
        if len(program) < 4000:
            print("{" + quoted(program) + ",\n " + quoted(outcome(program)) + "},")


if __name__ == "__main__":
    main()
