# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
"""Cases of run.py over elements of arrays, and products of arrays of ints and bools. As in cases.py; results of array
operations are looked at, as they are put off until then."""
import numpy as np
import timing

row = np.arange(10000.0)
table = np.arange(10000.0).reshape(100, 100)
long = np.arange(1000000.0)
wide = np.arange(1000000).reshape(1000, 1000)
column = np.arange(100.0).reshape(100, 1)
bits = np.arange(90000).reshape(300, 300) % 3 == 0
ints = np.arange(40000).reshape(200, 200) % 17


def drain(it):
    for _ in it:
        pass


def nditer(): drain(np.nditer(row))
def nditer_two_axes(): drain(np.nditer(table))
def nditer_turned(): drain(np.nditer(table.T, order="C"))
def nditer_long(): drain(np.nditer(long))
def nditer_pairs():
    for x, y in np.nditer([table, column]):
        pass
def nditer_multi_index():
    it = np.nditer(table, flags=["multi_index"])
    for x in it:
        it.multi_index
def nditer_multi_index_long():
    it = np.nditer(wide, flags=["multi_index"])
    for x in it:
        it.multi_index
def nditer_write():
    a = table.copy()
    for x in np.nditer(a, op_flags=["readwrite"]):
        x[...] = 2.0
def nditer_write_with():
    a = table.copy()
    with np.nditer(a, op_flags=["readwrite"]) as it:
        for x in it:
            x[...] = 2 * x
def nditer_external(): drain(np.nditer(table.T, flags=["external_loop"], order="C"))
def nditer_by_hand():
    it = np.nditer(row)
    while not it.finished:
        it[0]
        it.iternext()
def flat(): drain(row.flat)
def flat_long(): drain(long.flat)
def flat_turned(): drain(table.T.flat)
def flat_list(): return list(table.flat)
def flat_sum(): return sum(table.flat)
def flat_index():
    f = table.flat
    for i in range(10000):
        f[i]
def flat_assign():
    f = table.copy().flat
    for i in range(10000):
        f[i] = 1.5
def flat_slice(): return float(table.flat[10:9000:3][-1])
def flat_fill():
    a = table.copy()
    a.flat = 3.0
    return float(a[-1, -1])
def flat_zip():
    for x, y in zip(table.flat, table.flat):
        pass
def broadcast():
    for x, y in np.broadcast(table, column):
        pass
def broadcast_long():
    for x, y in np.broadcast(wide, wide[:1]):
        pass
def ndenumerate():
    for i, x in np.ndenumerate(table):
        pass
def ndenumerate_row():
    for i, x in np.ndenumerate(row):
        pass
def ndenumerate_long():
    for i, x in np.ndenumerate(wide):
        pass
def ndindex(): drain(np.ndindex(100, 100))
def ndindex_cube(): drain(np.ndindex(20, 20, 25))
def ndindex_read():
    for i in np.ndindex(table.shape):
        table[i]
def iterate_row(): drain(row)
def iterate_table(): drain(wide)
def tolist(): return table.tolist()
def product_bool(): return int((bits @ bits)[-1, -1])
def product_bool_vector(): return int((bits @ bits[0])[-1])
def product_int_transposed(): return int((ints @ ints.T)[-1, -1])
def product_int(): return int((ints @ ints)[-1, -1])


timing.report([f for name, f in list(globals().items()) if type(f) is type(drain) and name != "drain"])
