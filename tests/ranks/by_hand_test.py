#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Any distribution to any other and back changes no element, and nacre says of each how it lies: random shapes (with
extents of 0 and 1, and fewer rows than ranks), dtypes, axes, uneven parts, and views with steps and backwards, on 1 to 7
ranks, and on 3 over MPI where that is there, with each collective step compared between them. Each rank looks at its own part
against the array that all have. The same for boxes over grids of ranks.

And messages between random ranks, in random order, with communicators of some of them.

usage: by_hand_test.py NACRE [--seed S] [--rounds N]
"""

import argparse
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "run"))

import process  # noqa: E402
from sanitizers import sanitizers_of, without_leaks  # noqa: E402

LOOPBACK, MPI = "loopback", "mpi"
# Ranks, bytes from which on all arrays are cut, transport.
WAYS = ((1, None, LOOPBACK), (2, 1, LOOPBACK), (3, 1 << 20, LOOPBACK), (4, 1, LOOPBACK), (5, 300, LOOPBACK), (6, 1, LOOPBACK), (7, 1, LOOPBACK),
        (8, 1, LOOPBACK), (4, 1, MPI))
SECONDS = 60

PROGRAM = r'''
import random
import numpy as np
import nacre
from nacre import comm

rng = random.Random(SEED)
checks = 0
DTYPES = ('float64', 'float64', 'float32', 'int8', 'uint16', 'int64', 'bool', 'complex64', 'complex128')


def check(good, *about):
    """Counted on all ranks; what one finds wrong all of them hear of."""
    global checks
    checks += 1
    wrong = [note for note in comm.allgather(None if good else repr(about)) if note]
    assert not wrong, wrong


def new_array():
    ndim = rng.choice((1, 1, 2, 2, 2, 3, 4))
    shape = tuple(rng.choice((0, 1, 1, 2, 3, 4, 5, 8, 11, 16)) for _ in range(ndim))
    dtype = rng.choice(DTYPES)
    numbers = (np.arange(int(np.prod(shape))) * 7 % 251).reshape(shape)
    x = (numbers % 2 == 0) if dtype == 'bool' else numbers.astype(dtype)
    return x * (1 - 2j) if dtype[0] == 'c' else x


def some_counts(length):
    cuts = sorted(rng.randint(0, length) for _ in range(comm.size - 1))
    return [high - low for low, high in zip([0] + cuts, cuts + [length])]


def some_view(x):
    """The same view of two arrays, as a function."""
    kind = rng.randrange(5)
    if kind == 0:
        axes = list(range(x.ndim))
        rng.shuffle(axes)
        return lambda a: a.transpose(axes)
    slices = []
    for length in x.shape:
        if kind == 1 or length == 0:
            slices.append(slice(None, None, rng.choice((1, -1))))
        else:
            low = rng.randint(0, length)
            slices.append(slice(low, rng.randint(low, length), rng.choice((1, 2, 3))))
    if kind == 4:
        slices[rng.randrange(x.ndim)] = slice(None, None, -2)
    key = tuple(slices)
    return lambda a: a[key]


def place(y, x, split, counts, *about):
    """Whether y lies as it was asked for, and has the elements of x."""
    where = nacre.split_of(y)
    cut = split is not None and x.size > 0 and comm.size > 1
    if cut and x.size == 1:  # each axis is as good
        check(where is not None, 'split', *about)
    else:
        check(where == (split % x.ndim if cut else None), 'split', where, split, *about)
    shapes, bounds = nacre.lshape_map(y), nacre.bounds(y)
    check(shapes[comm.rank] == nacre.lshape(y) and len(shapes) == comm.size, shapes, *about)
    if not cut:
        check(shapes == [x.shape] * comm.size and bounds is None, shapes, *about)
        mine = x
    else:
        lengths = [high - low for low, high in bounds]
        even = [x.shape[where] * (r + 1) // comm.size - x.shape[where] * r // comm.size for r in range(comm.size)]
        check(lengths == (counts if counts is not None else even), lengths, counts, *about)
        check([shape[where] for shape in shapes] == lengths and bounds[-1][1] == x.shape[where], shapes, *about)
        low, high = bounds[comm.rank]
        mine = x[(slice(None),) * where + (slice(low, high),)]
    own = nacre.local(y)
    with nacre.alone():
        good = own.shape == mine.shape and own.dtype == x.dtype and own.tolist() == mine.tolist()
    check(good, 'part', *about)
    if cut:
        check(np.array_equal(nacre.from_local(own, where), x), 'from_local', *about)
        check(nacre.bounds(nacre.from_local(own, where)) == bounds, 'its bounds', *about)


def some_split(x):
    split = rng.choice((None,) + tuple(range(-x.ndim, x.ndim)))
    counts = some_counts(x.shape[split]) if split is not None and rng.random() < 0.4 else None
    return split, counts


def distributions():
    x = new_array()
    whole = nacre.resplit(x, None)  # every rank's, and nothing of the way it went
    with nacre.alone():
        common = nacre.local(whole)
    y = x
    way = [x.shape, str(x.dtype)]
    for _ in range(rng.randint(1, 4)):
        split, counts = some_split(x)
        way.append((split, counts))
        y = nacre.resplit(y, split, counts=counts)
        if rng.random() < 0.3:
            check(np.array_equal(y, x), 'looked at', *way)  # it stays where it was
        place(y, whole, split, counts, *way)
    view = some_view(x)
    split, counts = some_split(view(x))
    if view(x).ndim:
        place(nacre.resplit(view(y), split, counts=counts), nacre.resplit(view(whole), None), split, counts, 'view', *way)
    if x.ndim > 1 and x.size and comm.size > 1:  # written and computed with where it lies
        split = rng.randrange(x.ndim)
        y = nacre.resplit(x, split)
        z = y + y
        bounds = nacre.bounds(y)
        check(1 in x.shape or (nacre.split_of(z), nacre.bounds(z)) == (split, bounds), 'sum', split, *way)
        check(np.array_equal(z, x + x), 'elements of the sum', split, *way)
        y[...] = y[(slice(None, None, -1),) * x.ndim]
        check(np.array_equal(y, x[(slice(None, None, -1),) * x.ndim]) and nacre.bounds(y) == bounds, 'written', *way)
    assert common is not None


def some_grid(ndim):
    """Ranks along up to three axes."""
    left, grid = comm.size, []
    for _ in range(rng.randint(1, min(ndim, 3)) - 1):
        grid.append(rng.choice([count for count in range(1, left + 1) if left % count == 0]))
        left //= grid[-1]
    return tuple(grid) + (left,)


def in_boxes(y, x, *about):
    """Whether y has the elements of x, each rank its box."""
    axes, boxes, shapes = nacre.split_of(y), nacre.bounds(y), nacre.lshape_map(y)
    check(type(axes) is tuple, 'axes', axes, *about)
    x = nacre.resplit(x, None)
    owners = np.zeros(x.shape, int)
    keys = []
    for box, shape in zip(boxes, shapes):
        key = [slice(None)] * x.ndim
        for axis, (low, high) in zip(axes, box):
            key[axis] = slice(low, high)
        keys.append(tuple(key))
        owners[keys[-1]] += 1
        check(x[keys[-1]].shape == shape, 'shape', shape, *about)
    check(bool((owners == 1).all()), 'owners', boxes, *about)
    check(nacre.lshape(y) == shapes[comm.rank], 'lshape', *about)
    own = nacre.local(y)
    mine = x[keys[comm.rank]]
    with nacre.alone():
        good = own.shape == mine.shape and own.dtype == x.dtype and own.tolist() == mine.tolist()
    check(good, 'box', *about)


def grids():
    """Boxes over a grid of ranks, and from any layout to any other."""
    x = new_array()
    if x.size == 0 or comm.size == 1:
        return
    whole = nacre.resplit(x, None)
    with nacre.alone():
        common = nacre.local(whole)
    y, way = x, [x.shape, str(x.dtype)]
    for _ in range(rng.randint(1, 4)):
        if rng.random() < 0.3:
            split, counts = some_split(x)
            y = nacre.resplit(y, split, counts=counts)
            way.append((split, counts))
            place(y, whole, split, counts, *way)
            continue
        grid = rng.choice((True, some_grid(x.ndim), some_grid(x.ndim)))
        y = nacre.distribute(y, grid=grid)
        way.append(grid)
        in_boxes(y, whole, *way)
        if grid is not True:
            joined = nacre.from_local(nacre.local(y), grid=grid)
            check(nacre.bounds(joined) == nacre.bounds(y), 'bounds of from_local', *way)
            in_boxes(joined, whole, 'from_local', *way)
        if rng.random() < 0.3:
            check(np.array_equal(y, x), 'looked at', *way)
            in_boxes(y, whole, 'looked at', *way)
        if x.dtype != bool:
            in_boxes(y + y, whole + whole, 'sum', *way)
        if rng.random() < 0.3:
            key = tuple(rng.randrange(length) for length in x.shape)
            check(y[key] == x[key], 'element', key, *way)
        turned = tuple(slice(None, None, -1) for _ in x.shape)
        y[...] = y[turned]
        in_boxes(y, whole[turned], 'turned', *way)
        y[...] = y[turned]
        view = some_view(x)
        check(np.array_equal(view(y), view(x)), 'view', *way)  # it may be brought into rows for that
    assert common is not None


def messages():
    """What all ranks send to each other, drawn by all of them alike."""
    size, me = comm.size, comm.rank
    members = comm if rng.random() < 0.5 else comm.split(rng.choice((me % 2, me // 2, 0)), rng.choice((me, -me)))
    size, me = members.size, members.rank
    requests, expected = [], []
    with nacre.alone():
        plan = [(rng.random(), rng.random(), rng.randrange(3), new_array()) for _ in range(rng.randint(1, 12))]
        plan = [(int(a * size), int(b * size), tag, x) for a, b, tag, x in plan]
        for a, b, tag, x in plan:
            if a == me:
                members.Isend(x[::-1], b, tag)
        for a, b, tag, x in plan:
            if b == me:
                room = np.zeros((2,) + x.shape, x.dtype)
                requests.append(members.Irecv(room[1], a, tag))
                expected.append((room, x[::-1]))
        order = list(range(len(requests)))
        random.Random(me).shuffle(order)
        for i in order:
            requests[i].wait()
        good = all(room[1].tolist() == x.tolist() and not room[0].any() for room, x in expected)
    check(good, 'messages', plan and [p[:3] for p in plan])
    root = int(rng.random() * size)
    check(members.bcast(('from', me), root) == ('from', root), 'bcast')
    check(members.allgather(me) == list(range(size)), 'allgather')
    check(members.allreduce(str(me), lambda a, b: a + b) == ''.join(map(str, range(size))), 'order of allreduce')
    check(members.gather(me, root) == (list(range(size)) if me == root else None), 'gather')
    check(members.scatter([r * r for r in range(size)] if me == root else None, root) == me * me, 'scatter')


for _ in range(ROUNDS):
    distributions()
    grids()
for _ in range(ROUNDS // 4):
    messages()
print('checks:', checks)
'''


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nacre")
    parser.add_argument("--seed", default="by hand")
    parser.add_argument("--rounds", type=int)
    options = parser.parse_args()
    options.nacre = os.path.abspath(options.nacre)
    options.slow = 8 if sanitizers_of(options.nacre) else 1
    options.rounds = options.rounds or (8 if options.slow > 1 or "NACRE_STRESS" in os.environ else 40)
    return options


def has_mpi(options):
    """As `nacre info` tells."""
    lines = process.run([options.nacre, "info"], SECONDS).out.splitlines()
    return any(line.startswith("-n: ") and "--transport mpi (" in line for line in lines)


def run_one(options, folder, ranks, least, transport):
    """What is wrong; None: nothing."""
    path = os.path.join(folder, "by_hand_%d.ncr" % ranks)
    with open(path, "w", encoding="utf-8") as file:
        file.write(PROGRAM.replace("SEED", repr("%s/%d" % (options.seed, ranks))).replace("ROUNDS", str(options.rounds)))
    command = [options.nacre, "-n", str(ranks), "--transport", transport, "--check-ranks"]
    done = process.run(command + (["--split-least", str(least)] if least else []) + [path], SECONDS * options.slow,
                       without_leaks() if transport == MPI else None)
    match = re.fullmatch(r"checks: (\d+)\n", done.out)
    if done.timed_out or done.status != 0 or not match or int(match.group(1)) < 8 * options.rounds:
        return "%s\n%s%s" % ("no end" if done.timed_out else "exit status %s" % done.status, done.out[-1000:],
                             done.err[-3000:])
    return None


def main():
    options = parse_arguments()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="nacre-by-hand-") as folder:
        ways = [way for way in WAYS if way[2] == LOOPBACK or has_mpi(options)]
        for way in ways:
            problem = run_one(options, folder, *way)
            if problem:
                bad += 1
                print("FAILED on %d ranks that cut from %s bytes on, %s: %s" % (way + (problem,)))
    print("%d ways, %d failed" % (len(ways), bad))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
