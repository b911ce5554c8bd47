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

    x = nacre.array(x, split=0)
    nacre.split_of(x), nacre.lshape(x), nacre.resplit(x, 1)
    comm.rank, comm.size, comm.allreduce(x)

    y = nacre.to(x, 'cuda:0')
    with nacre.device('cuda'):
        z = np.sin(x) * 2

Where arrays are, and where work on them is done (docs/backends.md).

Distribution by hand, and `comm`, are about programs that run as several processes or threads at once
(docs/ranks.md). Here there is one rank, which has every array whole.
"""

import copy
import operator
from itertools import product

import numpy as np

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


# --- Arrays that are distributed by hand ------------------------------------------------------------


def _new(shape, dtype, split, counts):
    """A new array, not written; what is asked for is looked at as where there are many ranks."""
    if split is None:
        if counts is not None:
            raise ValueError('counts= is about the axis that split= names, and there is none')
        return np.empty(shape, dtype)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    axis = np.lib.array_utils.normalize_axis_index(split, len(shape))
    if counts is not None:
        counts = [int(count) for count in counts]
        if len(counts) != 1:
            raise ValueError(f'counts has {len(counts)} lengths, and there are 1 ranks')
        if counts[0] != shape[axis]:
            raise ValueError(f'counts {counts} are no parts of an axis of {shape[axis]}')
    # Each rank's part is contiguous, so the axis that is cut is the outermost in memory.
    return np.moveaxis(np.empty((shape[axis], *shape[:axis], *shape[axis + 1:]), dtype), 0, axis)


def _grid(grid, ndim):
    if grid is True:
        return
    grid = tuple(operator.index(count) for count in grid)
    if any(count != 1 for count in grid):
        raise ValueError(f'a grid of {grid} is not of 1 ranks')
    if len(grid) > min(ndim, 3):
        raise ValueError(f'a grid of {grid} has more dimensions than {"three" if ndim > 3 else "the array"}')


def distribute(x, split=0, *, counts=None, grid=None):
    """A copy of the array."""
    x = np.asarray(x)
    if grid is not None:
        if counts is not None:
            raise ValueError('counts= is about the axis that split= names, and a grid has several')
        _grid(grid, x.ndim)
        return x.copy()
    y = _new(x.shape, x.dtype, split, counts)
    y[...] = x
    return y


def array(x, dtype=None, *, split=0, counts=None, grid=None):
    """numpy.array."""
    return distribute(np.asarray(x, dtype), split, counts=counts, grid=grid)


def full(shape, value, dtype=None, *, split=0, counts=None, grid=None):
    """numpy.full."""
    if grid is not None:
        return distribute(np.broadcast_to(np.asarray(value, dtype), shape), counts=counts, grid=grid)
    y = _new(shape, np.asarray(value).dtype if dtype is None else np.dtype(dtype), split, counts)
    y[...] = value
    return y


def zeros(shape, dtype=float, *, split=0, counts=None, grid=None):
    """numpy.zeros."""
    return full(shape, 0, dtype, split=split, counts=counts, grid=grid)


def ones(shape, dtype=float, *, split=0, counts=None, grid=None):
    """numpy.ones."""
    return full(shape, 1, dtype, split=split, counts=counts, grid=grid)


def empty(shape, dtype=float, *, split=0, counts=None, grid=None):
    """numpy.zeros."""
    return zeros(shape, dtype, split=split, counts=counts, grid=grid)


def arange(*args, dtype=None, split=0, counts=None):
    """numpy.arange."""
    return distribute(np.arange(*args, dtype=dtype), split, counts=counts)


def resplit(x, axis=None, *, counts=None, grid=None):
    """A copy of the array."""
    return distribute(x, axis, counts=counts, grid=grid)


def _array(x):
    if not isinstance(x, np.ndarray):
        raise TypeError(f'an array is needed, not {type(x).__name__}')
    return x


def split_of(x):
    """The axis along which an array is cut: None, as the one rank has all of it."""
    _array(x)
    return None


def bounds(x):
    """(low, high) for each rank: None, as nothing is cut."""
    _array(x)
    return None


def lshape_map(x):
    """The shapes of all ranks' parts."""
    return [_array(x).shape]


def lshape(x):
    """The shape of this rank's part."""
    return _array(x).shape


def local(x):
    """A copy of this rank's part."""
    return _array(x).copy()


def from_local(part, split=0, *, grid=None):
    """One array of the parts that the ranks have: a copy of the one part."""
    if grid is not None:
        return distribute(part, grid=grid)
    return distribute(part, np.lib.array_utils.normalize_axis_index(split, np.ndim(part)))


def BlockScatter(x, root=0, *, split=0, grid=None):
    """distribute, by dace.comm's name."""
    comm._member(root)
    return distribute(x, split, grid=grid)


def BlockGather(x, root=0):
    """resplit(x, None), by dace.comm's name."""
    comm._member(root)
    return resplit(x, None)


class device:
    """with nacre.device('cuda'): array work in the block is done there; here it is the processor's all the same."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *about):
        pass

    def __repr__(self):
        return f'nacre.device({self.name!r})'


def to(x, name):
    """A copy of an array with its elements in a device's memory; here they are in the processor's."""
    return np.array(x, subok=True)


def device_of(x):
    """Name of the device where the elements of an array were made."""
    return 'cpu'


class alone:
    """with nacre.alone(): where there are many ranks, each does the block by itself."""

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False


# --- What ranks say to each other ---------------------------------------------------------------------

_OPERATIONS = ('sum', 'prod', 'min', 'max')


class Request:
    """What Isend and Irecv return: wait() comes back when the array may be used."""

    def __init__(self, comm=None, tag=0, into=None):
        self._comm, self._tag, self._into = comm, tag, into
        self._value = None
        self._done = comm is None
        if comm is not None:
            comm._waiting.setdefault(tag, []).append(self)

    def wait(self):
        """The value, where it is no array that was given."""
        while not self._done:
            self._comm._waiting[self._tag].pop(0)._complete()
        return self._value

    Wait = wait

    def _complete(self):
        self._done = True
        value = self._comm._take(self._tag)
        if self._into is None:
            self._value = value
            return
        into = self._into
        if not isinstance(value, np.ndarray) or value.dtype != into.dtype or value.size != into.size:
            got = f'{value.shape} of {value.dtype}' if isinstance(value, np.ndarray) else f'a {type(value).__name__}'
            raise ValueError(f'rank 0 has sent {got}, and the array for it is {into.shape} of {into.dtype}')
        into[...] = value.reshape(into.shape)


def Waitall(requests):
    """Waits for all of them."""
    for request in requests:
        request.wait()


class Comm:
    """What `comm` is: the ranks that run this program together (nacre -n 4), here one, which may send to itself."""

    def __init__(self):
        self._waiting, self._sent = {}, {}

    @property
    def rank(self):
        """The number of this rank, from 0."""
        return 0

    @property
    def size(self):
        """How many there are."""
        return 1

    @property
    def ranks(self):
        """Their numbers among all that run the program."""
        return (0,)

    def Get_rank(self):
        return 0

    def Get_size(self):
        return 1

    def __repr__(self):
        return '<1 rank>'

    def _member(self, rank):
        if operator.index(rank) != 0:
            raise ValueError(f'there is no rank {rank} among 1')

    def _take(self, tag):
        if not self._sent.get(tag):
            raise RuntimeError('rank 0 waits for what it has not sent to itself')
        return self._sent[tag].pop(0)

    def send(self, value, dest, tag=0):
        """Sends numbers, text, arrays, and containers of those. Does not wait for the receiver: the value is copied."""
        self._member(dest)
        self._sent.setdefault(_natural(tag), []).append(copy.deepcopy(value))

    def recv(self, source, tag=0):
        """Waits for what a rank sends with this tag."""
        self._member(source)
        return Request(self, _natural(tag)).wait()

    def Isend(self, array, dest, tag=0):
        """Sends an array, or a part of one, which may be written at once: it is copied."""
        self.send(_buffer(array), dest, tag)
        return Request()

    def Irecv(self, array, source, tag=0):
        """What a rank sends will be written to an array, or a part of one, by the wait() of what is returned."""
        self._member(source)
        return Request(self, _natural(tag), _buffer(array))

    def Send(self, array, dest, tag=0):
        """Sends an array, or a part of one."""
        self.send(_buffer(array), dest, tag)

    def Recv(self, array, source, tag=0):
        """Waits for an array, and writes its elements to the one that is given, or to a part of one."""
        self.Irecv(array, source, tag).wait()

    def Waitall(self, requests):
        """Waits for all of them."""
        Waitall(requests)

    def barrier(self):
        """Returns on every rank once all of them have called it."""

    Barrier = barrier

    def bcast(self, value, root=0):
        """The value that rank `root` has, on all."""
        self._member(root)
        return value

    def scatter(self, values, root=0):
        """Of a list that rank `root` has, the value for this rank."""
        self._member(root)
        if len(values) != 1:
            raise ValueError(f'there are {len(values)} values for 1 ranks')
        return values[0]

    def gather(self, value, root=0):
        """A list of the values of all ranks, in their order, on rank `root`."""
        self._member(root)
        return [value]

    def allgather(self, value):
        """A list of the values of all ranks, in their order."""
        return [value]

    def allreduce(self, value, op='sum'):
        """The values of all ranks added, or what `op` says: the one value."""
        if not callable(op) and op not in _OPERATIONS:
            raise ValueError(f'op is a function or one of {", ".join(_OPERATIONS)}, not {op!r}')
        return value

    def reduce(self, value, op='sum', root=0):
        """The same on rank `root`."""
        self._member(root)
        return self.allreduce(value, op)

    def split(self, color, key=0):
        """The ranks that call it with the same color; None where that is None."""
        return None if color is None else Comm()

    Split = split


def _natural(tag):
    if not isinstance(tag, int) or tag < 0:
        raise ValueError(f'a tag is an int from 0 on, not {tag!r}')
    return tag


def _buffer(array):
    if not isinstance(array, np.ndarray):
        raise TypeError(f'an array is needed, or a part of one, not {type(array).__name__}')
    return array


comm = Comm()
