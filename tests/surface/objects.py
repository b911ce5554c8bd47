# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
#
# Objects that stand in the place of an argument in the object test. Each is made of the argument itself.
import math
from collections import deque, namedtuple
from enum import IntEnum
from fractions import Fraction


class Failure(Exception):
    pass


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return int(self.value)


class Float:
    def __init__(self, value):
        self.value = value

    def __float__(self):
        return float(self.value)


class Complex:
    def __init__(self, value):
        self.value = value

    def __complex__(self):
        return complex(self.value)


class Truth:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        return bool(self.value)


class Array:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return np.array(self.value, dtype=dtype)


class Sequence:
    def __init__(self, value):
        self.value = value

    def __len__(self):
        return len(self.value)

    def __getitem__(self, i):
        return self.value[i]


class Iterable:
    def __init__(self, value):
        self.value = value

    def __iter__(self):
        return iter(self.value)


class Text:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return "<text>"


class Raising:
    def __init__(self, value):
        self.value = value

    def _fail(self, *args, **keywords):
        raise Failure("no")

    __index__ = __float__ = __complex__ = __int__ = __array__ = __len__ = __getitem__ = __iter__ = __bool__ = _fail
    __repr__ = __str__ = __eq__ = __hash__ = _fail


class MyInt(int):
    pass


class MyFloat(float):
    pass


class MyStr(str):
    pass


class MyList(list):
    pass


class MyTuple(tuple):
    pass


class MyDict(dict):
    pass


class MyBytes(bytes):
    pass


class Member(IntEnum):
    M0 = 0
    M1 = 1
    M2 = 2
    M3 = 3


Pair = namedtuple("Pair", "first second")


def derived(value):
    for cls in (MyInt, MyFloat, MyStr, MyList, MyTuple, MyDict, MyBytes):
        if isinstance(value, cls.__mro__[1]) and not isinstance(value, bool):
            return cls(value)
    return MyList(np.asarray(value).tolist()) if np.ndim(value) else MyFloat(value)


def named(value):
    items = list(value)[:2] if np.ndim(value) else [value, value]
    return Pair(*(items + items)[:2])


def generator(value):
    return (x for x in value)
