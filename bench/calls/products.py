# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Nacre Authors
# usage: products.py SIZES ("2,100"): the seconds of one product of n × n matrices, for each type and size.
import sys

import numpy as np

from clock import measured

for kind in ("float64", "float32", "complex128"):
    for n in [int(word) for word in sys.argv[1].split(",")]:
        a = np.linspace(-1, 1, n * n).reshape(n, n).astype(kind)
        b = a.T.copy()
        measured("%s %d" % (kind, n), lambda: np.matmul(a, b))
