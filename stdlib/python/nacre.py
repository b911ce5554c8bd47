# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""What NumPy has no words for: types in annotations, for compilation ahead of time.

    from nacre import float64, sizes

    N, M = sizes('N M')

    def scale(a: float64, x: float64[N, M]) -> float64[N, M]:
        return a * x

A size that is named twice is the same size. Annotations change nothing in a program that is
interpreted. This is the module of that name for CPython.

    for i, j in nacre.map[0:N, 0:M]:
        total += a[i, j]

`map` declares that the rounds of a loop may be made in any order, or at the same time: what one of
them writes no other one reads or writes, but for sums (`x += …`), products, minima and maxima, whose
terms may be added in another order.

    comm.rank, comm.size, comm.barrier()

`comm` is about programs that run as several processes or threads at once.
"""

from itertools import product

__all__ = ['Size', 'Type', 'sizes', 'bool_', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16',
           'uint32', 'uint64', 'float32', 'float64']


class Size:
    """A size with a name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


def sizes(names):
    """Sizes with the names in a text, which has blanks or commas in between; one alone is no tuple."""
    made = tuple(Size(name) for name in names.replace(',', ' ').split())
    return made[0] if len(made) == 1 else made


class Type:
    """The type of a number; T[N, 3] is that of an array of such numbers."""

    def __init__(self, text):
        self.text = text

    def __getitem__(self, shape):
        if not isinstance(shape, tuple):
            shape = (shape,)
        for size in shape:
            if not isinstance(size, (int, Size)):
                raise TypeError(f'a size is an int or of sizes(), not {type(size).__name__}')
        return Type(self.text + '[' + ', '.join(repr(size) for size in shape) + ']')

    def __repr__(self):
        return self.text


bool_ = Type('bool')
int8 = Type('int8')
int16 = Type('int16')
int32 = Type('int32')
int64 = Type('int64')
uint8 = Type('uint8')
uint16 = Type('uint16')
uint32 = Type('uint32')
uint64 = Type('uint64')
float32 = Type('float32')
float64 = Type('float64')

class Map:
    """What `map` is: map[slices] iterates over the points of the slices, in row-major order."""

    def __getitem__(self, key):
        axes = key if isinstance(key, tuple) else (key,)
        ranges = []
        for axis in axes:
            if not isinstance(axis, slice) or axis.stop is None:
                raise TypeError('nacre.map takes slices that have an end')
            ranges.append(range(0 if axis.start is None else axis.start, axis.stop,
                                1 if axis.step is None else axis.step))
        return iter(ranges[0]) if len(ranges) == 1 else product(*ranges)


map = Map()


class Comm:
    """What `comm` is: the ranks that run this program together (nacre -n 4), under CPython one. Each runs all of it; arrays that are
    large are shared out between them, and what reaches outside is done by rank 0. A program that does not look at its rank does
    the same on all of them. Who makes one rank do something else keeps to what needs no other: scalars, lists, small arrays."""

    @property
    def rank(self):
        """The number of this rank, from 0."""
        return 0

    @property
    def size(self):
        """How many there are."""
        return 1

    def barrier(self):
        """Returns on every rank once all of them have called it."""

    def __repr__(self):
        return f'<{self.size} rank{"s" * (self.size != 1)}>'


comm = Comm()
