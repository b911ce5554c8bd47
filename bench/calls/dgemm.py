# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: dgemm.py SIZES LIBRARY: the seconds of one cblas_dgemm of that library, for each size. For
# CPython only.
import ctypes
import sys

import numpy as np

from clock import measured

library = ctypes.CDLL(sys.argv[2])
ROW_MAJOR, NO_TRANS = 101, 111
double = ctypes.c_double


def dgemm(n, a, b, c):
    library.cblas_dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, double(1), a, n, b, n, double(0), c, n)


for n in [int(word) for word in sys.argv[1].split(",")]:
    a = np.linspace(-1, 1, n * n)
    b, c = a[::-1].copy(), np.empty(n * n)
    places = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)]
    measured("float64 %d" % n, lambda: dgemm(n, *places))
